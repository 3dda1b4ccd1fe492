/** The entries of sessions that are open: of one that grew only the new lines are read. */
import { DiskError } from '../../disk/errors.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { fileSource } from '../../disk/source.ts';
import type { Entry } from '../../format/entry.ts';
import { FILE_START, type Position } from '../../format/lines.ts';
import { pushOf } from './pushes.ts';

export interface KeptEntries {
  /** Reads a file with pauses, so that `read` has little left to do. What is wrong with the file is told there. */
  prepare(file: string, pause: () => Promise<void> | undefined): Promise<void>;
  read(file: string): readonly Entry[];
  /** Forgets all others. */
  keep(files: ReadonlySet<string>): void;
}

interface Kept {
  readonly entries: readonly Entry[];
  /** Where the last whole line ends, and what stands before: other bytes there mean another file. */
  readonly end: number;
  readonly before: Uint8Array;
  readonly push: number;
}

const BEFORE_BYTES = 256;

export function createKeptEntries(): KeptEntries {
  const kept = new Map<string, Kept>();
  /** What went wrong a moment ago would go wrong again: after a server that did not answer, nobody waits for it twice. */
  const failed = new Map<string, DiskError>();

  /** What is known of the file as it is, and where to read on. */
  function known(file: string): { readonly entries: readonly Entry[]; readonly next: Position } {
    const known = kept.get(file);
    const last = known && isSame(file, known) ? known.entries.at(-1) : undefined;
    if (known === undefined || last === undefined) return { entries: [], next: FILE_START };
    return { entries: known.entries, next: { offset: last.line.end + 1, number: last.line.number + 1 } };
  }

  return {
    async prepare(file, pause) {
      failed.delete(file);
      try {
        const push = pushOf(file);
        const { entries, next } = known(file);
        const all = [...entries];
        for (const entry of readEntriesOf(file, { from: next })) {
          all.push(entry);
          const wait = pause();
          if (wait) await wait;
        }
        kept.set(file, keptOf(file, all, push));
      } catch (error) {
        if (!(error instanceof DiskError)) throw error;
        failed.set(file, error);
      }
    },
    read(file) {
      const failure = failed.get(file);
      if (failure) throw failure;
      const push = pushOf(file);
      const { entries, next } = known(file);
      const all = [...entries, ...readEntriesOf(file, { from: next })];
      kept.set(file, keptOf(file, all, push));
      return all;
    },
    keep(files) {
      for (const map of [kept, failed]) for (const file of map.keys()) if (!files.has(file)) map.delete(file);
    },
  };
}

/** A half line at the end is read again when it is whole. */
function keptOf(file: string, entries: readonly Entry[], push: number): Kept {
  const whole = entries.at(-1)?.line.terminated === false ? entries.slice(0, -1) : entries;
  const last = whole.at(-1);
  const end = last === undefined ? 0 : last.line.end + 1;
  return { entries: whole, end, before: bytesBefore(file, end), push };
}

function isSame(file: string, { end, before, push }: Kept): boolean {
  return end > 0 && push === pushOf(file) && Buffer.compare(bytesBefore(file, end), before) === 0;
}

export function bytesBefore(file: string, offset: number): Uint8Array {
  const source = fileSource(file);
  try {
    return new Uint8Array(source.read(Math.max(0, offset - BEFORE_BYTES), offset));
  } finally {
    source.close();
  }
}
