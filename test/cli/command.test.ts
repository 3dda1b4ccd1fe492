import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { VERBS } from '../../src/cli/verbs.ts';
import { tempFolder } from '../support/files.ts';
import { BIN, skein, startSkein } from '../support/skein.ts';

describe('help', () => {
  test('lists every verb', () => {
    const { text, code } = skein(['--help']);
    expect(code).toBe(0);
    for (const verb of VERBS) expect(text).toContain(`\n  ${verb.name}`);
  });

  test.each(VERBS.map(({ name }) => name))('%s --help shows usage, options and examples', (name) => {
    const { text, code } = skein([name, '--help']);
    expect(code).toBe(0);
    expect(text).toMatch(new RegExp(`^skein ${name}: `));
    expect(text).toMatch(/\nUsage: skein /);
    expect(text).toMatch(/\nOptions\n/);
    expect(text).toMatch(/\nExamples\n {2}\S/);
    expect(skein(['help', name]).text).toBe(text);
  });

  test('--version', () => expect(skein(['--version']).text).toMatch(/^\d+\.\d+\.\d+\n$/));
});

describe('wrong usage is exit code 2, and says what next', () => {
  test.each([
    [['lst'], /no verb "lst"[\s\S]*Did you mean: skein list/],
    [['zzzzzz'], /Run: skein --help/],
    [['list', '--nope'], /Unknown option '--nope'[\s\S]*skein list --help/],
    [['list', '--sort', 'color'], /--sort is updated/],
    [['list', '--limit', 'x'], /--limit takes a whole number/],
    [['cat'], /Which session\?/],
    [['completion', 'tcsh'], /bash, zsh, fish/],
  ])('%j', (args, message) => {
    const ran = skein(args);
    expect(ran.code).toBe(2);
    expect(ran.text).toBe('');
    expect(ran.err).toMatch(message);
    expect(ran.err).not.toMatch(/\n\s+at .*\.js:/);
  });
});

test('the reader of a pipe may leave early', () => {
  const file = join(tempFolder(), 'long.jsonl');
  writeFileSync(file, `${JSON.stringify({ type: 'user', x: 'y'.repeat(1000) })}\n`.repeat(20_000));
  const { status, stdout, stderr } = spawnSync('bash', [
    '-c',
    `set -o pipefail; "${process.execPath}" "${BIN}" cat "${file}" | head -1`,
  ]);
  expect(stderr.toString()).toBe('');
  expect(stdout.toString()).toMatch(/^\{"type":"user"/);
  expect([0, 141]).toContain(status);
});

describe('completion scripts', () => {
  test('bash completes verbs, options and ids', () => {
    const script = join(tempFolder(), 'c.sh');
    writeFileSync(script, skein(['completion', 'bash']).text);
    const words = (line: string) => {
      const parts = line.split(' ');
      const run = `source ${script}; COMP_WORDS=(${parts.map((part) => `'${part}'`).join(' ')}); COMP_CWORD=${parts.length - 1}; _skein; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', run]).stdout.toString().trim().split('\n');
    };
    expect(words('skein ch')).toEqual(['check']);
    expect(words('skein list --pro')).toEqual(['--project']);
    expect(words('skein list --sort s')).toEqual(['started', 'size']);
    expect(words('skein completion f')).toContain('fish');
  });

  test.each(['zsh', 'fish'])('%s names every verb', (shell) => {
    const { text } = skein(['completion', shell]);
    for (const verb of VERBS) expect(text).toContain(verb.name);
  });

  test('ids of sessions', () => expect(skein(['completion', '--ids']).text).toBe('@last\n'));
});

describe('follow', () => {
  test('prints the last lines, then each new line once it is whole, and ends on SIGINT', async () => {
    const file = join(tempFolder(), 'live.jsonl');
    const entry = (n: number) =>
      JSON.stringify({ type: 'user', uuid: `u${n}`, message: { role: 'user', content: `prompt ${n}` } });
    writeFileSync(file, `${entry(1)}\n${entry(2)}\n`);
    const child = startSkein(['follow', file, '--raw', '--lines', '1']);
    let seen = '';
    const until = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => seen.includes(text) && resolve();
        child.stdout?.on('data', look);
        look();
      });
    child.stdout?.on('data', (data) => {
      seen += data;
    });
    await until(`${entry(2)}\n`);
    appendFileSync(file, entry(3).slice(0, 20));
    appendFileSync(file, `${entry(3).slice(20)}\n`);
    await until(`${entry(3)}\n`);
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.on('exit', resolve));
    expect(seen).toBe(`${entry(2)}\n${entry(3)}\n`);
    expect(code).toBe(130);
  });
});

test('on a Node that is too old the launcher goes on with the bundled one, or says what is needed', () => {
  const old = '/usr/local/bin/node';
  const version = existsSync(old) ? spawnSync(old, ['--version']).stdout.toString() : '';
  if (/^v(?:1\d|20)\./.test(version)) {
    const ran = spawnSync(old, [BIN, 'list'], { env: { PATH: '', HOME: mkdtempSync(join(tmpdir(), 'skein-home-')) } });
    expect(ran.stdout.toString()).toMatch(/TITLE/);
  }
  // The same launcher in a folder without packages, told that it runs on an old Node.
  const folder = tempFolder();
  const launcher = join(folder, 'skein.cjs');
  spawnSync('cp', [BIN, launcher]);
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '18.0.0' }); require(${JSON.stringify(launcher)})`;
  const ran = spawnSync(process.execPath, ['-e', pretend]);
  expect(ran.stderr.toString()).toMatch(/Skein needs Node 22\.16 or newer; this is 18\.0\.0/);
  expect(ran.status).toBe(2);
});
