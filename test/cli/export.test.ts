import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { asArray, asString, at, type JsonObject, parseJson } from '../../src/format/json.ts';
import { random } from '../redact/samples.ts';
import { assistant, chain, image, result, thinking, toJsonl, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { BIN, skein } from '../support/skein.ts';

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const DEMO = path('demo');
const ID = '11111111-1111-4111-8111-111111111111';
const TOKEN = `ghp_${random(36, 'export')}`;
const LATE = 'hunter2xyz';
const BYTES = Buffer.from(Array.from({ length: 600 }, (_, i) => (i * 7919) % 256)).toString('base64');

/** A chat in which a password is told by its name only in the last turn, and there is something of everything. */
function lines(): JsonObject[] {
  return [
    user(`log in with ${LATE} please`),
    assistant([thinking('hm', 'c2ln'), { type: 'text', text: 'I look at /home/alice/app' }], {
      id: 'm1',
      stop: 'tool_use',
    }),
    assistant(toolUse('t1', 'Bash', { command: `curl -H "X: ${TOKEN}"` }), { id: 'm1', stop: 'tool_use' }),
    result('t1', 'alice@box:~$ ls\n-rw-r--r-- 1 alice alice 5 Jan 1 a', {
      toolUseResult: { stdout: TOKEN, stderr: '' },
    }),
    assistant(`as ${BYTES}`, { id: 'm2' }),
    user([{ type: 'text', text: 'see' }, image()]),
    assistant('yes', { id: 'm3' }),
    user(`export PGPASSWORD=${LATE} psql`),
    assistant('done', { id: 'm4' }),
  ];
}

function machine(more = '') {
  const root = tempFolder();
  const folder = join(root, 'projects', '-home-alice-app');
  mkdirSync(folder, { recursive: true });
  const envelope = { sessionId: ID, cwd: '/home/alice/app', gitBranch: 'alice/fix' };
  writeFileSync(join(folder, `${ID}.jsonl`), `${toJsonl(chain(lines(), envelope))}${more}`);
  const cwd = tempFolder();
  const run = (...args: string[]) => skein(['export', ...args, '--root', root], { cwd, home: join(root, 'home') });
  return { root, cwd, run };
}

const leaks = (text: string) =>
  [TOKEN, LATE, 'alice', BYTES.slice(0, 40), 'iVBORw0KGgo'].filter((each) => text.includes(each));

/** Where a value is not as docs/schema says. */
function faults(schema: string, value: unknown): unknown[] {
  const file = path(`docs/schema/${schema}.schema.json`);
  const validate = new Ajv2020({ strictTypes: false }).compile(JSON.parse(readFileSync(file, 'utf8')));
  validate(value);
  return validate.errors ?? [];
}

describe('export', () => {
  test.each(['html', 'md', 'json'])('%s: masked, names gone, a secret told late masked early', (format) => {
    const { cwd, run } = machine();
    const ran = run(format, ID, '--thinking');
    expect(ran.code).toBe(0);
    const [name = ''] = readdirSync(cwd);
    expect(name).toBe(`log-in-with-please-11111111.${format}`);
    const text = readFileSync(join(cwd, name), 'utf8');
    expect(leaks(text)).toEqual([]);
    expect(text).toContain('log in with');
    expect(text).toContain('user@box');
    expect(ran.err).toMatch(/\[github-token:[0-9a-f]{4}\] +2× +turn 1/);
    expect(ran.err).toContain('home folders and user names');
    expect(ran.err).toMatch(/images +1× +turn 2/);
    expect(leaks(ran.err)).toEqual([]);
  });

  test('--json tells what was done, as the schema says; the list has kind, count and place', () => {
    const { cwd, run } = machine('not json\n');
    const ran = run('json', ID, '--to', 'out.json', '--json');
    const told = ran.json();
    expect(faults('export', told)).toEqual([]);
    expect([at(told, 'file'), at(told, 'turns')]).toEqual([join(cwd, 'out.json'), 3]);
    expect(at(told, 'bytes')).toBe(statSync(join(cwd, 'out.json')).size);
    const token = asArray(at(told, 'found'))?.find((row) => at(row, 'kind') === 'github-token');
    expect(at(token, 'count')).toBe(2);
    expect(asArray(at(token, 'where'))?.map((where) => [at(where, 'turn'), at(where, 'uuid')])).toEqual([
      [1, 'u3'],
      [1, 'u4'],
    ]);
    expect(asString(at(token, 'preview'))).toMatch(/^curl -H "X: \[github-token:[0-9a-f]{4}\]"$/);
    const left = asArray(at(told, 'leftOut'))?.map((row) => [at(row, 'what'), at(row, 'count')]);
    expect(left?.toSorted()).toEqual([
      ['base64', 1],
      ['image', 1],
      ['line', 1],
      ['signature', 1],
    ]);
    expect(leaks(ran.text.replaceAll(cwd, ''))).toEqual([]);
    expect(faults('export', run('md', ID, '--dry-run', '--json').json())).toEqual([]);
  });

  test('what is left out is named in the file', () => {
    const { cwd, run } = machine();
    run('md', ID, '--to', 'a.md');
    const text = readFileSync(join(cwd, 'a.md'), 'utf8');
    expect(text).toContain('[left out: base64, ');
    expect(text).toContain('[left out: image, ');
    expect(text).toMatch(/Left out, because it cannot be looked into: .*1 × images/);
  });

  test('--images keeps images and nothing else of that kind; --reveal keeps all, for the owner alone', () => {
    const { cwd, run } = machine();
    run('html', ID, '--to', 'a.html', '--images');
    expect(leaks(readFileSync(join(cwd, 'a.html'), 'utf8'))).toEqual(['iVBORw0KGgo']);
    const ran = run('html', ID, '--to', 'b.html', '--reveal');
    expect(ran.err).toContain('nothing is masked');
    expect(leaks(readFileSync(join(cwd, 'b.html'), 'utf8'))).toHaveLength(5);
    expect(statSync(join(cwd, 'b.html')).mode & 0o777).toBe(0o600);
    expect(statSync(join(cwd, 'a.html')).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  test('--dry-run writes nothing; nothing is replaced without --force', () => {
    const { cwd, run } = machine();
    expect(run('html', ID, '--dry-run').err).toContain('[github-token:');
    expect(readdirSync(cwd)).toEqual([]);
    writeFileSync(join(cwd, 'a.html'), 'mine');
    const refused = run('html', ID, '--to', 'a.html');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('There is something there already.')]);
    const pipe = join(cwd, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const kept = run('md', ID, '--to', pipe, '--force');
    expect([kept.code, kept.err, statSync(pipe).isFIFO()]).toEqual([1, expect.stringContaining('not a file'), true]);
    rmSync(pipe);
    expect(readFileSync(join(cwd, 'a.html'), 'utf8')).toBe('mine');
    expect(run('html', ID, '--to', 'a.html', '--force').code).toBe(0);
    expect(readFileSync(join(cwd, 'a.html'), 'utf8')).toContain('<!doctype html>');
    expect(readdirSync(cwd)).toEqual(['a.html']);
  });

  test('--to - writes to standard output, --to FOLDER into it', () => {
    const { cwd, run } = machine();
    expect(run('md', ID, '--to', '-').text).toMatch(/^# log in with/);
    mkdirSync(join(cwd, 'sub'));
    run('md', ID, '--to', 'sub');
    expect(readdirSync(join(cwd, 'sub'))).toHaveLength(1);
  });

  test('md and json are what show has', () => {
    const demo = (...args: string[]) => skein([...args, '--root', DEMO]).text;
    /** What is masked is shorter. */
    const sized = (text = '') => text.replace(/, \d+ B\)/g, ')').trim();
    const masked = (text: string) => text.replaceAll('/home/ada', '~').replaceAll('-home-ada', '-home-user');
    const shown = masked(demo('show', 'f6e7', '--format', 'md', '--tools', 'full', '--thinking'));
    expect(sized(demo('export', 'md', 'f6e7', '--thinking', '--to', '-').split('\n---\n')[0])).toBe(sized(shown));
    const json = parseJson(demo('export', 'json', 'f6e7', '--to', '-'));
    const turns = parseJson(masked(demo('show', 'f6e7', '--json')).replace(/"signature": "[^"]*"/g, '"signature": ""'));
    expect(at(json, 'turns')).toEqual(at(turns, 'turns'));
    expect(at(json, 'chat', 'project')).toBe('~/work/tidepool');
    expect(faults('show', json)).toEqual([]);
  });

  test('--turn, --branch and --all-branches choose what goes in', () => {
    const demo = (...args: string[]) => skein(['export', 'json', 'cda1', '--to', '-', ...args, '--root', DEMO]).json();
    const prompts = (...args: string[]) => asArray(at(demo(...args), 'turns'))?.length;
    expect(prompts('--turn', '2')).toBe(1);
    expect([prompts('--branch', '1'), prompts('--branch', '2')]).toEqual([2, 3]);
    expect(asArray(at(demo('--all-branches'), 'branches'))?.map((each) => asArray(at(each, 'turns'))?.length)).toEqual([
      2, 3,
    ]);
    const brief = skein(['export', 'html', '3cb0', '--to', '-', '--tools', 'none', '--root', DEMO]).text;
    expect(brief).not.toContain('createServer');
  });

  test('project:NAME writes a folder with an index, one masking for all', () => {
    const folder = join(tempFolder(), 'out');
    const ran = skein(['export', 'md', 'project:tidepool', '--to', folder, '--root', DEMO, '--json']);
    expect(asArray(at(ran.json(), 'chats'))).toHaveLength(3);
    expect(readdirSync(folder)).toHaveLength(4);
    const index = readFileSync(join(folder, 'index.md'), 'utf8');
    for (const name of readdirSync(folder)) if (name !== 'index.md') expect(index).toContain(`(<${name}>)`);
    const again = skein(['export', 'md', 'project:tidepool', '--to', folder, '--root', DEMO]);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('something there already')]);
  });

  test('on a terminal it asks; no leaves nothing behind', () => {
    const { cwd, root } = machine();
    const answer = (text: string) =>
      spawnSync(
        'script',
        ['-qec', `${process.execPath} ${BIN} export md ${ID} --root ${root} --to a.md`, '/dev/null'],
        {
          cwd,
          input: text,
          env: { PATH: process.env.PATH, HOME: root, TERM: 'dumb' },
        },
      );
    const no = answer('n\n');
    expect([no.status, String(no.stdout)]).toEqual([1, expect.stringContaining('a.md? [y/N]')]);
    expect(readdirSync(cwd)).toEqual([]);
    expect(answer('y\n').status).toBe(0);
    expect(existsSync(join(cwd, 'a.md'))).toBe(true);
  });

  test('the redacted copy it works on is gone afterwards, and what a killed one left a day ago', () => {
    const TMPDIR = tempFolder();
    utimesSync(mkdtempSync(join(TMPDIR, 'skein-share-')), new Date('2020-01-01'), new Date('2020-01-01'));
    const { root } = machine();
    const run = (to: string) => skein(['export', 'md', ID, '--to', to, '--root', root], { env: { TMPDIR } });
    expect(run('-').text).toContain('log in with');
    const failed = run(join(BIN, 'x.md'));
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('cannot write')]);
    expect(readdirSync(TMPDIR).filter((name) => name.startsWith('skein'))).toEqual([]);
  });

  test.each([
    [[], 'Which format?'],
    [['pdf', ID], 'has no "pdf"'],
    [['html'], 'Which session?'],
    [['html', ID, '--all-branches', '--branch', '1'], 'do not go together'],
    [['html', ID, '--all-branches', '--turn', '1'], 'do not go together'],
    [['md', 'project:app', '--to', '-'], 'do not go together'],
    [['md', 'project:app', '--turn', '1'], 'exported as a whole'],
    [['md', ID, '--to', '-', '--json'], 'do not go together'],
  ])('%j is told what is wrong', (args, what) => {
    const ran = machine().run(...args);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(what)]);
  });

  test('a chat that is only in the archive, with a large output saved beside it', () => {
    const root = tempFolder();
    const folder = join(root, 'projects', '-w');
    mkdirSync(join(folder, ID, 'tool-results'), { recursive: true });
    writeFileSync(join(folder, ID, 'tool-results', 'big.txt'), `big output\n${TOKEN}\n/home/alice/x\n`);
    const saved = `<persisted-output>\nOutput too large. Full output saved to: ${folder}/${ID}/tool-results/big.txt\n</persisted-output>`;
    const talk = [user('go'), assistant(toolUse('t1', 'Bash', { command: 'x' }), { id: 'm1' }), result('t1', saved)];
    writeFileSync(join(folder, `${ID}.jsonl`), toJsonl(chain(talk, { sessionId: ID })));
    const home = tempFolder();
    const env = { SKEIN_HOME: join(home, 'kept'), CLAUDE_CONFIG_DIR: root };
    skein(['archive', 'sync'], { env, home });
    const shared = skein(['export', 'md', ID, '--to', '-'], { env, home }).text;
    expect(shared).toContain('big output');
    spawnSync('rm', ['-r', folder]);
    expect(skein(['export', 'md', ID, '--to', '-'], { env, home }).text).toBe(shared);
    expect(leaks(shared)).toEqual([]);
  });
});
