import { spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { io, ioSince } from '../../src/disk/io.ts';
import { jsonOf } from '../../src/format/entry.ts';
import { tempFolder } from '../support/files.ts';
import { brief, CLOCK, entriesOf, NEVER, start, transcript, uuidsOf } from './following.ts';
import { child, lines } from './helpers.ts';

describe('a file that is not left alone', () => {
  test('truncation is told, and reading starts anew', async () => {
    const path = transcript(lines('a', 'b'));
    const { next } = start(path);
    expect(brief(await next())).toBe('a b');
    truncateSync(path, 0);
    expect(await next()).toEqual({ type: 'truncated', bytes: 0 });
    appendFileSync(path, lines('c'));
    const event = await next();
    expect(brief(event)).toBe('c');
    expect(entriesOf([event]).map((entry) => [entry.line.number, jsonOf(entry)?.uuid])).toEqual([[1, 'c']]);
  });

  test('a file written anew in its place, longer than what was read, is told and read from its start', async () => {
    const path = transcript(lines('a', 'b'));
    const { next } = start(path);
    expect(brief(await next())).toBe('a b');
    writeFileSync(path, lines('first', 'second', 'third'));
    const seen = [await next(), await next()];
    expect(seen.map(brief)).toEqual(['truncated', 'first second third']);
    expect(entriesOf(seen).map((entry) => entry.line.number)).toEqual([1, 2, 3]);
    appendFileSync(path, lines('c'));
    expect(brief(await next())).toBe('c');
  });

  test('the same while only the end was followed', async () => {
    const path = transcript(lines('a', 'b'));
    const { next } = start(path, { ...CLOCK, from: { offset: lines('a', 'b').length, number: 3 } });
    const event = next();
    // The first look is done when the clock has turned.
    await new Promise((resolve) => setTimeout(resolve, 20));
    writeFileSync(path, lines('first', 'second', 'third'));
    expect([brief(await event), brief(await next())]).toEqual(['truncated', 'first second third']);
  });

  test('an entry kept from an earlier event gives its own bytes while a half line is read', async () => {
    const path = transcript(lines('a'));
    const { next } = start(path, CLOCK);
    const [kept] = entriesOf([await next()]);
    const event = next();
    appendFileSync(path, '{"type":"user","uuid":"b","half":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(kept && jsonOf(kept)?.uuid).toBe('a');
    appendFileSync(path, '"}\n');
    expect(brief(await event)).toBe('b');
  });

  test('a start beyond the end counts as truncated', async () => {
    const { next } = start(transcript(lines('a')), { pollMs: NEVER, from: { offset: 1e6, number: 99 } });
    expect([brief(await next()), brief(await next())]).toEqual(['truncated', 'a']);
  });

  test('a file put in its place is read from the start, after the last lines of the old one', async () => {
    const path = transcript(lines('a'));
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
    const path = transcript(lines('a'));
    const { next } = start(path);
    const [old] = entriesOf([await next()]);
    writeFileSync(`${path}.new`, lines('x'));
    renameSync(`${path}.new`, path);
    expect([brief(await next()), brief(await next())]).toEqual(['replaced', 'x']);
    expect(() => old && jsonOf(old)).toThrow('replaced');
  });

  test('deletion is told once, after the last lines; the file may come back', async () => {
    const path = transcript(lines('a'));
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
    const path = transcript();
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
    const path = transcript(lines('a'));
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
    const path = transcript(lines('a'));
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
    const path = transcript('');
    const before = { ...io };
    const { until } = start(path, { pollMs: 20 });
    write(path, 'append', seed);
    const uuids = uuidsOf(await until('end'));
    expect(uuids).toEqual([...Array.from({ length: 60 }, (_, index) => `0-${index}`), 'end']);
    expect(ioSince(before).bytesRead).toBe(readFileSync(path).length);
  });

  test.each(['replace', 'delete'])('L5: into a new file again and again (%s): lines stay in order', async (mode) => {
    const path = transcript('');
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
