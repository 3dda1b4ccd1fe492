/** What is sent adds up to what `skein usage` counts. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { asArray, asNumber, at, type Json } from '../../src/format/json.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { recordings } from '../support/spans.ts';

const GENERATOR = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));
const KINDS = ['input', 'output', 'cacheCreation', 'cacheRead'] as const;

async function totalsOf(root: string) {
  const home = tempFolder();
  const env = { HOME: home, SKEIN_HOME: join(home, 'kept'), CLAUDE_CONFIG_DIR: root };
  const usage = (await runHere(['usage', '--by', 'total', '--json'], env)).json();
  const sent = (await runHere(['export', 'langfuse', '--all', '--dry-run', '--no-content', '--json'], env)).json();
  const spans = asArray(at(sent, 'traces'))?.flatMap((trace) => asArray(at(trace, 'spans')) ?? []) ?? [];
  const used = spans.map((span) => at(span, 'facts', 'generation')).filter((each) => at(each, 'usage') != null);
  const sum = (pick: (generation: Json | undefined) => Json | undefined) =>
    used.reduce<number>((all, each) => all + (asNumber(pick(each)) ?? 0), 0);
  return {
    counted: {
      messages: asNumber(at(usage, 'totals', 'messages')) ?? 0,
      ...Object.fromEntries(KINDS.map((kind) => [kind, at(usage, 'totals', kind)])),
    },
    sent: {
      messages: used.length,
      ...Object.fromEntries(KINDS.map((kind) => [kind, sum((each) => at(each, 'usage', kind))])),
    },
    costs: [asNumber(at(usage, 'totals', 'costUSD')) ?? 0, sum((each) => at(each, 'cost', 'totalUSD'))] as const,
  };
}

describe('T5: tokens and cost of all spans are those of skein usage', () => {
  const NOT_COUNTED = new Map([
    ['1.0.111/l-interrupted', 'its last turn never ended (T6)'],
    ['2.1.325/x-resume-2.1.325-k-interactive-50ab', 'the scripted model gave an id again, which usage counts once'],
    ['2.1.325/x-resume-2.1.325-k-partial-2ed6', 'the same'],
  ]);

  test.each(recordings().filter(([version, scenario]) => !NOT_COUNTED.has(`${version}/${scenario}`)))(
    '%s %s',
    async (version, scenario) => {
      const { counted, sent, costs } = await totalsOf(join(FIXTURES, 'recorded', version, scenario));
      expect(sent).toEqual(counted);
      expect(costs[1]).toBeCloseTo(costs[0], 9);
    },
  );

  test.each([1, 2, 3])('a generated corpus, seed %i', async (seed) => {
    const folder = tempFolder();
    const args = ['--out', folder, '--mb', '3', '--seed', `${seed}`, '--files', '20'];
    execFileSync(process.execPath, [GENERATOR, ...args], { stdio: 'ignore' });
    const { counted, sent, costs } = await totalsOf(join(folder, '.claude'));
    expect(counted.messages).toBeGreaterThan(50);
    expect(sent).toEqual(counted);
    expect(costs[1]).toBeCloseTo(costs[0], 6);
  });
});
