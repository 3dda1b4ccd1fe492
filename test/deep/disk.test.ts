/** Long runs: processes killed in the middle of their work, races, files larger than memory should be. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { appendLines } from '../../src/disk/append.ts';
import { follow } from '../../src/disk/follow.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { readSessionOf } from '../../src/disk/read.ts';
import { asNumber, at, parseJson } from '../../src/format/json.ts';
import { child, line } from '../disk/helpers.ts';
import { tempFolder } from '../support/files.ts';

function run(name: string, ...args: string[]): ChildProcess {
  const started = spawn(process.execPath, [child(name), ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => {
    started.kill('SIGKILL');
  });
  return started;
}

async function killAfter(started: ChildProcess, ms: number): Promise<void> {
  await sleep(ms);
  started.kill('SIGKILL');
  if (started.exitCode === null && started.signalCode === null) await once(started, 'exit');
}

test('W4: a writer killed at any moment leaves whole lines and at most one torn; the next one mends it', async () => {
  const path = join(tempFolder(), 's.jsonl');
  let torn = 0;
  for (let round = 0; round < 150; round += 1) {
    await killAfter(run('append', path, `r${round}`, '100000', '5', '400000'), 150 + (round % 50));
    appendLines(path, [line(`after-${round}`)]);
    const entries = readSessionOf(path).entries.filter((entry) => entry.kind !== 'blank');
    const last = entries.at(-1);
    expect([last?.head.uuid, last?.line.terminated]).toEqual([`after-${round}`, true]);
    const unreadable = entries.filter((entry) => entry.kind === 'unreadable');
    torn += unreadable.length;
    expect(unreadable.length).toBeLessThanOrEqual(1);
    const own = entries.filter((entry) => entry.head.uuid?.startsWith(`r${round}-`)).map((entry) => entry.head.uuid);
    expect(own).toEqual(own.map((_, index) => `r${round}-${index}`));
    writeFileSync(path, '');
  }
  console.log(`torn lines met: ${torn}`);
});

test('a file replaced by a process killed at any moment is the old one or the new one', async () => {
  const folder = tempFolder();
  const path = join(folder, 'f');
  writeFileSync(path, '{"n":-1}\n'.repeat(5000));
  for (let round = 0; round < 100; round += 1) {
    await killAfter(run('replace', path), 100 + (round % 40));
    const rows = readFileSync(path, 'utf8').split('\n');
    expect([rows.length, new Set(rows).size]).toEqual([5001, 2]);
  }
  // What a killed process leaves behind never has the name of a session.
  expect(readdirSync(folder).filter((name) => name !== 'f' && !name.endsWith('.tmp'))).toEqual([]);
});

test.each(Array.from({ length: 30 }, (_, index) => index + 1))('E1: followed in pieces, seed %i', async (seed) => {
  const path = join(tempFolder(), 's.jsonl');
  const before = { ...io };
  run('writer', path, String(seed), '400', 'append');
  const uuids: (string | undefined)[] = [];
  for await (const event of follow(path, { pollMs: 1 + (seed % 50), watch: seed % 3 !== 0, chunkBytes: 100 * seed })) {
    if (event.type === 'entries') uuids.push(...event.entries.map((entry) => entry.head.uuid));
    if (uuids.at(-1) === 'end') break;
  }
  expect(uuids).toEqual([...Array.from({ length: 400 }, (_, index) => `0-${index}`), 'end']);
  expect(ioSince(before).bytesRead).toBe(statSync(path).size);
});

test.each(['replace', 'delete'])('L5: followed through new files (%s)', async (mode) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const path = join(tempFolder(), 's.jsonl');
    writeFileSync(path, '');
    run('writer', path, String(seed), '100', mode);
    let generation: (string | undefined)[] = [];
    for await (const event of follow(path, { pollMs: 1 + seed })) {
      if (event.type === 'entries') generation.push(...event.entries.map((entry) => entry.head.uuid));
      else generation = [];
      const own = generation.filter((uuid) => uuid !== 'end').map((uuid) => uuid?.split('-') ?? []);
      expect(own.map(([, number]) => number)).toEqual(own.map((_, index) => String(index)));
      expect(new Set(own.map(([name]) => name)).size).toBeLessThanOrEqual(1);
      if (generation.at(-1) === 'end') break;
    }
    expect(generation.length).toBe(101);
  }
});

test('W4 L5: four processes append, two follow: both get every line once', async () => {
  const path = join(tempFolder(), 's.jsonl');
  const names = ['p', 'q', 'r', 's'];
  for (const name of names) run('append', path, name, '6000', '3', '20000');
  const total = names.length * 6000;
  const followers = [{ pollMs: 500 }, { pollMs: 3, watch: false }].map(async (options) => {
    const uuids: (string | undefined)[] = [];
    for await (const event of follow(path, options)) {
      if (event.type !== 'entries') continue;
      const entries = event.entries.filter((entry) => entry.kind !== 'blank');
      uuids.push(...entries.map((entry) => entry.head.uuid));
      if (uuids.length >= total) break;
    }
    return uuids;
  });
  for (const uuids of await Promise.all(followers)) {
    for (const name of names) {
      const own = uuids.filter((uuid) => uuid?.startsWith(name));
      expect(own).toEqual(Array.from({ length: 6000 }, (_, index) => `${name}-${index}`));
    }
  }
});

function scan(path: string) {
  const { stdout, stderr } = spawnSync(process.execPath, [child('scan'), path], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return parseJson(stdout);
}

/** Lines as sessions have them: mostly small, some large. */
function fill(path: string, bytes: number): { lines: number; bytes: number } {
  const fd = openSync(path, 'w');
  const rows = Array.from({ length: 400 }, (_, index) =>
    line(`u${index}`, { fill: 'x\\é"'.repeat(index % 100 === 0 ? 60_000 : 40 + (index % 50) * 30) }),
  );
  const block = Buffer.from(`${rows.join('\n')}\n`);
  let lines = 0;
  let at = 0;
  for (; at < bytes; at += block.length) {
    writeSync(fd, block);
    lines += rows.length;
  }
  closeSync(fd);
  return { lines, bytes: at };
}

test('a file of 1 GB is scanned in 150 MB', () => {
  const path = join(tempFolder(), 's.jsonl');
  const { lines, bytes } = fill(path, 1e9);
  const result = scan(path);
  expect(result).toMatchObject({ entries: lines, unreadable: 0, bytesRead: bytes });
  console.log(result);
  expect(asNumber(at(result, 'maxRssMb'))).toBeLessThan(150);
});

test('a file over 2 GiB is scanned to its end', () => {
  const path = join(tempFolder(), 's.jsonl');
  const fd = openSync(path, 'w');
  const size = 2 ** 31 + 2 ** 28;
  ftruncateSync(fd, size);
  // Holes read as NULs: unreadable lines of 32 MB each.
  for (let offset = 2 ** 25; offset <= size; offset += 2 ** 25) writeSync(fd, '\n', offset - 1);
  writeSync(fd, `${line('last')}\n`, size);
  closeSync(fd);
  const result = scan(path);
  expect(result).toMatchObject({ entries: size / 2 ** 25 + 1, unreadable: size / 2 ** 25, last: 'last' });
});
