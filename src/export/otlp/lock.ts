/** One sender at a time: a lock says which process holds it, and a process that is gone holds nothing. */
import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolders } from '../../disk/durable.ts';
import { codeOf, toDiskError } from '../../disk/errors.ts';

export interface LockOptions {
  /** How long to wait for another sender. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export type Release = () => void;

const LOOK_AGAIN_MS = 50;
let made = 0;

/** undefined where another process holds one of them and goes on doing so. Throws DiskError where no lock can be made. */
export async function acquire(
  folder: string,
  names: readonly string[],
  options: LockOptions = {},
): Promise<Release | undefined> {
  const until = Date.now() + (options.waitMs ?? 0);
  const held: string[] = [];
  const release = () => {
    for (const path of held.splice(0)) removeIfThere(path);
  };
  // Always in the same order, so that two senders never wait for each other.
  for (const name of [...new Set(names)].sort()) {
    const path = join(folder, `${name.replace(/[^\w.-]/g, '_')}.lock`);
    while (!take(folder, path)) {
      if (Date.now() >= until || options.signal?.aborted) {
        release();
        return undefined;
      }
      await sleep(LOOK_AGAIN_MS);
    }
    held.push(path);
  }
  return release;
}

/** Those of them that no process holds now, without waiting; `release` gives them all back. */
export async function acquireFree(
  folder: string,
  names: Iterable<string>,
): Promise<{ readonly held: ReadonlySet<string>; readonly release: Release }> {
  const releases = new Map<string, Release>();
  const release = () => {
    for (const each of releases.values()) each();
  };
  try {
    for (const name of new Set(names)) {
      const own = await acquire(folder, [name]);
      if (own !== undefined) releases.set(name, own);
    }
  } catch (error) {
    release();
    throw error;
  }
  return { held: new Set(releases.keys()), release };
}

function take(folder: string, path: string): boolean {
  made += 1;
  const own = join(folder, `.${process.pid}.${made}.tmp`);
  try {
    makeFolders(folder, false);
    writeFileSync(own, `${process.pid} ${ownStart()}\n`, { mode: 0o600 });
    try {
      return link(own, path) || (removeStale(path, own) && link(own, path));
    } finally {
      removeIfThere(own);
    }
  } catch (error) {
    throw toDiskError(error, 'cannot lock', path);
  }
}

/** A second name for a file that is written already: a lock is never seen without its owner. */
function link(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Taken away by renaming, which only one process can do. If it was another lock by then, it is put back. */
function removeStale(path: string, own: string): boolean {
  const owner = readIfThere(path);
  if (owner === undefined) return true;
  if (isAlive(owner)) return false;
  const aside = `${own}.stale`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    throw error;
  }
  const isSame = readIfThere(aside) === owner;
  if (!isSame) link(aside, path);
  removeIfThere(aside);
  return isSame;
}

/** A number is given to another process after a while; the time it began tells them apart. */
function isAlive(owner: string): boolean {
  const [, pid, started] = /^(\d+) (\S+)/.exec(owner) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  const now = startOf(Number(pid));
  return now === undefined || started === '?' || now === started;
}

let ownStarted: string | undefined;

function ownStart(): string {
  ownStarted ??= startOf(process.pid) ?? '?';
  return ownStarted;
}

/** Ticks since the machine began, and which run of the machine; where the system does not tell, the number alone decides. */
function startOf(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  const ticks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return ticks && `${ticks}@${readIfThere('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? ''}`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already.
  }
}
