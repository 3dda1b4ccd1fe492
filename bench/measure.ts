/** CPU seconds and peak memory of whole processes: the least of several runs, since noise only adds. */
import { spawnSync } from 'node:child_process';

export interface Cost {
  readonly cpu: number;
  /** Bytes; only known of Node processes. */
  readonly rss: number;
}

export interface Feed {
  /** Done before each run, and not counted. */
  readonly before?: string;
  /** A file that is written to its standard input, by a pipe; who writes it is not counted either. */
  readonly input?: string;
}

/** Runs a shell command; `time` counts it and all its children. */
export function costOf(command: string, runs = 5, feed: Feed = {}): Cost {
  return least(Array.from({ length: runs }, () => once(command, feed)));
}

/** A command and what it is compared with in turn, so that a machine whose speed changes is the same to both. */
export function costBeside(base: string, command: string, runs: number, feed: Feed = {}): { base: Cost; cost: Cost } {
  const rounds = Array.from({ length: runs }, () => ({ base: once(base, {}), cost: once(command, feed) }));
  return { base: least(rounds.map((round) => round.base)), cost: least(rounds.map((round) => round.cost)) };
}

function least(costs: readonly Cost[]): Cost {
  return { cpu: Math.min(...costs.map(({ cpu }) => cpu)), rss: Math.max(...costs.map(({ rss }) => rss)) };
}

function once(command: string, { before = ':', input }: Feed): Cost {
  const timed = `{ time { ${command} ; } >/dev/null ; }`;
  const script = `TIMEFORMAT='cpu %3U %3S'; ${before}; ${input === undefined ? timed : `cat ${input} | ${timed}`}`;
  const { stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const match = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(stderr ?? '');
  // What cannot be started takes no time.
  if (match === null || status === 126 || status === 127)
    throw new Error(`${command.slice(0, 400)}: exit ${status}\n${stderr ?? ''}`);
  const rss = /peak (\d+)/.exec(stderr)?.[1];
  return { cpu: Number(match[1]) + Number(match[2]), rss: Number(rss ?? 0) };
}
