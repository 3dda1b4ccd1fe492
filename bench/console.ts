/** The rows of the console, through a pseudo-terminal: launch, keys while a fast stream prints, bytes of a frame, memory. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { ROOT } from './corpus.ts';
import { costOf } from './measure.ts';

const HOME = join(ROOT, '.cache', 'bench', 'console');
const LAUNCHES = 9;
const KEYS = 60;
const TURNS = 5000;

type Command = Pick<Bench, 'node' | 'skein' | 'row'>;

export async function benchConsole({ node, skein, row }: Command): Promise<void> {
  rmSync(HOME, { recursive: true, force: true });
  mkdirSync(join(HOME, 'work'), { recursive: true });
  console.log('\nthe console, in a terminal of 80×24, against a model on this machine');
  const model = spawn(node, [join(ROOT, 'bench', 'console-model.cjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(model.stdout, 'data');
    const open = () => openPty(`${node} ${skein} chat`, String(port).trim());
    await benchLaunch(open, node, row);
    await benchKeys(open, row);
    await benchMemory(open, row);
  } finally {
    model.kill();
    rmSync(HOME, { recursive: true, force: true });
  }
}

type Open = () => Pty;

async function benchLaunch(open: Open, node: string, row: Command['row']): Promise<void> {
  const start = costOf(`${node} -e 0`, 20);
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < LAUNCHES; i += 1) {
    const pty = open();
    await pty.until((out) => out.includes('for keys'));
    least = Math.min(least, pty.cpu());
    await pty.close();
  }
  row('chat, launch to usable prompt', `${least.toFixed(3)} s`, least / start.cpu, 'node -e 0', 8);
}

async function benchKeys(open: Open, row: Command['row']): Promise<void> {
  const pty = open();
  await pty.until((out) => out.includes('for keys'));
  pty.write('stream-now\r');
  await pty.until((out) => out.includes('Writing'));
  const before = pty.out().length;
  const took: number[] = [];
  for (let i = 1; i <= KEYS; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 97));
    const shown = new RegExp(`❯ x{${i}}(?!x)`);
    const from = pty.out().length;
    const began = performance.now();
    pty.write('x');
    await pty.until((out) => shown.test(out.slice(from)));
    took.push(performance.now() - began);
  }
  const written = pty.out().slice(before);
  await pty.close();
  const median = took.toSorted((a, b) => a - b)[KEYS >> 1] ?? 0;
  const worst = Math.max(...took);
  row('a key to the screen at 2,000 tokens/s, median', `${median.toFixed(1)} ms`, median / 16, '16 ms', 1);
  const frames = written.split('\u001b[?2026h').length - 1;
  const each = Buffer.byteLength(written) / Math.max(1, frames);
  row('bytes of a frame', `${each.toFixed(0)} B`, each / (80 * 24), 'a whole screen', 0.5);
  const wiped = written.match(/\u001b\[[23]J|\u001b\[H|\u001b\[\?1049h/g)?.length ?? 0;
  console.log(`     (the slowest key ${worst.toFixed(1)} ms; ${frames} frames, ${wiped} of them the whole screen)`);
}

async function benchMemory(open: Open, row: Command['row']): Promise<void> {
  const pty = open();
  await pty.until((out) => out.includes('for keys'));
  const rss: Record<number, number> = {};
  const early = TURNS / 10;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    pty.forget();
    pty.write('go on\r');
    await pty.until((out) => /Answer \d+\./.test(out) && out.includes('for keys'));
    if (turn === early || turn === TURNS) rss[turn] = pty.rss();
  }
  await pty.close();
  const [few, many] = [rss[early] ?? 1, rss[TURNS] ?? 0];
  row(`memory after ${TURNS} turns`, `${(many / 1e6).toFixed(0)} MB`, many / few, `after ${early}`, 1.3);
}

interface Pty {
  write(text: string): void;
  /** All that was printed since the beginning, or since it was forgotten. */
  out(): string;
  forget(): void;
  until(fits: (out: string) => boolean): Promise<void>;
  /** Seconds of all its threads until now. */
  cpu(): number;
  rss(): number;
  close(): Promise<void>;
}

/** `script` gives what it runs a terminal. */
function openPty(command: string, port: string): Pty {
  const line = `cd ${HOME}/work; stty cols 80 rows 24; exec ${command}`;
  const env = {
    PATH: process.env.PATH,
    HOME,
    TERM: 'xterm-256color',
    NO_COLOR: '1',
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
  };
  const child = spawn('script', ['-qfec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  let out = '';
  let look: (() => void) | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    look?.();
  });
  const pid = () => pidBelow(child);
  return {
    write: (text) => void child.stdin.write(text),
    out: () => out,
    forget: () => {
      out = '';
    },
    until: (fits) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`it never came; the end was ${JSON.stringify(out.slice(-2000))}`)),
          20_000,
        );
        look = () => {
          if (!fits(out)) return;
          look = undefined;
          clearTimeout(late);
          resolve();
        };
        look();
      }),
    cpu: () => {
      const tasks = `/proc/${pid()}/task`;
      const nanoseconds = readdirSync(tasks).map((task) =>
        Number(readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ')[0]),
      );
      return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
    },
    rss: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1] ?? 0) * 1024,
    close: async () => {
      const closed = once(child, 'close');
      // Stops what runs, clears what was typed, and leaves.
      const leaving = setInterval(() => child.stdin.write('\u0003'), 50);
      await closed;
      clearInterval(leaving);
    },
  };
}

/** The shell became the program: it is the child of `script`. */
function pidBelow({ pid }: ChildProcess): number {
  return Number(
    execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')[0],
  );
}
