/** L4: copies of files as the newest client keeps them, and which of them a rewind brings back. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bringCopies, copyName } from '../../../src/agent/history/copies.ts';
import { expectedFiles } from '../../../src/agent/history/expected.ts';
import { createFileHistory } from '../../../src/agent/history/history.ts';
import { filesBefore, historyOf } from '../../../src/agent/history/plan.ts';
import { stepsTo, takeStep } from '../../../src/agent/history/rewind.ts';
import { io, ioSince } from '../../../src/disk/io.ts';
import { readSessionOf } from '../../../src/disk/read.ts';
import { asObject, asString, type JsonObject, at as valueAt } from '../../../src/format/json.ts';
import { entriesOf } from '../../support/build.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../../support/files.ts';

function withHistory(most?: { bytes: number; files: number }) {
  const root = realpathSync(tempFolder());
  const config = tempFolder();
  const lines: JsonObject[] = [];
  const said: string[] = [];
  const options = {
    config,
    sessionId: 's1',
    root,
    line: (value: JsonObject) => lines.push(value),
    say: (words: string) => said.push(words),
    now: () => new Date('2026-01-02T03:04:05.678Z'),
    ...(most && { most }),
  };
  const at = (name: string) => join(root, name);
  return {
    root,
    config,
    lines,
    said,
    at,
    folder: join(config, 'file-history', 's1'),
    history: createFileHistory(options),
    /** As after a restart. */
    resumed: () => createFileHistory({ ...options, history: historyOf(entriesOf(lines)) }),
    put(name: string, text: string) {
      mkdirSync(join(at(name), '..'), { recursive: true });
      writeFileSync(at(name), text);
      return at(name);
    },
    rewind(prompt: string) {
      const steps = stepsTo(historyOf(entriesOf(lines)), prompt, { config, sessionId: 's1', root }) ?? [];
      for (const step of steps) takeStep(step);
      return steps;
    },
  };
}

describe('what is written', () => {
  test('a snapshot at a prompt, a line for each file first touched after it, in the recorded form', () => {
    const { history, lines, root, put, folder } = withHistory();
    const backupTime = '2026-01-02T03:04:05.678Z';
    history.beforePrompt('p1');
    history.backup(join(root, 'new.txt'), 'm1');
    const path = put('sub/old.txt', 'old\n');
    history.backup(path, 'm2');
    history.backup(path, 'm3');
    put('new.txt', 'made\n');
    put('sub/old.txt', 'now\n');
    history.beforePrompt('p2');
    history.backup(path, 'm4');
    const name = copyName(path, 1);
    const sub = { realParentDir: join(root, 'sub'), backupTime };
    expect(lines).toEqual([
      {
        type: 'file-history-snapshot',
        messageId: 'p1',
        snapshot: { messageId: 'p1', trackedFileBackups: {}, timestamp: backupTime },
        isSnapshotUpdate: false,
      },
      {
        type: 'file-history-delta',
        messageId: 'm1',
        snapshotMessageId: 'p1',
        trackingPath: 'new.txt',
        backup: { backupFileName: null, version: 1, backupTime, realParentDir: root },
        timestamp: backupTime,
      },
      {
        type: 'file-history-delta',
        messageId: 'm2',
        snapshotMessageId: 'p1',
        trackingPath: 'sub/old.txt',
        backup: { backupFileName: name, version: 1, ...sub },
        timestamp: backupTime,
      },
      {
        type: 'file-history-snapshot',
        messageId: 'p2',
        snapshot: {
          messageId: 'p2',
          trackedFileBackups: {
            'new.txt': {
              backupFileName: copyName(join(root, 'new.txt'), 2),
              version: 2,
              backupTime,
              realParentDir: root,
            },
            'sub/old.txt': { backupFileName: copyName(path, 2), version: 2, ...sub },
          },
          timestamp: backupTime,
        },
        isSnapshotUpdate: false,
      },
    ]);
    expect(readFileSync(join(folder, name), 'utf8')).toBe('old\n');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('the name of a copy is that of the client: the path’s digest and the version', () => {
    expect(copyName('/work/app/a.txt', 3)).toBe('512c1513ffe36d13@v3');
  });

  test('nothing new is copied, nor read, of files that did not change; a removed one is told', () => {
    const { history, put, lines, folder, at } = withHistory();
    history.beforePrompt('p1');
    history.backup(put('a.txt', 'a\n'), 'm1');
    history.beforePrompt('p2');
    const before = { ...io };
    history.beforePrompt('p3');
    expect(ioSince(before)).toMatchObject({ opens: 0, bytesRead: 0 });
    expect(readdirSync(folder)).toHaveLength(1);
    unlinkSync(at('a.txt'));
    history.beforePrompt('p4');
    history.beforePrompt('p5');
    const last = asObject(valueAt(lines.at(-1), 'snapshot', 'trackedFileBackups', 'a.txt'));
    expect([last?.backupFileName, last?.version]).toEqual([null, 2]);
  });

  test('after a resume it goes on where it was, whatever copies lie there without a line', () => {
    const { history, resumed, put, lines, folder } = withHistory();
    history.beforePrompt('p1');
    const path = put('a.txt', 'one\n');
    history.backup(path, 'm1');
    put('a.txt', 'two\n');
    // Of a client that was killed before it wrote its line.
    writeFileSync(join(folder, copyName(path, 2)), 'lost\n');
    resumed().beforePrompt('p2');
    expect(valueAt(lines.at(-1), 'snapshot', 'trackedFileBackups', 'a.txt', 'version')).toBe(3);
    expect(readFileSync(join(folder, copyName(path, 3)), 'utf8')).toBe('two\n');
    resumed().beforePrompt('p3');
    expect(valueAt(lines.at(-1), 'snapshot', 'trackedFileBackups', 'a.txt', 'version')).toBe(3);
  });

  test('too large, too many, or a disk that refuses: told once, and work goes on', () => {
    const { history, put, said, lines, config } = withHistory({ bytes: 10, files: 1 });
    history.beforePrompt('p1');
    const large = put('large.txt', 'x'.repeat(11));
    history.backup(large, 'm1');
    history.backup(large, 'm2');
    history.backup(put('a.txt', 'a'), 'm3');
    history.backup(put('b.txt', 'b'), 'm4');
    expect(said).toEqual([
      expect.stringMatching(/large\.txt is not kept for a rewind: it has more than/),
      expect.stringMatching(/b\.txt is not kept for a rewind: 1 files are kept already/),
    ]);
    expect(lines.filter(({ type }) => type === 'file-history-delta')).toHaveLength(1);
    rmSync(join(config, 'file-history'), { recursive: true });
    writeFileSync(join(config, 'file-history'), 'in the way');
    put('a.txt', 'changed');
    history.beforePrompt('p2');
    expect(said.at(-1)).toMatch(/a\.txt is not kept for a rewind: cannot/);
  });
});

describe('what a rewind brings back', () => {
  test('contents and modes; what was made is removed, what was removed is there', () => {
    const { history, put, at, rewind } = withHistory();
    put('run.sh', 'one\n');
    chmodSync(at('run.sh'), 0o755);
    put('deep/er/gone.txt', 'here\n');
    history.beforePrompt('p1');
    for (const name of ['run.sh', 'made.txt', 'deep/er/gone.txt']) history.backup(at(name), 'm1');
    put('run.sh', 'two\n');
    chmodSync(at('run.sh'), 0o644);
    put('made.txt', 'made\n');
    rmSync(at('deep'), { recursive: true });
    history.beforePrompt('p2');
    history.backup(put('later.txt', 'later\n'), 'm2');
    put('later.txt', 'changed\n');
    expect(rewind('p1').map(({ change }) => change)).toEqual(['restore', 'remove', 'restore', 'restore']);
    expect(readFileSync(at('run.sh'), 'utf8')).toBe('one\n');
    expect(statSync(at('run.sh')).mode & 0o777).toBe(0o755);
    expect(existsSync(at('made.txt'))).toBe(false);
    expect(readFileSync(at('deep/er/gone.txt'), 'utf8')).toBe('here\n');
    expect(readFileSync(at('later.txt'), 'utf8')).toBe('later\n');
    expect(rewind('p1').every(({ change }) => change === 'none')).toBe(true);
  });

  test('any sequence of prompts and changes: before each prompt the files are as they were', () => {
    const step = fc.oneof(
      fc.constant({ kind: 'prompt' as const }),
      fc.record({
        kind: fc.constant('write' as const),
        name: fc.constantFrom('a', 'b', 'd/c'),
        text: fc.constantFrom('1', '2', '3'),
      }),
      fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'd/c') }),
      fc.constant({ kind: 'restart' as const }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        const { put, at, rewind, resumed, history: first } = withHistory();
        put('a', '0');
        const now = () =>
          ['a', 'b', 'd/c'].map((name) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : null));
        const were: [string, ReturnType<typeof now>][] = [];
        let history = first;
        const prompt = () => {
          were.push([`p${were.length}`, now()]);
          history.beforePrompt(`p${were.length - 1}`);
        };
        prompt();
        for (const each of steps) {
          if (each.kind === 'prompt') prompt();
          else if (each.kind === 'restart') history = resumed();
          else {
            history.backup(at(each.name), 'm');
            if (each.kind === 'write') put(each.name, each.text);
            else rmSync(at(each.name), { force: true });
          }
        }
        for (const [id, files] of were.toReversed()) {
          rewind(id);
          expect(now()).toEqual(files);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('a fork has copies of its own', () => {
    const { history, put, config, folder } = withHistory();
    history.beforePrompt('p1');
    history.backup(put('a.txt', 'a'), 'm1');
    expect([
      bringCopies(config, 's1', 's2'),
      bringCopies(config, 's1', 's2'),
      bringCopies(config, 'none', 's2'),
    ]).toEqual([1, 0, 0]);
    expect(readdirSync(join(config, 'file-history', 's2'))).toEqual(readdirSync(folder));
  });

  test('copies that are gone, and names that lead elsewhere, are lost', () => {
    const { history, put, rewind, folder, lines } = withHistory();
    history.beforePrompt('p1');
    history.backup(put('a.txt', 'a'), 'm1');
    put('a.txt', 'b');
    rmSync(folder, { recursive: true });
    expect(rewind('p1')).toMatchObject([{ change: 'lost' }]);
    const backup = asObject(lines.at(-1)?.backup) ?? {};
    lines.push({
      ...lines.at(-1),
      snapshotMessageId: 'p9',
      backup: { ...backup, backupFileName: '../../../etc/passwd' },
    });
    expect(rewind('p9')).toMatchObject([{ change: 'lost' }]);
  });
});

describe('what either client wrote is understood', () => {
  const recorded = transcriptsBelow(FIXTURES).filter((file) => /k-(?:interactive|perm)/.test(file));

  test('recordings: every copy that is named lies there under that name, and every prompt has its files', () => {
    let copies = 0;
    for (const file of recorded) {
      const { entries } = readSessionOf(file);
      const history = historyOf(entries);
      const folder = join(file, '..', '..', '..', 'file-history', file.replace(/.*\/|\.jsonl$/g, ''));
      for (const { messageId, files } of history.snapshots.values()) {
        expect(filesBefore(history, messageId)?.size).toBeGreaterThanOrEqual(files.size);
        for (const { backupFileName } of files.values()) {
          if (typeof backupFileName !== 'string' || !existsSync(folder)) continue;
          expect(existsSync(join(folder, backupFileName))).toBe(true);
          copies += 1;
        }
      }
    }
    expect(recorded.length).toBeGreaterThan(3);
    expect(copies).toBeGreaterThan(10);
  });

  test('what a tool wrote last is known from its result', async () => {
    const file = recorded.find((each) => each.includes('2.1.325') && each.includes('50abf700'));
    if (file === undefined) throw new Error('the recording is missing');
    const expected = await expectedFiles(readSessionOf(file).entries, '/home/dev/ws/2.1.325/k-interactive');
    const one = expected.get('/home/dev/ws/2.1.325/k-interactive/one.txt');
    expect(one?.kind === 'copy' ? asString(one.backup.backupFileName ?? undefined) : one).toBe('c1c483b771a7fcdf@v3');
  });
});
