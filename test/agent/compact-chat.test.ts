/** Compacting as `skein chat` does it: in print mode, by itself, and in the console. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Chat, chatWith } from '../support/chat.ts';
import { calls, says } from '../support/scripted-model.ts';

const FULL = { usage: { input_tokens: 60_000, output_tokens: 100 } };

test('print mode: by itself within a turn, in the window that was set, then by /compact', async () => {
  const chat = await chatWith([
    calls('Bash', { command: 'echo one' }, FULL),
    says('SUMMARY'),
    says('Done.'),
    says('SUMMARY 2'),
    says('After.'),
  ]);
  const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '90000' };
  const first = await chat.run(['-p', 'Go', '--allowedTools', 'Bash', '--output-format', 'json'], { env });
  expect(first.result).toMatchObject({ is_error: false, result: 'Done.', num_turns: 3 });
  expect(chat.entries().filter(({ subtype }) => subtype === 'compact_boundary')).toHaveLength(1);
  const second = await chat.run(['-p', '/compact', '--continue', '--output-format', 'json']);
  expect(second.result).toMatchObject({ is_error: false, num_turns: 0 });
  expect((await chat.run(['-p', 'More', '--continue'])).out).toBe('After.\n');
  expect(chat.model.requests.map(({ refused }) => refused)).toEqual(Array(5).fill(undefined));
  expect(await chat.story()).toContain('After.');
});

test('it can be switched off', async () => {
  const chat = await chatWith([calls('Bash', { command: 'echo one' }, FULL), says('Done.')]);
  const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '90000', DISABLE_AUTO_COMPACT: '1' };
  expect((await chat.run(['-p', 'Go', '--allowedTools', 'Bash'], { env })).out).toBe('Done.\n');
});

test('the console says that it works on it, and what came of it', async () => {
  const chat = await chatWith([says('First.'), says('SUMMARY'), says('Second.')]);
  const { out, code } = await chat.run([], { input: 'One\n/compact keep names\nTwo\n' });
  expect(code).toBe(0);
  expect(out).toMatch(/First\.\n.*\(the conversation is being summarized\)\nCompacted: \d+ → \d+ tokens\n.*Second\./s);
  expect(chat.model.requests[2]?.messages).toHaveLength(3);
});

test('instructions in files are read again', async () => {
  const chat: Chat = await chatWith((_request, index) => {
    if (index === 1) writeFileSync(join(chat.cwd, 'CLAUDE.md'), 'Always say please.');
    return says(`Answer ${index}`);
  });
  await chat.run([], { input: 'One\n/compact\nTwo\n' });
  const told = chat.model.requests.map(({ body }) => JSON.stringify(body.system).includes('Always say please.'));
  expect(told).toEqual([false, false, true]);
});
