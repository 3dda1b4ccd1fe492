/** Whether a file is still what the model saw of it. */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import type { FileSeen, ToolSession } from '../tool.ts';
import { Refusal } from './place.ts';

export function digestOfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export function seenAs(stat: Stats, more: Omit<FileSeen, 'mtimeMs' | 'size'>): FileSeen {
  return { mtimeMs: stat.mtimeMs, size: stat.size, ...more };
}

/** `bytes` are asked for only when the time of the file moved: touching it changes nothing. Throws Refusal. */
export function refuseUnseen(session: ToolSession, path: string, stat: Stats, bytes: () => Uint8Array): void {
  const seen = session.files.get(path);
  if (seen === undefined) {
    throw new Refusal(`${path} exists and was not read in this session. Read it first, then change it.`);
  }
  if (seen.size === stat.size && seen.mtimeMs === stat.mtimeMs) return;
  if (seen.digest !== undefined && seen.digest === digestOfBytes(bytes())) return;
  throw new Refusal(`${path} was changed since it was read, by someone else or by a command. Read it again first.`);
}
