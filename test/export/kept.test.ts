/** What is kept on disk: locks, the ledger, the queue. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Holding } from '../../src/export/otlp/holding.ts';
import { openLedger, type Piece } from '../../src/export/otlp/ledger.ts';
import { acquire } from '../../src/export/otlp/lock.ts';
import { sizeOf } from '../../src/export/otlp/parcel.ts';
import { openQueue } from '../../src/export/otlp/queue.ts';
import { tempFolder } from '../support/files.ts';

const piece = (n: number, part = 1, of = 1): Piece => ({
  traceId: n.toString(16).padStart(32, '0'),
  mark: 'm1',
  part,
  of,
});

test('a lock is held by one, given back, and not waited for longer than said', async () => {
  const folder = join(tempFolder(), 'locks');
  const release = await acquire(folder, ['b', 'a']);
  expect(readdirSync(folder).sort()).toEqual(['a.lock', 'b.lock']);
  expect(statSync(join(folder, 'a.lock')).mode & 0o777).toBe(0o600);
  expect(await acquire(folder, ['c', 'a'], { waitMs: 60 })).toBeUndefined();
  // Whoever gets only some of them keeps none.
  expect(readdirSync(folder)).not.toContain('c.lock');
  const waiting = acquire(folder, ['a'], { waitMs: 5000 });
  release?.();
  (await waiting)?.();
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock whose process is gone, or is another one by now, is taken; that of a living process is not', async () => {
  const folder = tempFolder();
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  writeFileSync(join(folder, 'a.lock'), `${pid} ?\n`);
  expect(await acquire(folder, ['a'])).toBeUndefined();
  writeFileSync(join(folder, 'b.lock'), `${pid} 1@gone\n`);
  expect(await acquire(folder, ['b'])).toBeDefined();
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await acquire(folder, ['a'])).toBeDefined();
  writeFileSync(join(folder, 'c.lock'), '');
  expect(await acquire(folder, ['c'])).toBeDefined();
});

test('many at once: one at a time', async () => {
  const folder = tempFolder();
  let inside = 0;
  const one = async () => {
    const release = await acquire(folder, ['a'], { waitMs: 20_000 });
    inside += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 2));
    inside -= 1;
    release?.();
  };
  await Promise.all(Array.from({ length: 12 }, one));
});

test('the ledger knows what was taken, in whole or in parts, after a line was cut off, and again when opened', () => {
  const [folder, queue] = [join(tempFolder(), 'sent'), tempFolder()];
  const ledger = openLedger(folder, queue);
  ledger.accept([piece(1), piece(2, 1, 2)]);
  expect([ledger.isSent(piece(1).traceId, 'm1'), ledger.isSent(piece(1).traceId, 'm2')]).toEqual([true, false]);
  expect(ledger.isSent(piece(2).traceId, 'm1')).toBe(false);
  expect(ledger.stateOf(piece(2, 1, 2))).toBe('accepted');
  const [shard = ''] = readdirSync(folder);
  appendFileSync(join(folder, shard), `${piece(3).traceId} m`);
  const again = openLedger(folder, queue);
  expect(again.stateOf(piece(3))).toBe('new');
  again.accept([piece(2, 2, 2)]);
  const last = openLedger(folder, queue);
  expect([last.isSent(piece(1).traceId, 'm1'), last.isSent(piece(2).traceId, 'm1')]).toEqual([true, true]);
  expect(statSync(join(folder, shard)).mode & 0o777).toBe(0o600);
});

test('what another process noted is seen when the ledger is looked at again, also beside lines of its own', () => {
  const [folder, queue] = [join(tempFolder(), 'sent'), tempFolder()];
  const [own, other] = [openLedger(folder, queue), openLedger(folder, queue)];
  own.accept([piece(1)]);
  other.accept([piece(2)]);
  expect(own.isSent(piece(2).traceId, 'm1')).toBe(false);
  own.lookAgain();
  expect([1, 2].map((n) => own.isSent(piece(n).traceId, 'm1'))).toEqual([true, true]);
});

test('the size of a request is counted in bytes', () => {
  expect(sizeOf({ ...piece(1), sessions: [], spans: ['"a"', '"漢字"'] })).toEqual({ spans: 2, bytes: 11 });
});

test('H1: a turn that was sent with more in it is sent; one that has grown since is not', () => {
  const home = tempFolder();
  const ledger = openLedger(join(home, 'ledger'), join(home, 'queue'));
  const { traceId } = piece(1);
  ledger.accept([{ traceId, mark: '8-aa', part: 1, of: 1 }]);
  expect(ledger.isSent(traceId, '8-aa')).toBe(true);
  expect(ledger.isSent(traceId, '5-bb')).toBe(true);
  expect(ledger.isSent(traceId, '9-cc')).toBe(false);
  ledger.accept([{ traceId, mark: '12-dd', part: 1, of: 2 }]);
  expect(ledger.isSent(traceId, '11-ee')).toBe(false);
});

test('what waits in a file of the queue is queued as long as that file is there', () => {
  const [folder, home] = [tempFolder(), join(tempFolder(), 'a folder with spaces')];
  const ledger = openLedger(folder, home);
  const queue = openQueue(home, 'otlp-1');
  const file = queue.put([{ ...piece(1), sessions: [], spans: ['{}'] }]) ?? '';
  ledger.queue([piece(1)], file);
  expect(openLedger(folder, home).stateOf(piece(1))).toBe('queued');
  expect(queue.take(file)).toEqual([{ ...piece(1), sessions: [], spans: ['{}'] }]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  queue.remove(file);
  expect(openLedger(folder, home).stateOf(piece(1))).toBe('new');
});

test('a file of the queue is for runs that send as much or more; for others its turns are new', () => {
  const [folder, home] = [tempFolder(), tempFolder()];
  const open = (holding: Holding) => openQueue(home, 'otlp-1', undefined, holding);
  const made: Holding[] = [{ content: false }, {}, { thinking: true }, { revealed: true }];
  const files = made.map((holding, n) => open(holding).put([{ ...piece(n), sessions: [], spans: ['{}'] }]) ?? '');
  const ours = (holding: Holding) => files.map((file) => open(holding).isOurs(file));
  expect(ours({ content: false })).toEqual([true, false, false, false]);
  expect(ours({})).toEqual([true, true, false, false]);
  expect(ours({ thinking: true })).toEqual([true, true, true, false]);
  expect(ours({ revealed: true })).toEqual([true, true, false, true]);
  expect(open({}).list()).toEqual(files);
  // As older versions named them: with content, masked.
  expect(open({}).isOurs('1-2-3.otlp-1.gz')).toBe(true);
  expect(open({ content: false }).isOurs('1-2-3.otlp-1.gz')).toBe(false);
  const ledger = openLedger(folder, home, open({ content: false }).isOurs);
  ledger.queue([piece(1)], files[1] ?? '');
  expect([ledger.stateOf(piece(1)), openLedger(folder, home).stateOf(piece(1))]).toEqual(['new', 'queued']);
});

test('the queue is bounded, oldest first, of its endpoint; a file that cannot be read is put aside', () => {
  const folder = join(tempFolder(), 'queue');
  const queue = openQueue(folder, 'otlp-1', 600);
  const files = [1, 2].map((n) => queue.put([{ ...piece(n), sessions: [], spans: ['{}'] }]));
  expect(queue.list()).toEqual(files);
  expect(openQueue(folder, 'otlp-2').list()).toEqual([]);
  const noise = Array.from({ length: 900 }, () => Math.random().toString(36)).join('');
  expect(queue.put([{ ...piece(3), sessions: [], spans: [JSON.stringify(noise)] }])).toBeUndefined();
  mkdirSync(folder, { recursive: true });
  writeFileSync(files[0] ?? '', 'not gzip');
  expect(queue.take(files[0] ?? '')).toBeUndefined();
  expect(queue.list()).toEqual([files[1]]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.unreadable'))).toHaveLength(1);
  expect(readFileSync(`${files[0]}.unreadable`, 'utf8')).toBe('not gzip');
});
