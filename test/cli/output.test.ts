/** Standard output, whatever it is. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, cpSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { BIN } from '../support/skein.ts';

const DEMO = fileURLToPath(new URL('../../demo', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const ARGS = ['search', 'the', '--limit', '2000', '--json', '--root', DEMO];
const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TZ: 'UTC' };

describe('the same bytes come out', () => {
  const expected = spawnSync(process.execPath, [BIN, ...ARGS], { env, encoding: 'utf8' }).stdout;

  test('of a file, and after what is there', () => {
    const file = join(tempFolder(), 'out.json');
    const fd = openSync(file, 'w');
    for (let time = 0; time < 2; time += 1)
      spawnSync(process.execPath, [BIN, ...ARGS], { env, stdio: ['ignore', fd, 'ignore'] });
    closeSync(fd);
    expect(readFileSync(file, 'utf8')).toBe(expected + expected);
  });

  test('of a pipe whose reader is slow, also when it is set not to wait', () => {
    expect(expected.length).toBeGreaterThan(1 << 17);
    for (const flags of ['', 'import fcntl, os; fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK);']) {
      const command = [process.execPath, BIN, ...ARGS].map((word) => `'${word}'`).join(' ');
      const set = flags === '' ? '' : `python3 -c "${flags}"; `;
      const out = execFileSync('bash', ['-c', `{ ${set}${command}; } | { sleep 0.3; cat; }`], {
        env,
        maxBuffer: 1 << 26,
      });
      expect(out.toString('utf8')).toBe(expected);
    }
  });

  test('a full disk is told', () => {
    const fd = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [BIN, ...ARGS], { env, stdio: ['ignore', fd, 'pipe'] });
    closeSync(fd);
    expect([status, stderr.toString()]).toEqual([1, expect.stringContaining('The output cannot be written')]);
  });
});

describe('bundles of single verbs', () => {
  /** The package without some of its files. */
  function packageWithout(pattern: RegExp): string {
    const folder = tempFolder();
    cpSync(dirname(BIN), join(folder, 'bin'), { recursive: true });
    copyFileSync(join(dirname(dirname(BIN)), 'package.json'), join(folder, 'package.json'));
    cpSync(DIST, join(folder, 'dist'), { recursive: true });
    for (const name of readdirSync(join(folder, 'dist'))) if (pattern.test(name)) rmSync(join(folder, 'dist', name));
    return join(folder, 'bin', 'skein');
  }
  const run = (bin: string, ...args: string[]) =>
    spawnSync(process.execPath, [bin, ...args, '--root', DEMO], { env, encoding: 'utf8' });
  const QUESTIONS = [
    ['search', 'the', '--json'],
    ['usage', '--by', 'project,model'],
    ['search', '--help'],
    ['list'],
    ['show', '@last', '--tools', 'full'],
    ['diff', 'nothing', 'like this'],
    ['usage', '--by', 'nothing'],
  ];

  test.each([/\.cache$/, /^hot-/])('without %s the whole command answers the same', (pattern) => {
    const bin = packageWithout(pattern);
    for (const args of QUESTIONS) {
      const [own, whole] = [run(BIN, ...args), run(bin, ...args)];
      expect([whole.status, whole.stdout, whole.stderr]).toEqual([own.status, own.stdout, own.stderr]);
    }
  });

  test('what they leave out is left to the whole command', () => {
    const asked = [
      ...['search', 'usage', 'list'].flatMap((verb) => [
        [verb, 'the', '--team', 'nowhere'],
        [verb, 'the', '--team=nowhere'],
      ]),
      ['archive', 'verify'],
      ['archive', 'restore', 'nothing'],
      ['hook', 'status'],
      ['hook', 'doctor'],
    ];
    const folder = tempFolder();
    const lone = { ...env, HOME: folder, SKEIN_HOME: join(folder, 'skein') };
    for (const args of asked) {
      const { stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], { env: lone, encoding: 'utf8' });
      expect(`${args}\n${stdout}${stderr}`).not.toMatch(/is left out|is not a function/);
      expect((stdout + stderr).length).toBeGreaterThan(0);
    }
  });

  test('what the quick ones leave out is answered once, by the larger ones', () => {
    const folder = tempFolder();
    const archived = { ...env, HOME: folder, SKEIN_HOME: join(folder, 'skein') };
    const ask = (bin: string, args: readonly string[]) => {
      const all = [bin, ...args, '--root', DEMO];
      const { status, stdout, stderr } = spawnSync(process.execPath, all, { env: archived, encoding: 'utf8' });
      return [args.join(' '), status, stdout, stderr];
    };
    const bin = packageWithout(/^hot-quick/);
    ask(bin, ['archive', 'sync']);
    const questions = [
      ['usage', '--json'],
      ['usage', '--by', 'session'],
      ['usage', '--by', 'tool'],
      ['usage', '--explain'],
      ['usage', '--cost', 'computed'],
      ['usage', 'nothing like this'],
      ['search', 'the', '--json'],
      ['search', 'the'],
      ['search', '/the/'],
      ['search', 'the', '--scan'],
    ];
    for (const args of questions) expect(ask(BIN, args)).toEqual(ask(bin, args));
    // An index that cannot be read is told of once.
    writeFileSync(join(folder, 'skein', 'index.db'), 'no index');
    const [, , , told] = ask(BIN, ['search', 'the']);
    expect(told).toEqual(ask(bin, ['search', 'the'])[3]);
    expect(String(told).match(/warning/g)).toHaveLength(1);
  });

  test('byte code of another V8 is not taken', () => {
    const bin = packageWithout(/^nothing/);
    const dist = join(dirname(dirname(bin)), 'dist');
    const caches = readdirSync(dist).filter((name) => name.endsWith('.cache'));
    expect(caches.map((name) => name.split('.')[0]).sort()).toEqual([
      'hot-archive',
      'hot-chat',
      'hot-hook',
      'hot-quicksearch',
      'hot-quickusage',
      'hot-read',
      'hot-search',
      'hot-usage',
    ]);
    for (const name of caches) copyFileSync(join(dist, 'main.cjs'), join(dist, name));
    const { status, stdout } = run(bin, 'search', 'the', '--json');
    expect([status, stdout]).toEqual([0, run(BIN, 'search', 'the', '--json').stdout]);
  });
});
