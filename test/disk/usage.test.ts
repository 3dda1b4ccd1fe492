import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { io, ioSince } from '../../src/disk/io.ts';
import { type FileUsage, usageOfFile } from '../../src/disk/usage.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { copiedMessages, mergeMessages, usageOfMessages } from '../../src/graph/messages.ts';
import { createUsageFold, isIncomplete } from '../../src/graph/usage/fold.ts';
import { isBetterOrigin, type LineOrigin } from '../../src/graph/usage/line.ts';
import { agentProgress, assistant, chain, synthetic, toJsonl, user } from '../support/build.ts';
import { damagedTranscript } from '../support/damage.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';

/** The same totals as `usageOfMessages` has them. */
function totals(messages: readonly FileUsage[]) {
  const sum = (of: (message: FileUsage) => number) => messages.reduce((all, message) => all + of(message), 0);
  return {
    messages: messages.length,
    input: sum(({ usage }) => usage.input),
    output: sum(({ usage }) => usage.output),
    cacheCreation: sum(({ usage }) => usage.cacheCreation),
    cacheRead: sum(({ usage }) => usage.cacheRead),
    incomplete: sum((message) => (isIncomplete(message) ? 1 : 0)),
  };
}

function folded(messages: readonly FileUsage[]): FileUsage[] {
  const fold = createUsageFold<LineOrigin>(isBetterOrigin);
  for (const message of messages) fold.add({ ...message });
  return fold.messages();
}

function throughGraph(bytes: Uint8Array, file: string) {
  const { entries } = readSession(bytes, file);
  return usageOfMessages([...mergeMessages(entries), ...copiedMessages(entries)]);
}

function written(content: string | Uint8Array): string {
  const file = join(tempFolder(), 'session.jsonl');
  writeFileSync(file, content);
  return file;
}

describe('the messages of a file', () => {
  test('E4, E18: the same totals as by way of the graph, on every fixture', () => {
    const files = transcriptsBelow(FIXTURES);
    expect(files.length).toBeGreaterThan(100);
    for (const file of files)
      expect(totals(folded(usageOfFile(file))), file).toEqual(throughGraph(readFileSync(file), file));
  });

  const line = fc
    .record({
      id: fc.constantFrom('m1', 'm2', 'm3', undefined),
      requestId: fc.constantFrom('r1', 'r2', undefined),
      uuid: fc.constantFrom('a', 'b', 'c', 'd', undefined),
      output: fc.integer({ min: 0, max: 9 }),
      stop: fc.constantFrom(null, 'end_turn'),
      how: fc.constantFrom('own', 'own', 'own', 'copy', 'user', 'damaged'),
    })
    .map(({ uuid, how, ...parts }) => {
      // An id is either the model's or the client's own (E13).
      const model = parts.id === 'm3' ? '<synthetic>' : 'claude-test';
      const own: JsonObject = { ...assistant('x', { ...parts, model }), uuid };
      if (how === 'copy') return JSON.stringify(agentProgress(own));
      if (how === 'user') return JSON.stringify(user('x'));
      return how === 'damaged' ? JSON.stringify(own).slice(0, -3) : JSON.stringify(own);
    });

  test('E4, E12: also with ids missing, doubled and mixed', () => {
    const file = join(tempFolder(), 'session.jsonl');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const text = lines.map((each) => `${each}\n`).join('');
        writeFileSync(file, text);
        const { messages, input, output } = throughGraph(Buffer.from(text), file);
        expect(totals(folded(usageOfFile(file)))).toMatchObject({ messages, input, output });
      }),
      { numRuns: 500 },
    );
  });

  test('E12: also where lines that have all ids occur again under others', () => {
    const file = join(tempFolder(), 'session.jsonl');
    const whole = fc.array(
      line.filter((each) => /"requestId":"r\d".*"id":"m\d"/.test(each)),
      { minLength: 2, maxLength: 12 },
    );
    fc.assert(
      fc.property(whole, (lines) => {
        const text = lines.map((each) => `${each}\n`).join('');
        writeFileSync(file, text);
        const { messages, input, output } = throughGraph(Buffer.from(text), file);
        expect(totals(folded(usageOfFile(file)))).toMatchObject({ messages, input, output });
      }),
      { numRuns: 1000 },
    );
  });

  test('E12: what a line tells counts for the request it names, though its uuid occurs again without', () => {
    const line = (uuid: string, requestId?: string) => assistant('x', { id: 'm1', requestId }, { uuid });
    const file = written(toJsonl([line('d', 'r1'), line('a', 'r2'), line('d')]));
    expect(totals(usageOfFile(file))).toEqual(throughGraph(readFileSync(file), file));
    expect(usageOfFile(file)).toHaveLength(2);
  });

  test('E12: a uuid that occurs again without usage takes nothing from what was told under it', () => {
    const lines = [
      assistant('a', { id: 'm1', requestId: 'r1', output: 5 }, { uuid: 'a' }),
      assistant('b', { id: 'm2', requestId: 'r2', output: 7 }, { uuid: 'b' }),
      synthetic('API Error'),
    ];
    const poorer = [
      { type: 'assistant', uuid: 'a', message: { role: 'assistant', content: 'a' } },
      { type: 'assistant', uuid: 'b', message: { role: 'assistant', content: 'b' } },
      { ...lines[2], message: { role: 'assistant', id: 'm3', content: 'API Error' } },
    ];
    const file = written(toJsonl([...lines, ...poorer]));
    expect(totals(folded(usageOfFile(file)))).toMatchObject({ messages: 2, output: 12 });
    expect(throughGraph(readFileSync(file), file)).toMatchObject({ messages: 2, output: 12 });
  });

  test('E12, E13: a line without an id leads no other message into one of the client itself', () => {
    const file = written(
      toJsonl([
        assistant('x', { requestId: 'r1', output: 2 }, { uuid: 'a' }),
        assistant('x', { id: 'm2', requestId: 'r1', output: 3 }, { uuid: 'c' }),
        assistant('x', { id: 'm3', requestId: 'r2', model: '<synthetic>' }),
        assistant('x', { id: 'm2', requestId: 'r2', output: 4 }, { uuid: 'a' }),
      ]),
    );
    expect(totals(folded(usageOfFile(file)))).toMatchObject({ messages: 2, output: 7 });
    expect(throughGraph(readFileSync(file), file)).toMatchObject({ messages: 2, output: 7 });
  });

  test('also in sessions damaged at random', () => {
    const file = join(tempFolder(), 'session.jsonl');
    fc.assert(
      fc.property(damagedTranscript, (text) => {
        writeFileSync(file, text);
        const { messages, output } = throughGraph(Buffer.from(text), file);
        expect(totals(folded(usageOfFile(file)))).toMatchObject({ messages, output });
      }),
    );
  });

  test('a byte order mark, a torn line and the word usage elsewhere', () => {
    const lines = toJsonl(chain([user('what is "usage"?'), assistant('a', { id: 'm1', requestId: 'r1' })]));
    const file = written(`\ufeff${toJsonl([assistant('b', { id: 'm0' }, { uuid: 'u0' })])}${lines}{"usage":`);
    expect(totals(usageOfFile(file))).toMatchObject({ messages: 2, output: 20 });
  });

  test('E17: missing output is guessed from the text, once per line', () => {
    const said = assistant('x'.repeat(400), { id: 'm1', requestId: 'r1', stop: null, output: 1 });
    const lines = chain([said, said]);
    const [message] = usageOfFile(written(toJsonl([...lines, ...lines.slice(1)])));
    expect(message).toMatchObject({ usage: { output: 1 }, estimate: 200 });
    const [ended] = usageOfFile(
      written(toJsonl(chain([said, assistant('y', { id: 'm1', requestId: 'r1', output: 9 })]))),
    );
    expect(ended?.estimate).toBeUndefined();
  });

  test('E13: what the client wrote itself is left out', () => {
    expect(usageOfFile(written(toJsonl(chain([synthetic('No response requested.')]))))).toEqual([]);
  });

  test.each([
    ['ids', (n: number) => ({ id: `m${n}`, requestId: `r${n}` })],
    ['requests alone', (n: number) => ({ requestId: `r${n}` })],
  ])('each byte is read once where lines have %s', (_, idsOf) => {
    const content = toJsonl(chain(Array.from({ length: 200 }, (_, n) => assistant('x', idsOf(n)))));
    const file = written(content);
    const before = { ...io };
    expect(usageOfFile(file)).toHaveLength(200);
    expect(ioSince(before)).toMatchObject({ opens: 1, bytesRead: content.length });
  });
});

describe('copies across files', () => {
  const message = fc.record({
    key: fc.constantFrom('m1', 'm2', 'm3'),
    requestId: fc.constantFrom('r1', 'r2'),
    input: fc.integer({ min: 0, max: 5 }),
    output: fc.integer({ min: 0, max: 5 }),
    time: fc.integer({ min: 0, max: 5 }),
  });

  test('E4: the order of files makes no difference', () => {
    const both = fc
      .array(message)
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(both, ([one, other]) => {
        const fold = (list: typeof one) => {
          const usage = createUsageFold<undefined>(() => false);
          for (const { input, output, ...rest } of list) {
            const counts = { input, output, cacheCreation: 0, cacheRead: 0 };
            usage.add({ ...rest, usage: counts, ended: true, synthetic: false, origin: undefined });
          }
          const names = usage
            .messages()
            .map(({ key, requestId, usage: counts, time }) => ({ key, requestId, counts, time }));
          return names.sort((a, b) => `${a.key}${a.requestId}`.localeCompare(`${b.key}${b.requestId}`));
        };
        expect(fold(other)).toEqual(fold(one));
      }),
    );
  });
});
