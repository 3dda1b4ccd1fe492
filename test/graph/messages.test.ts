import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/format/entry.ts';
import { asNumber, asObject, type JsonObject, parseJson } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { blocksOfMessage, copiedMessages, mergeMessages, usageOfMessages } from '../../src/graph/messages.ts';
import type { Message } from '../../src/graph/types.ts';
import {
  agentProgress,
  assistant,
  chain,
  conversation,
  entriesOf,
  result,
  synthetic,
  text,
  thinking,
  timeOf,
  toolUse,
  user,
} from '../support/build.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';

function messagesOf(...lines: JsonObject[]): Message[] {
  return mergeMessages(conversation(lines));
}

function textsOf(message: Message | undefined): string[] {
  return message === undefined
    ? []
    : blocksOfMessage(message).map((block) => String(block.raw.text ?? block.raw.thinking ?? block.raw.id));
}

describe('E4: lines of one message', () => {
  test('merge by message id, also when a result stands between them', () => {
    const [first, second, ...more] = messagesOf(
      user('go'),
      assistant(thinking('hm'), { id: 'm1', requestId: 'r1', stop: null, output: 1 }),
      assistant(toolUse('t1'), { id: 'm1', requestId: 'r1', stop: null, output: 1 }),
      result('t1'),
      assistant(toolUse('t2'), { id: 'm1', requestId: 'r1', stop: 'tool_use', output: 40 }),
      assistant('done', { id: 'm2', requestId: 'r2' }),
    );
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      id: 'm1',
      requestId: 'r1',
      entryUuids: ['u2', 'u3', 'u5'],
      finalUuid: 'u5',
      model: 'claude-test',
      stopReason: 'tool_use',
      usage: { output: 40, cacheCreation: 2, cacheRead: 3 },
      ended: timeOf(4),
      isApiError: false,
      synthetic: false,
    });
    expect(textsOf(first)).toEqual(['hm', 't1', 't2']);
    expect(second?.id).toBe('m2');
  });

  test('else by request id, else by adjacency', () => {
    expect(
      messagesOf(assistant('a', { requestId: 'r1' }), result('t'), assistant('b', { requestId: 'r1' })).length,
    ).toBe(1);
    expect(messagesOf(assistant('a'), assistant('b'), user('x'), assistant('c')).map(textsOf)).toEqual([
      ['a', 'b'],
      ['c'],
    ]);
    expect(messagesOf(assistant('a', { id: 'm1' }), assistant('b')).map(textsOf)).toEqual([['a', 'b']]);
    const mixed = [assistant('a', { requestId: 'r1' }), user('x'), assistant('b', { id: 'm1', requestId: 'r1' })];
    expect(messagesOf(...mixed).map(textsOf)).toEqual([['a', 'b']]);
    expect(messagesOf(...mixed.toReversed()).map(textsOf)).toEqual([['b', 'a']]);
    const inline = assistant('s', {}, { isSidechain: true });
    expect(messagesOf(assistant('a'), inline).map(textsOf)).toEqual([['a'], ['s']]);
  });

  test('one id claimed by two requests is two messages; a copy that lost its request id joins', () => {
    const of = (requestId?: string) => assistant('a', { id: 'm1', requestId });
    expect(messagesOf(of('r1'), user('x'), of('r2')).length).toBe(2);
    expect(messagesOf(of('r1'), user('x'), of()).length).toBe(1);
    expect(messagesOf(of(), user('x'), of('r1'), user('y'), of('r2')).length).toBe(2);
  });

  test('the last stop reason that is not null', () => {
    const [message] = messagesOf(
      assistant('a', { id: 'm', stop: 'end_turn' }),
      assistant('b', { id: 'm', stop: null }),
    );
    expect(message?.stopReason).toBe('end_turn');
    expect(messagesOf(assistant('a', { stop: null }))[0]?.stopReason).toBeUndefined();
  });

  test('a block that grew replaces what it extends', () => {
    const line = (...blocks: JsonObject[]) => assistant(blocks, { id: 'm' });
    expect(textsOf(messagesOf(line(text('He')), line(text('Hello')), line(toolUse('t1')))[0])).toEqual(['Hello', 't1']);
    const cumulative = [
      line(thinking('a', '')),
      line(thinking('ab'), text('x')),
      line(thinking('ab'), text('xy'), toolUse('t')),
    ];
    expect(textsOf(messagesOf(...cumulative)[0])).toEqual(['ab', 'xy', 't']);
    expect(textsOf(messagesOf(line(toolUse('t1')), line(toolUse('t1', 'Bash', { command: 'ls' })))[0])).toEqual(['t1']);
  });

  test('E4: an empty text block before the text stays', () => {
    const line = (...blocks: JsonObject[]) => assistant(blocks, { id: 'm' });
    expect(textsOf(messagesOf(line(text('')), line(text('Hello')))[0])).toEqual(['', 'Hello']);
    expect(textsOf(messagesOf(line(text('')), line(text(''), text('x')))[0])).toEqual(['', 'x']);
  });

  test('blocks that only look alike stay', () => {
    const line = (block: JsonObject, more: JsonObject = {}) => assistant(block, { id: 'm' }, more);
    expect(textsOf(messagesOf(line(text('one')), line(text('two')))[0])).toEqual(['one', 'two']);
    expect(textsOf(messagesOf(line(thinking('', 's1')), line(thinking('', 's2')))[0])).toEqual(['', '']);
    const indexed = [line(text('a'), { apiBlockIndex: 0 }), line(text('a'), { apiBlockIndex: 1 })];
    expect(textsOf(messagesOf(...indexed)[0])).toEqual(['a', 'a']);
  });
});

describe('E12: a line that occurs again', () => {
  test('is one line with its last content at its first place', () => {
    const entries = entriesOf([
      assistant('old', { id: 'm' }, { uuid: 'a' }),
      assistant('next', { id: 'm' }, { uuid: 'b' }),
      assistant('new', { id: 'm' }, { uuid: 'a' }),
    ]);
    const [message] = mergeMessages(entries);
    expect(message?.entries.length).toBe(3);
    expect(message?.entryUuids).toEqual(['a', 'b']);
    expect(textsOf(message)).toEqual(['new', 'next']);
  });

  test('belongs to the message its last content names', () => {
    const entries = entriesOf([
      assistant('old', { id: 'm1' }, { uuid: 'a' }),
      user('x'),
      assistant('new', { id: 'm2' }, { uuid: 'a' }),
    ]);
    expect(mergeMessages(entries).map((message) => [message.id, ...textsOf(message)])).toEqual([['m2', 'new']]);
  });

  test('H1: the copy in another file does not replace the original', () => {
    const original = chain([user('go'), assistant('hi', { id: 'm', requestId: 'r' })], { version: '1.0.111' });
    const copy = original.map((line) => ({ ...line, requestId: undefined, timestamp: timeOf(99) }));
    const [message, ...more] = mergeMessages([...entriesOf(original, 'a'), ...entriesOf(copy, 'b')]);
    expect(more).toEqual([]);
    expect(message).toMatchObject({ requestId: 'r', ended: timeOf(1), entryUuids: ['u2'] });
    expect(textsOf(message)).toEqual(['hi']);
  });
});

describe('E13, E14, E15, E18', () => {
  test('E13: synthetic messages and API errors', () => {
    const [closing, failed] = messagesOf(
      synthetic('No response requested.'),
      user('x'),
      synthetic('API Error', { isApiErrorMessage: true }),
    );
    expect(closing).toMatchObject({ synthetic: true, isApiError: false });
    expect(failed).toMatchObject({ synthetic: true, isApiError: true });
  });

  test('E14: the stored request says when it was sent', () => {
    const request = { type: 'api-request', id: 'q1', timestamp: timeOf(0.5) };
    const [message] = messagesOf(user('go'), assistant('hi', { id: 'm' }, { requestRef: 'q1' }), request);
    expect(message?.started).toBe(timeOf(0.5));
    expect(messagesOf(user('go'), assistant('hi'))[0]?.started).toBeUndefined();
  });

  test('E15: assistant lines without a type', () => {
    const message = { id: 'm1', role: 'assistant', content: 'hi', timestamp: timeOf(3) };
    const [merged] = mergeMessages(entriesOf([{ message }]));
    expect(merged).toMatchObject({ id: 'm1', ended: timeOf(3) });
    expect(textsOf(merged)).toEqual(['hi']);
  });

  test('E18: copies in progress entries are messages of their own kind', () => {
    const line = { uuid: 'x', timestamp: timeOf(1), ...assistant('sub', { id: 'm9', requestId: 'r9' }) };
    const entries = conversation([agentProgress(line), agentProgress(user('prompt')), agentProgress(line)]);
    expect(mergeMessages(entries)).toEqual([]);
    const [copy, ...more] = copiedMessages(entries);
    expect(more).toEqual([]);
    expect(copy).toMatchObject({ id: 'm9', requestId: 'r9', copyIn: 'progress', entryUuids: ['x'], ended: timeOf(1) });
    expect(textsOf(copy)).toEqual(['sub']);
  });
});

describe('usage: once per message', () => {
  test('E4: whatever lines, copies and files repeat it', () => {
    const lines = [
      assistant('a', { id: 'm', requestId: 'r', output: 1 }),
      assistant('b', { id: 'm', requestId: 'r', output: 50 }),
    ];
    const own = mergeMessages(conversation(lines));
    const copies = copiedMessages(conversation(lines.map((line) => agentProgress(line))));
    const copied = mergeMessages(conversation(lines.map((line) => ({ ...line, requestId: undefined }))));
    const once = { messages: 1, input: 1, output: 50, cacheCreation: 2, cacheRead: 3, incomplete: 0 };
    expect(usageOfMessages(own)).toEqual(once);
    expect(usageOfMessages([...own, ...copies, ...copied, ...own])).toEqual(once);
    expect(usageOfMessages(copies)).toEqual(once);
  });

  test('E4, E18: without any id, of which progress repeats only the beginning', () => {
    const line = (text: string) => ({ ...assistant(text), uuid: text });
    const own = mergeMessages(entriesOf([line('a'), line('b')]));
    const copies = copiedMessages(entriesOf([agentProgress(line('a'))]));
    expect(usageOfMessages([...own, ...copies])).toEqual(usageOfMessages(own));
    expect(usageOfMessages(own).messages).toBe(1);
  });

  test('E13, E16: synthetic ones and ones without usage are left out', () => {
    expect(
      usageOfMessages(messagesOf(synthetic('No response requested.'), user('x'), assistant('a', { usage: null })))
        .messages,
    ).toBe(0);
  });

  test('E17: output that was not recorded is said', () => {
    const totals = usageOfMessages(
      messagesOf(assistant('a', { id: 'm1', stop: null, output: 1 }), assistant('b', { id: 'm2', output: 1 })),
    );
    expect(totals).toMatchObject({ messages: 2, output: 2, incomplete: 1 });
  });

  test.each([1, 7, 42, 1234])('equals the truth of a generated corpus, seed %i', (seed) => {
    const folder = tempFolder();
    const script = new URL('../../scripts/gen-corpus.mjs', import.meta.url).pathname;
    execFileSync(process.execPath, [script, '--out', folder, '--mb', '5', '--seed', String(seed), '--files', '20']);
    const messages = transcriptsBelow(folder).flatMap((file) => {
      const { entries } = readSession(readFileSync(file), file);
      return [...mergeMessages(entries), ...copiedMessages(entries)];
    });
    const truth = asObject(asObject(parseJson(readFileSync(join(folder, 'truth.json'), 'utf8')))?.dedup) ?? {};
    const { messages: rows, input, output, cacheCreation, cacheRead } = usageOfMessages(messages);
    expect({ input, output, cacheCreate: cacheCreation, cacheRead, rows }).toEqual(truth);
    expect(asNumber(truth.rows)).toBeGreaterThan(50);
  });
});

const assistantLine = fc.record({
  id: fc.constantFrom('m1', 'm2', undefined),
  requestId: fc.constantFrom('r1', 'r2', undefined),
  uuid: fc.constantFrom('a', 'b', 'c', undefined),
  output: fc.integer({ min: 0, max: 99 }),
});
const line = fc.oneof(
  assistantLine.map(({ uuid, ...parts }) => ({ ...assistant('x', parts), uuid })),
  fc.constant(user('x')),
  fc.constant<JsonObject>({ type: 'assistant' }),
  fc.constant<JsonObject>({ type: 'assistant', message: 'damaged' }),
  fc.constant<JsonObject>({
    type: 'progress',
    data: { message: { type: 'assistant', message: { id: 'm1', usage: {} } } },
  }),
);

describe('properties', () => {
  test('every assistant entry is in exactly one message', () => {
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const entries = entriesOf(lines);
        const merged = mergeMessages(entries).flatMap((message) => message.entries);
        expect(new Set(merged)).toEqual(new Set(entries.filter(({ kind }) => kind === 'assistant')));
        expect(merged.length).toBe(new Set(merged).size);
        for (const message of mergeMessages(entries)) blocksOfMessage(message);
      }),
    );
  });

  /** Messages as the client writes them: every line with a uuid, an id and a request of its own. */
  const written = fc
    .array(fc.tuple(fc.constantFrom('m1', 'm2', 'm3'), fc.integer({ min: 1, max: 99 })))
    .map((items) =>
      items.map(([id, output], index) => assistant('x', { id, requestId: `r-${id}`, output }, { uuid: `u${index}` })),
    );
  const shuffled = written.chain((lines) =>
    fc.tuple(fc.constant(lines), fc.shuffledSubarray(lines, { minLength: lines.length })),
  );
  const totalsOf = (lines: JsonObject[]) => usageOfMessages(mergeMessages(entriesOf(lines)));

  test('E12: neither shuffled nor repeated lines change the totals', () => {
    fc.assert(
      fc.property(shuffled, ([lines, others]) => {
        expect(totalsOf(others)).toEqual(totalsOf(lines));
        expect(totalsOf([...lines, ...others])).toEqual(totalsOf(lines));
      }),
    );
  });

  test('on every fixture nothing is lost and nothing throws', () => {
    for (const file of transcriptsBelow(FIXTURES)) {
      const entries: readonly Entry[] = readSession(readFileSync(file), file).entries;
      const merged = mergeMessages(entries).flatMap((message) => message.entries);
      expect(merged.length, file).toBe(entries.filter(({ kind }) => kind === 'assistant').length);
    }
  });
});
