import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DiskError } from '../../src/disk/errors.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { copyRange, readEntriesOf, readSessionOf } from '../../src/disk/read.ts';
import { fileSource } from '../../src/disk/source.ts';
import { bytesOf, type Entry, jsonOf } from '../../src/format/entry.ts';
import { enableKernel } from '../../src/format/jsonscan.ts';
import { readSession, writeSession } from '../../src/format/session.ts';
import { decode, encode } from '../../src/format/text.ts';
import { promptTextOf, turnsOf } from '../../src/graph/turns.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../support/files.ts';
import { child, line, lines, systemError } from './helpers.ts';

function file(content: string | Uint8Array): string {
  const path = join(tempFolder(), 's.jsonl');
  writeFileSync(path, content);
  return path;
}

function facts({ line, kind, head, problem }: Entry) {
  return { line, kind, head, problem };
}

function diskErrorOf(call: () => unknown): DiskError {
  try {
    call();
  } catch (error) {
    if (error instanceof DiskError) return error;
    throw error;
  }
  throw new Error('did not fail');
}

describe('readEntriesOf', () => {
  test('E1: any chunk size gives the same entries as memory does', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r\n', '\u2028', '\0', '{', '{"type":"user"}', '[1]', ' ', '\ufeff', '🙂'),
      fc.string({ maxLength: 20 }).map((uuid) => line(uuid)),
      fc.string({ maxLength: 8, unit: 'binary' }),
    );
    const content = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map((parts) => encode(parts.join(''))),
      fc.uint8Array({ maxLength: 60 }),
    );
    const path = file('');
    fc.assert(
      fc.property(content, fc.integer({ min: 1, max: 64 }), (bytes, chunkBytes) => {
        writeFileSync(path, bytes);
        const session = readSessionOf(path, { chunkBytes });
        expect(session.entries.map(facts)).toEqual(readSession(bytes).entries.map(facts));
        expect(Buffer.from(writeSession(session))).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('E1: after many bytes, which are read to where they are scanned quickest, entries are still the same, for two readers at once', () => {
    const text = (i: number) => `${'say "no"\n\t— '.repeat(300 + (i % 50))}\u0001`;
    const all = Array.from({ length: 2000 }, (_, i) =>
      JSON.stringify({ type: 'user', uuid: `${i}`, x: text(i), cwd: text(1) }),
    );
    const bytes = encode(`${all.join('\n')}\n{"type":"user","x":"\u0001${text(0)}"}\n`);
    const path = file(bytes);
    const expected = readSession(bytes).entries.map(facts);
    expect(readSessionOf(path).entries.map(facts)).toEqual(expected);
    const [one, other] = [readEntriesOf(path), readEntriesOf(path)];
    for (const facing of expected) {
      expect([one, other].map((reader) => facts(reader.next().value))).toEqual([facing, facing]);
    }
    expect(enableKernel(0)?.some((byte) => byte !== 0)).toBe(true);
  });

  test('short prompts are kept from the reading: turns read nothing again', () => {
    const prompt = (i: number) =>
      JSON.stringify({ type: 'user', uuid: `${i}`, message: { role: 'user', content: `Do ${i}` } });
    const { entries } = readSessionOf(file(`${Array.from({ length: 20 }, (_, i) => prompt(i)).join('\n')}\n`));
    const before = { ...io };
    expect(turnsOf(entries).map(promptTextOf)).toEqual(Array.from({ length: 20 }, (_, i) => `Do ${i}`));
    expect(ioSince(before)).toMatchObject({ opens: 0, bytesRead: 0 });
  });

  test('E1: recorded transcripts come out byte for byte, payloads during and after the scan', () => {
    for (const path of transcriptsBelow(join(FIXTURES, 'recorded/2.1.325'))) {
      const scan = readEntriesOf(path, { chunkBytes: 5000 });
      const during = Array.from(scan, (entry) => ({ entry, json: jsonOf(entry) }));
      for (const { entry, json } of during) expect(jsonOf(entry)).toEqual(json);
    }
  });

  test('each byte is read once, in one open, also when payloads are asked for during the scan', () => {
    const path = file(lines(...Array.from({ length: 1000 }, (_, index) => `u${index}`)));
    const before = { ...io };
    let payload = 0;
    for (const entry of readEntriesOf(path)) payload += jsonOf(entry) === undefined ? 0 : bytesOf(entry).length + 1;
    expect(ioSince(before)).toMatchObject({ opens: 1, bytesRead: payload });
  });

  test('from and to', () => {
    const path = file(lines('a', 'b', 'c'));
    const [, b, c] = readSessionOf(path).entries;
    const at = b?.line.start ?? 0;
    const rest = [...readEntriesOf(path, { from: { offset: at, number: 2 } })];
    expect(rest.map(({ line, head }) => [line.number, head.uuid])).toEqual([
      [2, 'b'],
      [3, 'c'],
    ]);
    const cut = [...readEntriesOf(path, { to: (c?.line.start ?? 0) + 5 })];
    expect(cut.map(({ kind, line }) => [kind, line.terminated])).toEqual([
      ['user', true],
      ['user', true],
      ['unreadable', false],
    ]);
    expect([...readEntriesOf(path, { from: { offset: 1e6, number: 9 } })]).toEqual([]);
    expect([...readEntriesOf(path, { from: { offset: at, number: 2 }, to: 3 })]).toEqual([]);
  });

  test('L6: an empty file has no entries', () => {
    expect(readSessionOf(file('')).entries).toEqual([]);
  });

  test('what is appended during the scan is read, too', () => {
    const path = file(lines('a', 'b'));
    const seen: (string | undefined)[] = [];
    for (const { head } of readEntriesOf(path, { chunkBytes: 10 })) {
      if (seen.length === 0) appendFileSync(path, lines('c'));
      seen.push(head.uuid);
    }
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  test('an abandoned scan and thousands of sources keep few files open', () => {
    const path = file(lines('a', 'b'));
    const openFiles = () => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);
    const before = openFiles();
    const entries = Array.from({ length: 3000 }, () => readEntriesOf(path, { chunkBytes: 10 }).next().value);
    expect(entries.every((entry) => entry && jsonOf(entry)?.uuid === 'a')).toBe(true);
    expect(openFiles() - before).toBeLessThan(50);
  });

  test('errors say what, where and next', () => {
    const folder = tempFolder();
    const gone = diskErrorOf(() => readSessionOf(join(folder, 'gone.jsonl')));
    expect(gone).toMatchObject({ code: 'ENOENT', where: join(folder, 'gone.jsonl') });
    expect(gone.what).toContain('no such file');
    expect(gone.next).not.toBe('');
    expect(diskErrorOf(() => readSessionOf(folder)).what).toContain('folder');
    expect(diskErrorOf(() => readSessionOf('/dev/null')).what).toContain('not a file');
    expect(diskErrorOf(() => readSessionOf(join(file(''), 'x'))).code).toBe('ENOTDIR');
  });

  test.skipIf(process.platform === 'win32')('a named pipe is refused, not waited for', () => {
    const pipe = join(tempFolder(), 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    expect(diskErrorOf(() => readSessionOf(pipe)).what).toContain('pipe');
  });
});

describe('fileSource', () => {
  test('bytes past the end are left out', () => {
    const source = fileSource(file('0123456789'));
    expect(decode(source.read(8, 20))).toBe('89');
    expect(source.read(10, 20).length).toBe(0);
    expect(source.read(100, 120).length).toBe(0);
    expect(source.read(5, 3).length).toBe(0);
    expect(source.read(5, 1e15).length).toBe(5);
  });

  test('a file truncated after the scan gives fewer bytes, and no exception', () => {
    const path = file(lines('a', 'b'));
    const [a, b] = readSessionOf(path).entries;
    truncateSync(path, 20);
    expect(a && bytesOf(a).length).toBe(20);
    expect(b && bytesOf(b).length).toBe(0);
    expect(a && jsonOf(a)).toBeUndefined();
  });

  test('a file that is gone or was replaced is an error, not the bytes of another', () => {
    const path = file(lines('a'));
    const [entry] = readSessionOf(path).entries;
    writeFileSync(`${path}.new`, lines('b'));
    renameSync(`${path}.new`, path);
    expect(diskErrorOf(() => entry && bytesOf(entry)).what).toContain('replaced');
    rmSync(path);
    expect(diskErrorOf(() => entry && bytesOf(entry)).code).toBe('ENOENT');
  });

  test('what is read stays, whatever the scan does next', () => {
    const path = file(lines('a', 'b', 'c'));
    const kept = Array.from(readEntriesOf(path, { chunkBytes: 80 }), (entry) => bytesOf(entry));
    expect(kept.map((bytes) => decode(bytes))).toEqual(['a', 'b', 'c'].map((uuid) => line(uuid)));
  });

  test('offsets over 2 GiB', async () => {
    const path = file('');
    const far = 2 ** 31 + 12_345;
    const handle = await open(path, 'r+');
    await handle.write(`\n${lines('far', 'farther')}`, far - 1);
    await handle.close();
    const entries = [...readEntriesOf(path, { from: { offset: far, number: 7 } })];
    expect(entries.map(({ line, head }) => [line.number, head.uuid])).toEqual([
      [7, 'far'],
      [8, 'farther'],
    ]);
    expect(entries.map((entry) => jsonOf(entry)?.uuid)).toEqual(['far', 'farther']);
  });
});

describe('copyRange', () => {
  /** Keeps what it gets, slowly: every chunk waits for the loop to turn. */
  function slowSink(): { sink: Writable; bytes: () => Buffer; most: () => number } {
    const parts: Buffer[] = [];
    let most = 0;
    const sink = new Writable({
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        most = Math.max(most, sink.writableLength);
        setImmediate(() => {
          parts.push(Buffer.from(chunk));
          done();
        });
      },
    });
    return { sink, bytes: () => Buffer.concat(parts), most: () => most };
  }

  test('gives the bytes as they are, one chunk at a time', async () => {
    const content = Buffer.alloc(3_500_000);
    for (let index = 0; index < content.length; index += 1) content[index] = (index * 31) & 255;
    const path = file(content);
    const { sink, bytes, most } = slowSink();
    expect(await copyRange(path, sink)).toEqual({ bytes: content.length, closed: false });
    expect(bytes().equals(content)).toBe(true);
    expect(most()).toBeLessThanOrEqual(1 << 20);
    const part = slowSink();
    await copyRange(path, part.sink, { from: 1_000_000, to: 2_500_001 });
    expect(part.bytes().equals(content.subarray(1_000_000, 2_500_001))).toBe(true);
  });

  test('a reader that goes away ends the copy without an error', async () => {
    const path = file(Buffer.alloc(5_000_000));
    const pipe = new PassThrough();
    pipe.once('data', () => pipe.destroy());
    expect((await copyRange(path, pipe)).closed).toBe(true);
    expect(await copyRange(path, pipe)).toEqual({ bytes: 0, closed: true });
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(systemError('EPIPE')) });
    expect((await copyRange(path, broken)).closed).toBe(true);
  });

  test.skipIf(process.platform === 'win32')('a closed pipe of another process ends it quietly', () => {
    const path = file(Buffer.alloc(5_000_000, 'x'));
    const command = 'set -o pipefail; "$0" "$@" | head -c 10';
    const { stdout, stderr, status } = spawnSync('bash', ['-c', command, process.execPath, child('cat'), path]);
    expect([stdout.toString(), stderr.toString(), status]).toEqual(['xxxxxxxxxx', '', 0]);
  });

  test('a failing writer or file is an error', async () => {
    const full = new Writable({ write: (_chunk, _encoding, done) => done(systemError('ENOSPC')) });
    await expect(copyRange(file('x'), full)).rejects.toMatchObject({ code: 'ENOSPC', name: 'DiskError' });
    const folder = join(tempFolder(), 'f');
    mkdirSync(folder);
    await expect(copyRange(folder, new PassThrough())).rejects.toBeInstanceOf(DiskError);
  });
});
