/** A terminal for tests: the real program in tmux, keys in, screen out. As root a missing tmux is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempFolder } from './files.ts';

/** Once before all tests: two workers must not install at the same time. */
export function ensureTmux(): void {
  if (hasTmux() || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  console.log('installing tmux for the tests of the console');
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'tmux'], { stdio: 'inherit' });
  } catch {
    console.error('tmux could not be installed; the tests of the console will say what is needed');
  }
}

function hasTmux(): boolean {
  return spawnSync('tmux', ['-V']).status === 0;
}

export interface TmuxOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Tmux {
  /** By name: `Enter`, `Escape`, `C-c`, `BTab`; else as text. */
  keys(...keys: readonly string[]): void;
  /** As typed, not as names of keys. */
  type(text: string): void;
  paste(text: string): void;
  /** What stands there now, without blanks at the ends of lines. */
  screen(): string;
  /** With what scrolled away. */
  all(): string;
  /** With its colours. */
  painted(): string;
  /** Resolves with the screen as soon as it is so. */
  until(what: string | RegExp | ((screen: string) => boolean)): Promise<string>;
  resize(columns: number, rows: number): void;
  /** Of the program. */
  readonly pid: number;
  /** The terminal goes away, as when a connection breaks. */
  hangUp(): void;
}

const LONGEST_MS = 15_000;

export function openTmux({ command, cwd, env, columns = 80, rows = 24 }: TmuxOptions): Tmux {
  if (!hasTmux()) throw new Error('No tmux for the tests of the console. Install it: apt-get install tmux');
  const socket = `skein-test-${randomUUID()}`;
  const tmux = (...args: readonly string[]) =>
    execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  const set = Object.entries({ LC_ALL: 'C.UTF-8', ...env }).map(([name, value]) => quoted(`${name}=${value}`));
  // What the program leaves behind stays to be looked at.
  const line = `env -i TERM=screen-256color ${set.join(' ')} ${command.map(quoted).join(' ')}; echo "[exit $?]"; exec sleep 600`;
  const size = ['-x', String(columns), '-y', String(rows)];
  execFileSync(
    'tmux',
    ['-L', socket, '-f', '/dev/null', '-u', 'new-session', '-d', '-s', 's', ...size, '-c', cwd, line],
    {
      env: { PATH: process.env.PATH ?? '', HOME: cwd, LC_ALL: 'C.UTF-8' },
    },
  );
  tmux('set-option', '-g', 'escape-time', '0');
  onTestFinished(() => {
    spawnSync('tmux', ['-L', socket, 'kill-server']);
  });
  const screen = () => clean(tmux('capture-pane', '-p', '-t', 's'));
  return {
    keys: (...keys) => void tmux('send-keys', '-t', 's', ...keys),
    type: (text) => void tmux('send-keys', '-t', 's', '-l', text),
    paste: (text) => {
      const file = join(tempFolder(), 'paste');
      writeFileSync(file, text);
      tmux('load-buffer', file);
      tmux('paste-buffer', '-p', '-t', 's');
    },
    screen,
    all: () => clean(tmux('capture-pane', '-p', '-S', '-', '-t', 's')),
    painted: () => tmux('capture-pane', '-p', '-e', '-t', 's'),
    until: async (what) => {
      const fits =
        typeof what === 'function'
          ? what
          : (text: string) => (typeof what === 'string' ? text.includes(what) : what.test(text));
      const end = Date.now() + LONGEST_MS;
      for (;;) {
        const now = screen();
        if (fits(now)) return now;
        if (Date.now() > end) throw new Error(`The screen never showed ${String(what)}. It shows:\n${now}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    resize: (width, height) => void tmux('resize-window', '-t', 's', '-x', String(width), '-y', String(height)),
    get pid() {
      const shell = tmux('display-message', '-p', '-t', 's', '#{pane_pid}').trim();
      return Number(execFileSync('pgrep', ['-P', shell], { encoding: 'utf8' }).trim().split('\n')[0]);
    },
    hangUp: () => void spawnSync('tmux', ['-L', socket, 'kill-server']),
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function clean(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
}
