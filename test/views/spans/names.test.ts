import { describe, expect, test } from 'vitest';
import type { Agent } from '../../../src/graph/agents.ts';
import { createMasker } from '../../../src/redact/masker.ts';
import type { Span, SpanOptions } from '../../../src/views/spans/index.ts';
import { spansOfStray, toOtlp, tracesOfTurns } from '../../../src/views/spans/index.ts';
import { assistant, chain, entriesOf, result, system, toolUse, user } from '../../support/build.ts';
import { OPTIONS, outline, turnsIn } from '../../support/spans.ts';

/** Taken apart, so that no scanner takes it for one. */
const SECRET = ['ghp', 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5'].join('_');

const AGENT: Agent = {
  agentId: 'a1',
  from: 'file',
  file: 'agent-a1.jsonl',
  agentType: `reviewer-${SECRET}`,
  description: undefined,
  calls: [],
  toolUseId: 't1',
  toolUseIds: ['t1'],
  parent: undefined,
  children: [],
  depth: 1,
  how: 'meta',
  sure: 'certain',
  warmup: false,
  background: false,
  status: 'completed',
  outputFile: undefined,
  entries: entriesOf(chain([user('look'), assistant('fine', { id: 'm9' })])),
};

/** A name that holds a secret in every place that a transcript has for names. */
const LINES = [
  user('go', { permissionMode: SECRET, version: SECRET }),
  system('compact_boundary', { compactMetadata: { trigger: SECRET, preTokens: 100 } }),
  assistant(toolUse('t1', `mcp__${SECRET}__read`), {
    id: 'm1',
    stop: SECRET,
    model: `claude-${SECRET}`,
    usage: { input_tokens: 1, output_tokens: 1, service_tier: SECRET },
  }),
  result('t1'),
  assistant('done', { id: 'm2' }),
];

function sent(spans: readonly Span[]): string {
  return (['langfuse', 'genai'] as const)
    .map((dialect) => JSON.stringify(toOtlp(spans, dialect, { version: '1' })))
    .join('\n');
}

describe.each([true, false])('secrets in names are masked, in both dialects (content: %s)', (content) => {
  const options = (): SpanOptions => {
    const masker = createMasker();
    return { ...OPTIONS, content, mask: (words) => masker.mask(words), agentOf: () => AGENT };
  };

  test('of tools, servers, models, agents, modes, versions, reasons and tiers', () => {
    const spans = tracesOfTurns(turnsIn(chain(LINES)), options()).flatMap((trace) => trace.spans());
    expect(spans.map(({ kind }) => kind).sort()).toEqual(
      ['agent', 'agent', 'event', 'generation', 'generation', 'generation', 'tool'].sort(),
    );
    expect(JSON.stringify(spans)).not.toContain(SECRET);
    expect(sent(spans)).not.toContain(SECRET);
    expect(spans.find(({ kind }) => kind === 'tool')?.name).toMatch(/^mcp__\[.+\]__read$/);
  });

  test('of an agent that no call leads to', () => {
    const spans = spansOfStray(AGENT, options());
    expect(spans[0]?.name).toMatch(/^Agent reviewer-\[/);
    expect(sent(spans)).not.toContain(SECRET);
  });

  test('ids, times and the mark are those of the names as they are', () => {
    const facts = (how: SpanOptions) =>
      tracesOfTurns(turnsIn(chain(LINES)), how).map((trace) => [
        trace.mark(),
        trace.spans().map(({ spanId, startMs }) => `${spanId} ${startMs}`),
      ]);
    expect(facts(options())).toEqual(facts({ ...OPTIONS, agentOf: () => AGENT }));
  });
});

test('without a mask names are as they are', () => {
  const spans = tracesOfTurns(turnsIn(chain(LINES)), OPTIONS).flatMap((trace) => trace.spans());
  expect(outline(spans)).toContain(`    tool mcp__${SECRET}__read`);
});
