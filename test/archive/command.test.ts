import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, at } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { type Ran, skein, startSkein } from '../support/skein.ts';
import { contentOf, entry, FORK, PLACE, rootOf, SESSION } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;

function machine(files: Record<string, string> = { [NAME]: entry('a') }) {
  const root = rootOf(files);
  const home = tempFolder();
  const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'kept') };
  const archive = (...args: string[]): Ran => skein(['archive', ...args], { env, home });
  return { root, home, env, archive };
}

test('sync, delete, restore', () => {
  const { root, archive } = machine({ [NAME]: entry('a'), 'history.jsonl': 'x\n' });
  const before = contentOf(root);
  const first = archive('sync');
  expect([first.code, first.err, first.text]).toEqual([0, '', expect.stringContaining('2 files, 2 new')]);
  expect(archive('sync').text).toContain('nothing new');
  expect(archive('sync', '--json').json()).toMatchObject({ files: 2, unchanged: 2, added: 0, bytes: 0, problems: [] });
  rmSync(join(root, 'projects'), { recursive: true });
  rmSync(join(root, 'history.jsonl'));
  const restored = archive('restore', '--all', '--json');
  expect([restored.code, at(restored.json(), 'files')]).toMatchObject([
    0,
    [{ outcome: 'restored' }, { outcome: 'restored' }],
  ]);
  expect([...contentOf(root)].map(([name, { bytes }]) => [name, bytes])).toEqual(
    [...before].map(([name, { bytes }]) => [name, bytes]),
  );
  expect(archive('verify').text).toContain('whole: 2 files');
  expect(archive('verify', '--json').json()).toMatchObject({ ok: true, files: 2, faults: [] });
});

test('restore of one session elsewhere; what differs stays', () => {
  const { root, archive } = machine({ [NAME]: entry('a'), [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) });
  archive('sync');
  const to = tempFolder();
  expect(archive('restore', FORK.slice(0, 8), '--to', to).text).toContain('1 file restored');
  expect([...contentOf(to).keys()]).toEqual([`${PLACE}/${FORK}.jsonl`]);
  writeFileSync(join(root, NAME), 'mine');
  const kept = archive('restore', SESSION);
  expect([kept.code, kept.text]).toEqual([1, expect.stringContaining('--force')]);
  expect(readFileSync(join(root, NAME), 'utf8')).toBe('mine');
  expect(archive('restore', SESSION, '--force').code).toBe(0);
  expect(archive('restore', 'project:/work/app', '--json').code).toBe(0);
});

describe('status', () => {
  test('without an archive', () => {
    const { archive, env } = machine();
    const { code, text } = archive();
    expect([code, text]).toEqual([0, expect.stringContaining('no archive yet')]);
    expect(existsSync(env.SKEIN_HOME)).toBe(false);
  });

  test('what the client deletes next, and how to keep it', () => {
    const { root, archive } = machine();
    writeFileSync(join(root, 'settings.json'), '{"cleanupPeriodDays": 12}');
    archive('sync');
    appendFileSync(join(root, NAME), entry('b'));
    const { text } = archive('status');
    expect(text).toContain('1 session');
    expect(text).toContain('not archived');
    expect(text).toContain('cleanupPeriodDays is 12');
    const json = archive('status', '--json').json();
    const due = new Date(statSync(join(root, NAME)).mtimeMs + 12 * 86_400_000).toISOString();
    expect(json).toMatchObject({
      archive: { sessions: 1, files: 1, versions: 1 },
      onDisk: { archived: 0, waiting: 1, gone: 0 },
      cleanup: [{ days: 12, from: 'settings' }],
      deletions: [{ session: SESSION, at: due, archived: false }],
    });
  });

  test('each deletion is told on one line of a terminal, by the end of its path', () => {
    const { env, home, archive } = machine();
    archive('sync');
    const { text } = skein(['archive', 'status'], { env: { ...env, COLUMNS: '80' }, home });
    const line = text.split('\n').find((each) => each.includes('.jsonl'));
    expect(line).toMatch(new RegExp(`…\\S*${SESSION.slice(-12)}\\.jsonl {2}archived$`));
    expect(line?.length).toBeLessThanOrEqual(80);
  });

  test('a name with a new line in it is told on one', () => {
    const { archive } = machine({ [`${PLACE}/a\nb.jsonl`]: entry('a') });
    archive('sync');
    expect(archive('status').text).toMatch(/a b\.jsonl {2}archived/);
  });

  test('the default of the client, and what is only in the archive', () => {
    const { root, archive } = machine({ [NAME]: entry('a'), [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) });
    archive('sync');
    rmSync(join(root, NAME));
    expect(archive('status', '--json').json()).toMatchObject({
      onDisk: { archived: 1, waiting: 0, gone: 1 },
      cleanup: [{ days: 30, from: 'default' }],
    });
  });

  test("another machine's files are only in the archive, until they lie here", () => {
    const [one, two] = [machine({ [NAME]: entry('a'), 'plans/p.md': 'p' }), machine({ 'plans/q.md': 'q' })];
    const file = join(tempFolder(), 'a.db');
    one.archive('sync');
    one.archive('export', file);
    two.archive('sync');
    two.archive('import', file);
    expect(two.archive('status', '--json').json()).toMatchObject({ onDisk: { archived: 1, waiting: 0, gone: 2 } });
    expect(two.archive('status').text).toContain('2 more only in the archive');
    two.archive('restore', SESSION, '--to', two.root);
    two.archive('sync');
    expect(two.archive('status', '--json').json()).toMatchObject({ onDisk: { archived: 2, waiting: 0, gone: 1 } });
  });
});

test('forget asks first', () => {
  const { archive } = machine();
  archive('sync');
  const asked = archive('forget', SESSION);
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining('--yes')]);
  expect(archive('forget', SESSION, '--yes', '--json').json()).toMatchObject({ files: 1, sessions: [SESSION] });
  expect(archive('sync', '--json').json()).toMatchObject({ forgotten: 1, added: 0 });
  expect(archive('restore', SESSION).code).toBe(1);
  const status = archive('status').text;
  expect(status).toContain('skein archive forget --undo');
  expect(status).toMatch(/0 not yet, 1 forgotten;.*\.jsonl {2}forgotten\n/s);
  expect(archive('status', '--json').json()).toMatchObject({ onDisk: { waiting: 0, forgotten: 1 } });
  expect(archive('status', '--json').json()).toMatchObject({ forgotten: [{ what: `session:${SESSION}` }] });
  expect(archive('forget', '--undo').code).toBe(2);
  expect(archive('forget', 'nothing', '--undo').err).toContain('Nothing forgotten fits');
  expect(archive('forget', SESSION.slice(0, 6), '--undo', '--json').json()).toMatchObject({
    lifted: [{ what: `session:${SESSION}` }],
  });
  expect(archive('sync', '--json').json()).toMatchObject({ forgotten: 0, added: 1 });
});

test('export and import', () => {
  const [one, two] = [machine(), machine({ [NAME]: entry('z'), 'plans/p.md': 'p' })];
  one.archive('sync');
  two.archive('sync');
  const file = join(tempFolder(), 'a.db');
  expect(one.archive('export', file).code).toBe(0);
  expect([one.archive('export', file).code, one.archive('export', file, '--force').code]).toEqual([1, 0]);
  expect(two.archive('import', file, '--json').json()).toMatchObject({ files: 1, added: 1 });
  expect(two.archive('import', file, '--json').json()).toMatchObject({ files: 1, added: 0, known: 1 });
  expect(two.archive('verify').code).toBe(0);
  expect(two.archive('status', '--json').json()).toMatchObject({ archive: { files: 3, machines: 2 } });
});

test('the index is made by sync, and made again when asked', () => {
  const { archive, env } = machine();
  archive('sync');
  expect(existsSync(join(env.SKEIN_HOME, 'index.db'))).toBe(true);
  rmSync(join(env.SKEIN_HOME, 'index.db'));
  expect(archive('rebuild', '--json').json()).toMatchObject({ lines: 1 });
  expect(archive('rebuild').text).toContain('1 line indexed');
  expect(archive('verify').code).toBe(0);
});

describe('a session is named as everywhere else', () => {
  const OLDER = entry('a', SESSION, 'Mend the zebra').replace('{', '{"timestamp":"2026-01-01T10:00:00Z",');
  const NEWER = entry('b', FORK, 'Paint the zebra').replace('{', '{"timestamp":"2026-02-02T10:00:00Z",');

  /** The file of the session in which something was said last is the older one. */
  function two() {
    const made = machine({ [NAME]: OLDER, [`${PLACE}/${FORK}.jsonl`]: NEWER });
    utimesSync(join(made.root, `${PLACE}/${FORK}.jsonl`), 1_700_000_000, 1_700_000_000);
    made.archive('sync');
    const chosen = (...args: string[]) => {
      const files = asArray(at(made.archive('versions', ...args, '--json').json(), 'files')) ?? [];
      return files.map((file) => at(file, 'session'));
    };
    return { ...made, chosen };
  }

  test('@last is where something was said last, whatever the times of files say, on disk or gone', () => {
    const { root, archive, env, home, chosen } = two();
    const shown = () => at(skein(['show', '@last', '--json'], { env, home }).json(), 'chat', 'id');
    expect([shown(), chosen('@last'), chosen('@last~1')]).toEqual([FORK, [FORK], [SESSION]]);
    rmSync(join(root, 'projects'), { recursive: true });
    expect([shown(), chosen('@last'), chosen('@last~1')]).toEqual([FORK, [FORK], [SESSION]]);
    expect(at(archive('forget', '@last', '--yes', '--json').json(), 'sessions')).toEqual([FORK]);
    expect(archive('versions', '@first').err).toContain('"@first" is not a selector');
  });

  test('words of a title; several that fit are a question', () => {
    const { root, archive, chosen } = two();
    rmSync(join(root, 'projects'), { recursive: true });
    expect(chosen('mend zebra')).toEqual([SESSION]);
    const several = archive('forget', 'zebra', '--yes');
    expect([several.code, several.err]).toEqual([1, expect.stringContaining('fits 2 archived sessions')]);
    expect(archive('restore', 'paint', '--json').json()).toMatchObject({
      files: [{ session: FORK, outcome: 'restored' }],
    });
    expect(archive('restore', 'giraffe').err).toContain('Nothing archived fits "giraffe"');
  });

  test('what is not archived yet is told as that, and nothing else is taken for it', () => {
    const { root, archive } = two();
    const id = '33333333-3333-4333-8333-333333333333';
    const last = entry('c', id, 'Feed it').replace('{', '{"timestamp":"2026-03-03T10:00:00Z",');
    writeFileSync(join(root, `${PLACE}/${id}.jsonl`), last);
    const { code, err } = archive('forget', '@last', '--yes');
    expect([code, err]).toEqual([1, expect.stringContaining(`"@last" is ${id}, which is not archived`)]);
    expect(archive('verify').text).toContain('whole: 2 files');
  });
});

describe('wrong usage', () => {
  test.each([
    [['archive', 'burn'], 2, 'has no "burn"'],
    [['archive', 'export'], 2, 'Which file?'],
    [['archive', 'verify'], 1, 'There is no archive yet'],
    [['archive', 'import', 'nothing.db'], 1, 'no such file'],
  ])('%j', (args, code, message) => {
    const ran = skein(args);
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(message)]);
  });

  test('what a part does not know is not passed over', () => {
    const { archive, env } = machine({ [NAME]: entry('a'), [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) });
    archive('sync');
    const before = readFileSync(join(env.SKEIN_HOME, 'archive.db'));
    const calls: [args: string[], message: string][] = [
      [['sync', 'x'], 'an argument too many: "x"'],
      [['sync', '--force'], 'has no --force'],
      [['status', '--full'], 'has no --full'],
      [['verify', '--dry-run'], 'has no --dry-run'],
      [['versions', SESSION, FORK], 'an argument too many'],
      [['versions', SESSION, '--all'], 'or everything?'],
      [['restore', SESSION, FORK], 'an argument too many'],
      [['restore', SESSION, '--all'], 'or everything?'],
      [['restore', SESSION, '--to', ''], 'Below which folder?'],
      [['restore', SESSION, '--dry-run'], 'has no --dry-run'],
      [['forget', SESSION, FORK, '--yes'], 'an argument too many'],
      [['forget', SESSION, '--yes', '--dry-run'], 'has no --dry-run'],
      [['forget', SESSION, '--yes', '--to', 'x'], 'has no --to'],
      [['forget', '--all', '--yes'], 'Not everything'],
      [['forget', '--undo', SESSION, '--all'], 'or everything?'],
      [['scrub', SESSION, '--all'], 'or everything?'],
      [['scrub', SESSION, '--version', '1'], 'has no --version'],
      [['export', 'a.db', 'b.db'], 'an argument too many'],
      [['export', ''], 'Which file?'],
      [['import', 'a.db', 'b.db'], 'an argument too many'],
      [['import', 'a.db', '--dry-run'], 'has no --dry-run'],
      [['rebuild', 'x'], 'an argument too many'],
    ];
    for (const [args, message] of calls) {
      const { code, err, text } = archive(...args);
      expect([args, code, err, text]).toEqual([args, 2, expect.stringContaining(message), '']);
      expect(err).toMatch(/\n {2}at: .+\n {2}next: .+/);
    }
    expect(readFileSync(join(env.SKEIN_HOME, 'archive.db')).equals(before)).toBe(true);
  });

  test('a folder that was named and is not there is told, and the code says so', () => {
    const { root, archive, home } = machine();
    const { code, err, text } = archive('sync', '--root', root, '--root', join(home, 'nowhere'));
    expect([code, err, text]).toEqual([
      1,
      expect.stringContaining('no such file or folder'),
      expect.stringContaining('1 new'),
    ]);
  });

  test('an import that is no archive', () => {
    const { archive, home } = machine();
    writeFileSync(join(home, 'x.db'), 'text');
    expect(archive('import', join(home, 'x.db')).err).toContain('not an archive');
  });
});

test('watch archives what is written, until it is stopped', async () => {
  const { root, env, home, archive } = machine();
  const watching = startSkein(['archive', 'watch', '--json'], { env, home });
  let seen = '';
  watching.stdout?.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    if (seen.split('\n').length === 2) appendFileSync(join(root, NAME), entry('b'));
    else watching.kill('SIGTERM');
  });
  await new Promise((resolve) => watching.once('exit', resolve));
  const [first, second] = seen
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect([first, second]).toMatchObject([{ added: 1 }, { appended: 1, bytes: entry('b').length }]);
  expect(archive('verify').code).toBe(0);
});

test('watch tells what it cannot read once, goes on, and ends when its archive is taken away', async () => {
  const { root, env, home } = machine();
  const name = Buffer.concat([Buffer.from(join(root, PLACE, 'x')), Buffer.from([0xff]), Buffer.from('.jsonl')]);
  writeFileSync(name, entry('c'));
  const watching = startSkein(['archive', 'watch'], { env, home });
  let [out, err] = ['', ''];
  watching.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  watching.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString();
    // The second time there is none to write to.
    if (out.split('\n').length === 3) rmSync(env.SKEIN_HOME, { recursive: true });
    appendFileSync(join(root, NAME), entry('b'));
  });
  const code = await new Promise((resolve) => watching.once('exit', resolve));
  expect([code, err.split('its name is not UTF-8').length, err]).toEqual([
    1,
    2,
    expect.stringContaining('The archive was removed or replaced'),
  ]);
});

test('a name that cannot be read is told, and the code says so', () => {
  const { root, archive } = machine();
  writeFileSync(
    Buffer.concat([Buffer.from(join(root, PLACE, '\u001b[31mx')), Buffer.from([0xff]), Buffer.from('.jsonl')]),
    entry('c'),
  );
  const { code, err, text } = archive('sync');
  expect([code, text]).toEqual([1, expect.stringContaining('1 new')]);
  expect(err).toContain('its name is not UTF-8');
  expect(err).not.toContain('\u001b');
});

test('a time to clean up that is no time is no fault', () => {
  const { archive } = machine({ [NAME]: entry('a'), 'settings.json': '{"cleanupPeriodDays": -1e300}' });
  archive('sync');
  expect([archive('status').code, archive('status', '--json').code]).toEqual([0, 0]);
});

test('two syncs at once double nothing', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => {
      const id = `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
      return [`${PLACE}/${id}.jsonl`, Array.from({ length: 300 }, (_, line) => entry(`${n}-${line}`, id)).join('')];
    }),
  );
  const { env, home, archive } = machine(many);
  mkdirSync(env.SKEIN_HOME);
  const syncs = Array.from({ length: 4 }, () => startSkein(['archive', 'sync', '--json'], { env, home }));
  const codes = await Promise.all(syncs.map((each) => new Promise((resolve) => each.once('exit', resolve))));
  expect(codes).toEqual([0, 0, 0, 0]);
  expect(archive('status', '--json').json()).toMatchObject({ archive: { files: 60, versions: 60 } });
  expect(archive('verify', '--json').json()).toMatchObject({ ok: true, pieces: 60 * 300 });
});
