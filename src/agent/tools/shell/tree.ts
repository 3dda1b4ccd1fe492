/**
 * Ending a command with everything it started. Its own process group is not enough: a child that made a session of its own
 * is found by its ancestors, and one whose ancestors are gone by the mark in its environment (where /proc shows it).
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../../disk/errors.ts';

export const MARK_NAME = 'SKEIN_CALL';

export interface Family {
  /** Leaders of process groups that were last seen with somebody in them. */
  readonly leaders: readonly number[];
  /** The beginning of the mark its processes carry. */
  readonly mark: string;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

export function familyOf({ leaders, mark }: Family): number[] {
  const processes = listProcesses().filter(({ pid }) => pid !== process.pid && pid !== 1);
  const members = new Set<number>();
  for (const { pid, group } of processes) {
    if (leaders.includes(group) || carries(pid, mark)) members.add(pid);
  }
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

/** Somebody of the group lives, its leader or another. */
export function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** At once and without mercy, for our own end. */
export function killNow(family: Family): void {
  for (const pid of familyOf(family)) send(pid, 'SIGKILL');
}

/** Asks them to end, then makes them; gives those that live on. */
export async function endFamily(family: Family, graceMs: number): Promise<number[]> {
  let members = familyOf(family);
  for (const pid of members) send(pid, 'SIGTERM');
  const until = performance.now() + graceMs;
  while (members.length > 0 && performance.now() < until) {
    await sleep(POLL_MS);
    members = members.filter(isAlive);
  }
  // What they started meanwhile is asked nothing more; those whose parents went first are known from before.
  for (let round = 0; round < KILL_ROUNDS; round++) {
    members = [...new Set([...members.filter(isAlive), ...familyOf(family)])];
    if (members.length === 0) return [];
    for (const pid of members) send(pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
  return members.filter(isAlive);
}

const POLL_MS = 20;
const KILL_ROUNDS = 10;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, or another user's: the latter shows as one that lives on.
  }
}

const hasProc = process.platform === 'linux';

function listProcesses(): Process[] {
  if (hasProc) return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (fromProc(name) ?? []) : []));
  try {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8', timeout: 5000 });
    return table.split('\n').flatMap(fromPs);
  } catch {
    return [];
  }
}

/** Those that have ended and only wait to be asked how are nobody's trouble. */
function fromProc(name: string): Process | undefined {
  const stat = read(`/proc/${name}/stat`)?.toString('latin1');
  if (stat === undefined) return undefined;
  // The name of the program stands in brackets and may hold anything.
  const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  return { pid: Number(name), parent: Number(parent), group: Number(group) };
}

function fromPs(line: string): Process[] {
  const [pid, parent, group, state] = line.trim().split(/\s+/);
  if (state === undefined || state.startsWith('Z')) return [];
  return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
}

function carries(pid: number, mark: string): boolean {
  return hasProc && read(`/proc/${pid}/environ`)?.includes(`${MARK_NAME}=${mark}`) === true;
}

function isAlive(pid: number): boolean {
  if (hasProc) return fromProc(String(pid)) !== undefined;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function read(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
