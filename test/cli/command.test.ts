import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
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
    [['usage', '--heat'], /Did you mean: --heatmap\? Run: skein usage --help/],
    [['usage', '--timezoen', 'UTC'], /Did you mean: --timezone\?/],
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
  /** A home with sessions, files with awkward names, and `skein` on the PATH, as at a user's. */
  function userHome() {
    const home = tempFolder();
    const project = join(home, '.claude', 'projects', '-app');
    for (const folder of [project, join(home, 'bin'), join(home, 'my folder'), join(home, 'x y')]) {
      mkdirSync(folder, { recursive: true });
    }
    for (const id of ['4f0c1111', '4f0c2222', '$(touch ran)', '4f \u001b[31m']) {
      writeFileSync(join(project, `${id}.jsonl`), '{}\n');
    }
    writeFileSync(join(home, 'my notes.jsonl'), '{}\n');
    writeFileSync(join(home, 'my letter.txt'), '');
    writeFileSync(join(home, 'bin', 'skein'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, { mode: 0o755 });
    const env = { HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` };
    const run = (shell: string, code: string, ...args: string[]) =>
      spawnSync(shell, [...args, '-c', code], { env, cwd: home, encoding: 'utf8' });
    const script = (shell: string) => {
      const path = join(home, `script.${shell}`);
      writeFileSync(path, skein(['completion', shell]).text);
      return path;
    };
    return { home, run, script };
  }

  const installed = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0;

  describe('bash', () => {
    function completer() {
      const { home, run, script } = userHome();
      const path = script('bash');
      const words = (...parts: string[]) => {
        const typed = parts.map((part) => `'${part}'`).join(' ');
        const code = `source '${path}'; COMP_WORDS=(skein ${typed}); COMP_CWORD=${parts.length}; _skein; printf '%s\\n' "\${COMPREPLY[@]}"`;
        const ran = run('bash', code, '--norc');
        expect(ran.stderr).toBe('');
        return ran.stdout.split('\n').filter((word) => word !== '');
      };
      return { home, words };
    }

    test('verbs, options and their values', () => {
      const { words } = completer();
      expect(words('che')).toEqual(['check']);
      expect(words('he')).toEqual(['help']);
      expect(words('help', 'che')).toEqual(['check']);
      expect(words('list', '--pro')).toEqual(['--project']);
      expect(words('list', '--sort', 's')).toEqual(['started', 'size']);
      expect(words('list', '--sort', '=')).toContain('size');
      expect(words('list', '--sort', '=', 's')).toEqual(['started', 'size']);
      expect(words('completion', 'f')).toEqual(['fish']);
      expect(words('archive', 're')).toEqual(['restore', 'rebuild']);
    });

    test('session ids, none of which is run', () => {
      const { home, words } = completer();
      expect(words('show', '4f')).toEqual(['4f0c1111', '4f0c2222']);
      expect(words('show', '$')).toEqual(['$(touch ran)']);
      expect(words('show', '@', 'la')).toEqual(['last']);
      expect(existsSync(join(home, 'ran'))).toBe(false);
    });

    test.each(['--kind', '--uuid', '--lines'])('nothing for the value of %s', (option) => {
      const { words } = completer();
      expect(words('cat', option, '')).toEqual([]);
    });

    test('files and folders, whole also with spaces in their names', () => {
      const { words } = completer();
      expect(words('show', 'my')).toEqual(['my notes.jsonl', 'my folder']);
      expect(words('check', 'x')).toEqual(['x y']);
      expect(words('check', '--root', 'my')).toEqual(['my folder']);
      expect(words('archive', 'import', 'my').sort()).toEqual(['my folder', 'my letter.txt', 'my notes.jsonl']);
    });
  });

  test('fish', () => {
    if (!installed('fish')) return;
    const { run, script } = userHome();
    const path = script('fish');
    const words = (line: string) => {
      const ran = run('fish', `source '${path}'; complete -C '${line}'`, '--no-config');
      expect(ran.stderr).toBe('');
      // Some versions escape the spaces.
      return ran.stdout
        .replaceAll('\\', '')
        .split('\n')
        .flatMap((each) => each.split('\t')[0] || []);
    };
    expect(words('skein che')).toEqual(['check']);
    expect(words('skein help che')).toEqual(['check']);
    expect(words('skein list --sort s')).toEqual(expect.arrayContaining(['size', 'started']));
    expect(words('skein show 4f')).toEqual(['4f0c1111', '4f0c2222']);
    expect(words('skein cat --kind 4')).toEqual([]);
    expect(words('skein show my')).toEqual(expect.arrayContaining(['my notes.jsonl', 'my folder/']));
    expect(words('skein check x')).toContain('x y/');
    expect(words('skein archive re')).toEqual(['rebuild', 'restore']);
  });

  test('zsh', () => {
    if (!installed('zsh')) return;
    const { run, script } = userHome();
    const path = script('zsh');
    expect(run('zsh', `zsh -n '${path}'`, '-f')).toMatchObject({ status: 0, stderr: '' });
    const load = `autoload -Uz compinit; compinit -D -u; source '${path}'; print $_comps[skein]; whence -w _skein`;
    expect(run('zsh', load, '-f')).toMatchObject({ stdout: '_skein\n_skein: function\n', stderr: '' });
  });

  test.each(['zsh', 'fish'])('%s names every verb and says what it is in the words of its help', async (shell) => {
    const { text } = skein(['completion', shell]);
    for (const verb of VERBS) {
      const { summary, options } = await verb.load();
      expect(text).toContain(summary);
      for (const { help } of Object.values(options)) if (!/[[\]'\\]/.test(help)) expect(text).toContain(help);
    }
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

  test('waits for a path where nothing is yet', async () => {
    const folder = tempFolder();
    const child = startSkein(['follow', 'not-yet.jsonl', '--raw'], { cwd: folder });
    let seen = '';
    const came = new Promise<void>((resolve) => {
      child.stdout?.on('data', (data) => {
        seen += data;
        if (seen.endsWith('\n')) resolve();
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(child.exitCode).toBe(null);
    writeFileSync(join(folder, 'not-yet.jsonl'), '{"type":"summary"}\n');
    await came;
    child.kill('SIGINT');
    expect(seen).toBe('{"type":"summary"}\n');
    for (const selector of ['nothing-like-it', 'project:no/such']) expect(skein(['follow', selector]).code).toBe(1);
  });
});

test('on a Node that is too old the launcher goes on with the bundled one, or says what is needed', () => {
  const as = (launcher: string) =>
    `Object.defineProperty(process.versions, 'node', { value: '18.0.0' }); process.argv.splice(1, 0, ${JSON.stringify(launcher)}); require(${JSON.stringify(launcher)})`;
  // -e gives no script in argv: the launcher finds its arguments from the third word on.
  const on = spawnSync(process.execPath, ['-e', as(BIN), 'list'], {
    env: { PATH: '', HOME: mkdtempSync(join(tmpdir(), 'skein-home-')) },
  });
  expect(on.stdout.toString()).toMatch(/TITLE/);
  // The same launcher in a folder without packages, told that it runs on an old Node.
  const folder = tempFolder();
  const launcher = join(folder, 'skein.cjs');
  spawnSync('cp', [BIN, launcher]);
  const ran = spawnSync(process.execPath, ['-e', as(launcher)]);
  expect(ran.stderr.toString()).toMatch(/Skein needs Node 22\.16 or newer; this is 18\.0\.0/);
  expect(ran.status).toBe(2);
});
