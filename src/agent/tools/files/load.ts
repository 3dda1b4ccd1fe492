/** A whole file in memory, for tools that change it. */
import { fstatSync, type Stats } from 'node:fs';
import { closeFile, openFile, readAt } from '../../../disk/io.ts';
import { Refusal } from './place.ts';

export interface Loaded {
  readonly bytes: Buffer;
  readonly stat: Stats;
}

/** Throws Refusal, or what the disk throws. */
export function loadFile(path: string, most: number): Loaded {
  const fd = openFile(path);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Refusal(`${path} is not a file any more.`);
    if (stat.size > most)
      throw new Refusal(`${path} is too large for this: ${inMB(stat.size)} of ${inMB(most)} at most.`);
    return { bytes: readWhole(fd, stat.size), stat };
  } finally {
    closeFile(fd);
  }
}

function readWhole(fd: number, size: number): Buffer {
  // One more than there should be: a file that grows meanwhile, or says it is empty as in /proc, shows.
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(Math.max(size - at, 0) + 4096);
    const got = readAt(fd, chunk, at);
    if (got === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, got));
    at += got;
  }
}

export function inMB(bytes: number): string {
  return `${(bytes / (1 << 20)).toFixed(1)} MB`;
}
