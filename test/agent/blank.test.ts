import { expect, test } from 'vitest';
import { runTurn } from '../../src/agent/loop.ts';
import { asArray, asObject, type JsonObject } from '../../src/format/json.ts';
import { bench, call, says } from './parts.ts';
import { linesOf } from './world.ts';

test('A4: a text without a visible character is not written; the end of the answer stands on the block before', async () => {
  const { parts, session, requests } = bench([
    says(' \n', call('Echo', { text: 'a' })),
    says('\n'),
    says('Said.', '\n\n', 'More.', ' '),
  ]);
  const end = await runTurn(parts, { content: 'Hi', source: 'sdk' }, new AbortController().signal);
  expect([end.reason, end.text, requests.length]).toEqual(['end_turn', 'Said.\nMore.', 3]);
  const answers = linesOf(session.transcript.file).flatMap(({ type, message }): JsonObject[] =>
    type === 'assistant' ? [asObject(message) ?? {}] : [],
  );
  const told = answers.map(({ content, stop_reason: stop }) => {
    const block = asObject(asArray(content)?.[0]);
    return [block?.text ?? block?.type, stop];
  });
  expect(told).toEqual([
    ['tool_use', 'tool_use'],
    ['Said.', null],
    ['More.', 'end_turn'],
  ]);
});
