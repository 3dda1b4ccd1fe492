/** No secret planted in any string of the recordings is in any export. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES } from '../../src/redact/rules.ts';
import { planting, plantScenario, survivors } from '../redact/planted.ts';
import { exported } from '../support/exported.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';

describe('a secret in every string of every recorded entry', () => {
  test.each([
    ['texts', false],
    ['what makes a line what it is', true],
  ])('%s', { timeout: 600_000 }, async (_, structure) => {
    const root = tempFolder();
    const plan = planting(structure, structure ? 31 : 0);
    for (const version of readdirSync(join(FIXTURES, 'recorded'))) {
      for (const scenario of readdirSync(join(FIXTURES, 'recorded', version)))
        plantScenario(version, scenario, root, plan);
    }
    const outputs = await exported(root);
    for (const [name, output] of Object.entries(outputs)) expect([name, survivors(output)]).toEqual([name, []]);
    expect(outputs.json?.length).toBeGreaterThan(1_000_000);
    expect(plan.places.size).toBeGreaterThan(structure ? 100 : 500);
    expect(new Set([...plan.places.values()].flatMap((rules) => [...rules])).size).toBe(RULES.length);
  });
});
