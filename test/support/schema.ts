/** Held against docs/schema. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';

const ajv = new Ajv2020({ strictTypes: false });

export function expectValid(schema: string, value: unknown): void {
  const file = new URL(`../../docs/schema/${schema}.schema.json`, import.meta.url);
  const validate = ajv.compile(JSON.parse(readFileSync(fileURLToPath(file), 'utf8')));
  const valid = validate(value);
  expect(validate.errors ?? []).toEqual([]);
  expect(valid).toBe(true);
}
