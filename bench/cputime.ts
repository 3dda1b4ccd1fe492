/** CPU seconds of this process and of those it started: what passes on the clock depends on who else works on the machine. */
import { readFileSync } from 'node:fs';

/** Ticks a second, as Linux counts them. */
const TICKS = 100;

export function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + children().reduce((sum, pid) => sum + cpuOf(pid), 0) + ended();
}

function children(): string[] {
  const { pid } = process;
  return textOf(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((each) => each !== '');
}

/** With those it waited for. */
function cpuOf(pid: string): number {
  return timesIn(pid).reduce((sum, ticks) => sum + ticks, 0) / TICKS;
}

/** Of those that ended and were waited for. */
function ended(): number {
  const [, , user = 0, system = 0] = timesIn('self');
  return (user + system) / TICKS;
}

/** utime, stime, cutime, cstime. */
function timesIn(pid: string): number[] {
  const [, rest = ''] = textOf(`/proc/${pid}/stat`).split(/\) (?=[A-Z])/);
  return rest.split(' ').slice(11, 15).map(Number);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
