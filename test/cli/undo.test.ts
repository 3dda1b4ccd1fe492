/** Changing a session in place, and taking it back. */
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Arguments } from '../../src/cli/command.ts';
import type { Context } from '../../src/cli/context.ts';
import { openSource } from '../../src/cli/edit/source.ts';
import { type Edit, type Written, writeEdit } from '../../src/cli/edit/write.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { branchLines } from '../../src/edit/branch.ts';
import { linearise } from '../../src/edit/chain.ts';
import { asArray, asObject } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { assistant, transcript, user } from '../support/transcript.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
/** Written with spaces, so that a line that was made anew can be told. */
const spaced = (text: string) => text.replaceAll('":"', '": "');
const TEXT = spaced(
  transcript([user(1, null, 'one'), assistant(2, 1, 'm1', 'A1'), user(3, 2, 'two'), assistant(4, 3, 'm2', 'A2')]),
);

function withSession() {
  const root = tempFolder();
  const project = join(root, 'projects', '-work-app');
  mkdirSync(project, { recursive: true });
  const file = join(project, `${SESSION}.jsonl`);
  writeFileSync(file, TEXT);
  chmodSync(file, 0o640);
  const { run, env, home } = machine(root);
  const quiet = () =>
    openTerminal(new Writable({ write: (_chunk, _encoding, done) => done() }), {
      isTerminal: false,
      color: 'never',
      env,
    });
  const context: Context = {
    env,
    home,
    cwd: home,
    now: () => new Date(),
    out: quiet(),
    err: quiet(),
    signal: new AbortController().signal,
  };
  const backups = join(home, 'kept', 'backups');
  /** Drops the last two entries in place. */
  const shorten = (meanwhile: () => void = () => {}): Written => {
    const args: Arguments = {
      positionals: [file],
      flag: (name) => name === 'in-place',
      value: () => undefined,
      values: () => [],
    };
    const source = openSource(context, args);
    const edit: Edit = {
      verb: 'shorten',
      source,
      make: (target) => {
        const { lines } = branchLines(source.entries);
        const chained = linearise(lines.slice(0, 2), target);
        meanwhile();
        return { ...chained, kept: [] };
      },
    };
    return writeEdit(context, args, edit);
  };
  return { run, file, shorten, backups, project };
}

describe('S1: in place', () => {
  test('lines that are kept keep their bytes, the mode stays, and a backup is made that only the owner can read', () => {
    const { file, shorten, backups } = withSession();
    const { backup, sessionId } = shorten();
    expect(sessionId).toBe(SESSION);
    expect(readFileSync(file, 'utf8')).toBe(`${TEXT.split('\n').slice(0, 2).join('\n')}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    const [name = ''] = readdirSync(backups);
    expect(backup).toBe(join(backups, name));
    expect(readFileSync(join(backups, name, '1.jsonl'), 'utf8')).toBe(TEXT);
    for (const each of readdirSync(join(backups, name)))
      expect(statSync(join(backups, name, each)).mode & 0o777).toBe(0o600);
    expect(statSync(join(backups, name)).mode & 0o777).toBe(0o700);
  });

  test.each([
    ['appended to', (file: string) => appendFileSync(file, transcript([user(9, 4, 'meanwhile')]))],
    ['replaced by one of the same size', (file: string) => writeFileSync(file, TEXT.replace('A2', 'B2'))],
  ])('not when the file was %s meanwhile', (_, change) => {
    const { file, shorten, project } = withSession();
    expect(() => shorten(() => change(file))).toThrow('Somebody wrote to the session meanwhile');
    expect(readFileSync(file, 'utf8')).not.toBe(`${TEXT.split('\n').slice(0, 2).join('\n')}\n`);
    expect(readdirSync(project)).toEqual([`${SESSION}.jsonl`]);
  });
});

test('L4: not when a client has the session open', () => {
  const { file, shorten, project } = withSession();
  const sessions = join(project, '..', '..', 'sessions');
  mkdirSync(sessions);
  const live = (pid: number) => writeFileSync(join(sessions, '1.json'), JSON.stringify({ pid, sessionId: SESSION }));
  live(process.ppid);
  expect(() => shorten()).toThrow(`open in a client (process ${process.ppid})`);
  expect(readFileSync(file, 'utf8')).toBe(TEXT);
  // No process has this id: the client crashed and left its file behind.
  live(2 ** 30);
  expect(shorten().inPlace).toBe(true);
});

describe('skein undo', () => {
  test('puts it back, and a second one takes that back', async () => {
    const { run, file, shorten } = withSession();
    shorten();
    const short = readFileSync(file, 'utf8');
    const { json, code } = await run('undo', '--json');
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      sessionId: SESSION,
      file,
      verb: 'shorten',
      before: { bytes: short.length },
      after: { bytes: TEXT.length },
    });
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect((await run('undo')).text).toContain('Taken back: undo');
    expect(readFileSync(file, 'utf8')).toBe(short);
  });

  test('not when the session went on since, unless --force; then what was said since is in a backup', async () => {
    const { run, file, shorten, backups } = withSession();
    shorten();
    const more = transcript([user(9, 2, 'since then')]);
    appendFileSync(file, more);
    await expect(run('undo')).rejects.toMatchObject({ where: file, exitCode: 1 });
    expect(readFileSync(file, 'utf8')).toContain('since then');
    expect((await run('undo', '--force')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(TEXT);
    const last = readdirSync(backups).sort().at(-1) ?? '';
    expect(readFileSync(join(backups, last, '1.jsonl'), 'utf8')).toContain('since then');
  });

  test('a damaged backup is not put back', async () => {
    const { run, file, shorten, backups } = withSession();
    shorten();
    const short = readFileSync(file, 'utf8');
    writeFileSync(join(backups, readdirSync(backups)[0] ?? '', '1.jsonl'), 'something else');
    await expect(run('undo', '--force')).rejects.toThrow('damaged');
    expect(readFileSync(file, 'utf8')).toBe(short);
  });

  test('--dry-run and --list do nothing; a session can be named', async () => {
    const { run, file, shorten } = withSession();
    expect((await run('undo', '--list')).code).toBe(1);
    await expect(run('undo')).rejects.toThrow('nothing to take back');
    shorten();
    const short = readFileSync(file, 'utf8');
    expect((await run('undo', SESSION.slice(0, 6), '--dry-run')).text).toContain('Would be taken back');
    const listed = asObject((await run('undo', '--list', '--json')).json());
    expect(asArray(listed?.backups)).toMatchObject([{ verb: 'shorten', files: [{ path: file, bytes: TEXT.length }] }]);
    await expect(run('undo', 'deadbeef')).rejects.toThrow('No backup has');
    expect(readFileSync(file, 'utf8')).toBe(short);
  });
});
