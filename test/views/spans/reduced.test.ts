import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/format/json.ts';
import type { Span } from '../../../src/views/spans/index.ts';
import { tracesOfTurns } from '../../../src/views/spans/index.ts';
import { timeOf } from '../../support/build.ts';
import { OPTIONS, turnsIn } from '../../support/spans.ts';

function spansIn(lines: readonly JsonObject[]): Span[] {
  return tracesOfTurns(turnsIn(lines), OPTIONS).flatMap((trace) => trace.spans());
}

function answer(id: string, content: string, more: JsonObject = {}, message: JsonObject = {}): JsonObject {
  return {
    message: { id, role: 'assistant', model: 'claude-test', content, stop_reason: 'end_turn', ...message },
    timestamp: timeOf(2),
    ...more,
  };
}

describe('reduced transcripts of other writers (E15)', () => {
  const prompt = { type: 'user', content: 'go', timestamp: timeOf(0) };

  test('what the client put in as an answer is no generation, nor the answer of the turn', () => {
    const spans = spansIn([prompt, answer('m1', 'said'), answer('m2', 'put in', { isMeta: true })]);
    expect(spans.filter(({ kind }) => kind === 'generation').map(({ facts }) => facts.generation?.messageId)).toEqual([
      'm1',
    ]);
    expect(spans[0]?.facts.output).toMatchObject({ text: 'said' });
  });

  test('but what was paid for is', () => {
    const usage = { input_tokens: 3, output_tokens: 4 };
    const spans = spansIn([prompt, answer('m1', 'said'), answer('m2', 'paid', { isMeta: true }, { usage })]);
    expect(spans.flatMap(({ facts }) => facts.generation?.messageId ?? [])).toEqual(['m1', 'm2']);
  });

  test('a model without a name is none', () => {
    const [, generation] = spansIn([prompt, answer('m1', 'said', {}, { model: '' })]);
    expect([generation?.name, generation?.facts.generation?.model]).toEqual(['generation', null]);
  });
});
