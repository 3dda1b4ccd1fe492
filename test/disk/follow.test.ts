import { appendFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { follow } from '../../src/disk/follow.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { readSessionOf } from '../../src/disk/read.ts';
import { type Entry, jsonOf } from '../../src/format/entry.ts';
import { tempFolder } from '../support/files.ts';
import { brief, CLOCK, entriesOf, facts, NEVER, start, transcript } from './following.ts';
import { line, lines } from './helpers.ts';

describe('a file that grows', () => {
  test.each([
    ['told by the watcher', { pollMs: NEVER }],
    ['by the clock alone', CLOCK],
  ])('L5: lines come as they are appended, %s', async (_name, options) => {
    const path = transcript(lines('a', 'b'));
    const { next } = start(path, options);
    expect(brief(await next())).toBe('a b');
    appendFileSync(path, lines('c'));
    expect(brief(await next())).toBe('c');
    appendFileSync(path, lines('d', 'e'));
    const last = await next();
    expect(brief(last)).toBe('d e');
    expect(entriesOf([last]).map((entry) => entry.line.number)).toEqual([4, 5]);
    expect(last).toMatchObject({ next: { offset: statSync(path).size, number: 6 } });
  });

  test('E1: a half line waits for its end; no byte is read twice', async () => {
    const path = transcript(lines('a'));
    const before = { ...io };
    const { next } = start(path, CLOCK);
    const events = [await next()];
    const half = line('b');
    for (const at of [0, 10, 20]) {
      appendFileSync(path, half.slice(at, at + 10));
      // Enough turns of the clock for the half to be read.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    appendFileSync(path, `${half.slice(30)}\n${line('c')}`);
    events.push(await next());
    expect(events.map(brief)).toEqual(['a', 'b']);
    appendFileSync(path, '\n');
    events.push(await next());
    expect(brief(events[2])).toBe('c');
    expect(ioSince(before)).toMatchObject({ bytesRead: statSync(path).size, opens: 1 });
  });

  test('payloads are at hand with the event and come from disk later', async () => {
    const path = transcript(lines('a'));
    const { next } = start(path);
    const events = [await next()];
    const before = { ...io };
    expect(entriesOf(events).map((entry) => jsonOf(entry)?.uuid)).toEqual(['a']);
    expect(ioSince(before).bytesRead).toBe(0);
    appendFileSync(path, lines('b'));
    events.push(await next());
    expect(entriesOf(events).map((entry) => jsonOf(entry)?.uuid)).toEqual(['a', 'b']);
  });

  test('starts where it is told to', async () => {
    const path = transcript(lines('a', 'b'));
    const from = { offset: lines('a').length, number: 2 };
    const before = { ...io };
    const { next } = start(path, { pollMs: NEVER, from });
    const event = await next();
    expect(brief(event)).toBe('b');
    expect(entriesOf([event]).map((entry) => entry.line)).toEqual(
      readSessionOf(path)
        .entries.slice(1)
        .map((e) => e.line),
    );
    expect(ioSince(before).bytesRead).toBe(lines('b').length + statSync(path).size);
  });

  test('looking at a file that does not change reads nothing', async () => {
    const path = transcript(lines('a'));
    const { next, stop } = start(path, CLOCK);
    await next();
    const before = { ...io };
    const waiting = next();
    // Four looks of two calls each.
    while (ioSince(before).stats < 8) await new Promise((resolve) => setTimeout(resolve, 1));
    stop();
    expect(brief(await waiting)).toBe('end');
    expect(ioSince(before)).toMatchObject({ reads: 0, opens: 0 });
  });

  test('a large file comes in parts', async () => {
    const path = transcript(lines(...Array.from({ length: 5000 }, (_, index) => `u${index}`), 'last'));
    const { until } = start(path);
    const events = await until('last');
    expect(events.length).toBeGreaterThan(3);
    expect(entriesOf(events).map((entry) => entry.line)).toEqual(
      readSessionOf(path).entries.map((entry) => entry.line),
    );
  });

  test('E1: a line longer than any chunk', async () => {
    const path = transcript(`${line('long', { fill: 'x'.repeat(500_000) })}\n`);
    const { next } = start(path, { pollMs: NEVER, chunkBytes: 1000 });
    const [entry] = entriesOf([await next()]);
    expect(entry && jsonOf(entry)?.fill).toHaveLength(500_000);
  });

  test('the half line at the end comes when asked for, as torn', async () => {
    const path = transcript(`${lines('a')}{"half`);
    for (const torn of [true, false]) {
      const { next, stop } = start(path, { pollMs: NEVER, torn });
      expect(brief(await next())).toBe('a');
      const waiting = next();
      stop();
      const last = await waiting;
      expect(brief(last)).toBe(torn ? 'torn' : 'end');
      if (last?.type === 'torn') {
        expect(last.entry).toMatchObject({ kind: 'unreadable', line: { number: 2, terminated: false } });
        expect(brief(await next())).toBe('end');
      }
    }
  });

  test('a link is followed to its file', async () => {
    const [folder, path] = [tempFolder(), transcript(lines('a'))];
    symlinkSync(path, join(folder, 'link.jsonl'));
    const { next } = start(join(folder, 'link.jsonl'));
    expect(brief(await next())).toBe('a');
    appendFileSync(path, lines('b'));
    expect(brief(await next())).toBe('b');
  });

  test('E1: any split of the bytes into writes and chunks gives the entries of the whole', async () => {
    const pieces = fc.array(fc.constantFrom('\n', line('a'), lines('b', 'c'), '🙂', '{"x', '\r'), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 40 }), async (texts, chunkBytes) => {
        const path = transcript('');
        const writes = [...texts, `\n${line('end')}\n`];
        const seen: Entry[] = [];
        const written = (async () => {
          for (const text of writes) {
            appendFileSync(path, text);
            await new Promise((resolve) => setImmediate(resolve));
          }
        })();
        for await (const event of follow(path, { ...CLOCK, chunkBytes })) {
          if (event.type === 'entries') seen.push(...event.entries);
          if (seen.at(-1)?.head.uuid === 'end') break;
        }
        expect(seen.map(facts)).toEqual(readSessionOf(path).entries.map(facts));
        await written;
      }),
      { numRuns: 50 },
    );
  });
});
