import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { logOf, recoverChats, type TypedPrompt, toPrompt } from '../../../src/archive/mount/history.ts';
import { promptOf } from '../../../src/format/prompt.ts';
import { readSession } from '../../../src/format/session.ts';
import { turnsOf } from '../../../src/graph/turns.ts';

const HOUR = 3_600_000;

describe('L4: lines of history.jsonl', () => {
  test('a prompt with its project, time and session', () => {
    const line = { display: 'Hello', pastedContents: {}, timestamp: 1000, project: '/work/app', sessionId: 's' };
    expect(toPrompt(line)).toEqual({ text: 'Hello', time: 1000, project: '/work/app', sessionId: 's' });
  });

  test('what was pasted is put back; what is not there stays a mark', () => {
    const pastedContents = { '1': { id: 1, type: 'text', content: 'one\ntwo' }, '2': { id: 2, contentHash: 'x' } };
    const display = 'Look: [Pasted text #1 +1 lines] and [Pasted text #2 +9 lines] and [Pasted text #constructor]';
    expect(toPrompt({ display, pastedContents })?.text).toBe(
      'Look: one\ntwo and [Pasted text #2 +9 lines] and [Pasted text #constructor]',
    );
  });

  test.each([[{}], [{ display: '  ' }], [{ display: 7 }], [undefined]])('%j is no prompt', (line) => {
    expect(toPrompt(line)).toBeUndefined();
  });

  test('a time that cannot be is none', () => {
    expect(toPrompt({ display: 'x', timestamp: 1e300 })?.time).toBeUndefined();
  });
});

describe('chats from prompts', () => {
  const prompt = (text: string, time: number, more: Partial<TypedPrompt> = {}): TypedPrompt => ({
    text,
    time,
    project: '/work/app',
    sessionId: undefined,
    ...more,
  });

  test('by session id; without one by project, until a long pause', () => {
    const chats = recoverChats([
      prompt('a', 0),
      prompt('b', HOUR),
      prompt('c', HOUR, { project: '/work/other' }),
      prompt('d', 4 * HOUR),
      prompt('e', 4 * HOUR, { sessionId: 's' }),
      prompt('f', 90 * HOUR, { sessionId: 's' }),
    ]);
    expect(chats.map(({ prompts }) => prompts.map(({ text }) => text).join(''))).toEqual(['ab', 'c', 'd', 'ef']);
    expect(chats.at(-1)?.sessionId).toBe('s');
  });

  const typed = fc.record({
    text: fc
      .oneof(
        fc.string({ minLength: 1 }),
        fc.constantFrom(
          '/clear',
          '/review the code',
          '!ls -la',
          '<command-name>',
          'Caveat: x',
          '[Request interrupted by user]',
          '/',
        ),
      )
      .filter((text) => text.trim() !== ''),
    time: fc.option(fc.integer({ min: 0, max: 1e13 }), { nil: undefined }),
    project: fc.constantFrom('/work/app', '/work/other', undefined),
    sessionId: fc.constantFrom('s1', 's2', undefined),
  });

  test('every prompt is there once, is read as a turn of its own, and says what was typed', () => {
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 30 }), (prompts) => {
        const chats = recoverChats([...prompts, ...prompts]);
        const wanted = new Set(
          prompts.map((each) => JSON.stringify([each.time, each.sessionId, each.project, each.text])),
        );
        expect(chats.flatMap((chat) => chat.prompts)).toHaveLength(wanted.size);
        expect(
          recoverChats(prompts.toReversed())
            .map(({ sessionId }) => sessionId)
            .sort(),
        ).toEqual(chats.map(({ sessionId }) => sessionId).sort());
        for (const chat of chats) {
          const { entries } = readSession(logOf(chat));
          expect(entries.map(({ head }) => head.sessionId)).toEqual(chat.prompts.map(() => chat.sessionId));
          expect(new Set(entries.map(({ head }) => head.uuid)).size).toBe(chat.prompts.length);
          expect(turnsOf(entries)).toHaveLength(chat.prompts.length);
          for (const [place, { text }] of chat.prompts.entries()) {
            const entry = entries[place];
            if (/^[/!<]/.test(text.trim())) continue;
            expect(entry && promptOf(entry).text).toBe(text);
          }
        }
      }),
    );
  });

  test('commands read as commands', () => {
    const [chat] = recoverChats([prompt('/review the code', 0), prompt('!ls', 1), prompt('words', 2)]);
    const read = chat ? readSession(logOf(chat)).entries.map((entry) => promptOf(entry)) : [];
    expect(read.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'slash_command /review the code',
      'bash_input !ls',
      'text words',
    ]);
  });
});
