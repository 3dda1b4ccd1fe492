import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type FollowEvent, type FollowOptions, follow } from '../../src/disk/follow.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { readSessionOf } from '../../src/disk/read.ts';
import { type Entry, jsonOf } from '../../src/format/entry.ts';
import { tempFolder } from '../support/files.ts';
import { child, line, lines } from './helpers.ts';

/** So long that only an event of the watcher can wake the follower. */
const NEVER = 2 ** 30;
/** Without a watcher, so that nothing but the clock can. */
const CLOCK = { watch: false, pollMs: 1 } as const;

function start(file: string, options: FollowOptions = { pollMs: NEVER }) {
  const stop = new AbortController();
  const events = follow(file, { ...options, signal: stop.signal });
  onTestFinished(() => stop.abort());
  const next = async (): Promise<FollowEvent | undefined> => {
    const { value, done } = await events.next();
    return done ? undefined : value;
  };
  /** Reads on until this entry has come; gives all that came. */
  const until = async (uuid: string): Promise<FollowEvent[]> => {
    const seen: FollowEvent[] = [];
    for (;;) {
      const event = await next();
      if (event === undefined) return seen;
      seen.push(event);
      if (uuidsOf([event]).includes(uuid)) return seen;
    }
  };
  return { next, until, stop: () => stop.abort() };
}

function entriesOf(events: readonly (FollowEvent | undefined)[]): Entry[] {
  return events.flatMap((event) => (event?.type === 'entries' ? event.entries : []));
}

function uuidsOf(events: readonly (FollowEvent | undefined)[]): (string | undefined)[] {
  return entriesOf(events).map((entry) => entry.head.uuid);
}

function brief(event: FollowEvent | undefined): string {
  return event?.type === 'entries' ? uuidsOf([event]).join(' ') : (event?.type ?? 'end');
}

function facts({ line, kind, head, problem }: Entry) {
  return { line, kind, head, problem };
}

function file(content?: string): string {
  const path = join(tempFolder(), 's.jsonl');
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

describe('a file that grows', () => {
  test.each([
    ['told by the watcher', { pollMs: NEVER }],
    ['by the clock alone', CLOCK],
  ])('L5: lines come as they are appended, %s', async (_name, options) => {
    const path = file(lines('a', 'b'));
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
    const path = file(lines('a'));
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
    const path = file(lines('a'));
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
    const path = file(lines('a', 'b'));
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
    const path = file(lines('a'));
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
    const path = file(lines(...Array.from({ length: 5000 }, (_, index) => `u${index}`), 'last'));
    const { until } = start(path);
    const events = await until('last');
    expect(events.length).toBeGreaterThan(3);
    expect(entriesOf(events).map((entry) => entry.line)).toEqual(
      readSessionOf(path).entries.map((entry) => entry.line),
    );
  });

  test('E1: a line longer than any chunk', async () => {
    const path = file(`${line('long', { fill: 'x'.repeat(500_000) })}\n`);
    const { next } = start(path, { pollMs: NEVER, chunkBytes: 1000 });
    const [entry] = entriesOf([await next()]);
    expect(entry && jsonOf(entry)?.fill).toHaveLength(500_000);
  });

  test('the half line at the end comes when asked for, as torn', async () => {
    const path = file(`${lines('a')}{"half`);
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
    const [folder, path] = [tempFolder(), file(lines('a'))];
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
        const path = file('');
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

describe('a file that is not left alone', () => {
  test('truncation is told, and reading starts anew', async () => {
    const path = file(lines('a', 'b'));
    const { next } = start(path);
    expect(brief(await next())).toBe('a b');
    truncateSync(path, 0);
    expect(await next()).toEqual({ type: 'truncated', bytes: 0 });
    appendFileSync(path, lines('c'));
    const event = await next();
    expect(brief(event)).toBe('c');
    expect(entriesOf([event]).map((entry) => [entry.line.number, jsonOf(entry)?.uuid])).toEqual([[1, 'c']]);
  });

  test('a start beyond the end counts as truncated', async () => {
    const { next } = start(file(lines('a')), { pollMs: NEVER, from: { offset: 1e6, number: 99 } });
    expect([brief(await next()), brief(await next())]).toEqual(['truncated', 'a']);
  });

  test('a file put in its place is read from the start, after the last lines of the old one', async () => {
    const path = file(lines('a'));
    const { next } = start(path, { pollMs: NEVER, torn: true });
    const events = [await next()];
    writeFileSync(`${path}.new`, lines('x', 'y'));
    appendFileSync(path, `${lines('b')}{"half`);
    renameSync(`${path}.new`, path);
    for (let count = 0; count < 4; count += 1) events.push(await next());
    expect(events.map(brief)).toEqual(['a', 'b', 'torn', 'replaced', 'x y']);
    expect(entriesOf(events).map((entry) => entry.line.number)).toEqual([1, 2, 1, 2]);
    appendFileSync(path, lines('z'));
    expect(brief(await next())).toBe('z');
  });

  test('an entry of a replaced file does not give bytes of the new one', async () => {
    const path = file(lines('a'));
    const { next } = start(path);
    const [old] = entriesOf([await next()]);
    writeFileSync(`${path}.new`, lines('x'));
    renameSync(`${path}.new`, path);
    expect([brief(await next()), brief(await next())]).toEqual(['replaced', 'x']);
    expect(() => old && jsonOf(old)).toThrow('replaced');
  });

  test('deletion is told once, after the last lines; the file may come back', async () => {
    const path = file(lines('a'));
    const { next } = start(path);
    expect(brief(await next())).toBe('a');
    appendFileSync(path, lines('b'));
    rmSync(path);
    expect([brief(await next()), brief(await next())]).toEqual(['b', 'missing']);
    writeFileSync(path, lines('c'));
    expect(brief(await next())).toBe('appeared');
    const event = await next();
    expect(brief(event)).toBe('c');
    expect(entriesOf([event])[0]?.line.number).toBe(1);
  });

  test('a file that is not there yet', async () => {
    const path = file();
    const { next } = start(path);
    expect(await next()).toMatchObject({ type: 'missing', problem: { kind: 'missing', code: 'ENOENT' } });
    writeFileSync(path, '');
    expect(brief(await next())).toBe('appeared');
    appendFileSync(path, lines('a'));
    expect(brief(await next())).toBe('a');
  });

  test('a folder that is not there yet, goes and comes again: the watcher moves with it', async () => {
    const folder = join(tempFolder(), 'later');
    const path = join(folder, 's.jsonl');
    const { next } = start(path, { pollMs: 1 });
    expect(brief(await next())).toBe('missing');
    for (const uuid of ['a', 'b']) {
      mkdirSync(folder);
      writeFileSync(path, lines(uuid));
      expect([brief(await next()), brief(await next())]).toEqual(['appeared', uuid]);
      rmSync(folder, { recursive: true });
      expect(brief(await next())).toBe('missing');
    }
  });

  test('a folder in its place, a file where its folder should be, a circle of links are told', async () => {
    const path = file(lines('a'));
    const below = start(join(path, 'x.jsonl'), CLOCK);
    expect(await below.next()).toMatchObject({ type: 'missing', problem: { kind: 'missing' } });
    symlinkSync('circle', join(path, '../circle'));
    const circle = start(join(path, '../circle'), CLOCK);
    expect(await circle.next()).toMatchObject({ type: 'missing', problem: { kind: 'link-loop' } });
    const { next } = start(path, CLOCK);
    expect(brief(await next())).toBe('a');
    rmSync(path);
    mkdirSync(path);
    const seen = [await next()];
    // The instant between the two may be seen, too.
    if (seen[0]?.type === 'missing' && seen[0].problem.kind === 'missing') seen.push(await next());
    expect(seen.at(-1)).toMatchObject({ type: 'missing', problem: { kind: 'not-a-file' } });
  });

  test('stopping ends it, before the start and while it waits', async () => {
    const path = file(lines('a'));
    const early = start(path);
    early.stop();
    expect(brief(await early.next())).toBe('end');
    const { next, stop } = start(path);
    await next();
    const waiting = next();
    stop();
    expect(brief(await waiting)).toBe('end');
  });
});

describe('another process writes', () => {
  function write(path: string, mode: string, seed: number, count = 60): void {
    const writer = spawn(process.execPath, [child('writer'), path, String(seed), String(count), mode], {
      stdio: 'inherit',
    });
    onTestFinished(() => {
      writer.kill();
    });
  }

  test.each([1, 2])('E1: in pieces (seed %i): every line comes once, in order', async (seed) => {
    const path = file('');
    const before = { ...io };
    const { until } = start(path, { pollMs: 20 });
    write(path, 'append', seed);
    const uuids = uuidsOf(await until('end'));
    expect(uuids).toEqual([...Array.from({ length: 60 }, (_, index) => `0-${index}`), 'end']);
    expect(ioSince(before).bytesRead).toBe(readFileSync(path).length);
  });

  test.each(['replace', 'delete'])('L5: into a new file again and again (%s): lines stay in order', async (mode) => {
    const path = file('');
    const { until } = start(path, { pollMs: 5 });
    write(path, mode, 3);
    const seen = uuidsOf(await until('end')).map((uuid) => uuid?.split('-').map(Number) ?? []);
    seen.pop();
    // A file that came and went between two looks cannot be seen; of one that was seen, no line is lost or repeated.
    for (const [, rows] of Map.groupBy(seen, ([generation]) => generation)) {
      expect(rows.map(([, number]) => number)).toEqual(rows.map((_, index) => index));
    }
    expect(seen.map(([generation = 0]) => generation)).toEqual(seen.map(([generation = 0]) => generation).sort());
    expect(seen.filter(([generation]) => generation === 4).length).toBe(60);
  });
});
