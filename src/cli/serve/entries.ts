/** The entries of sessions that are open: of one that grew only the new lines are read. */
import { DiskError } from '../../disk/errors.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { fileSource } from '../../disk/source.ts';
import type { Entry } from '../../format/entry.ts';
import { FILE_START, type Position } from '../../format/lines.ts';

export interface KeptEntries {
  /** Reads a file with pauses, so that `read` has little left to do. Throws nothing: what is wrong shows there. */
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
}

const BEFORE_BYTES = 256;

export function createKeptEntries(): KeptEntries {
  const kept = new Map<string, Kept>();

  /** What is known of the file as it is, and where to read on. */
  function known(file: string): { readonly entries: readonly Entry[]; readonly next: Position } {
    const known = kept.get(file);
    const last = known && isSame(file, known) ? known.entries.at(-1) : undefined;
    if (known === undefined || last === undefined) return { entries: [], next: FILE_START };
    return { entries: known.entries, next: { offset: last.line.end + 1, number: last.line.number + 1 } };
  }

  return {
    async prepare(file, pause) {
      try {
        const { entries, next } = known(file);
        const all = [...entries];
        for (const entry of readEntriesOf(file, { from: next })) {
          all.push(entry);
          const wait = pause();
          if (wait) await wait;
        }
        kept.set(file, keptOf(file, all));
      } catch (error) {
        if (!(error instanceof DiskError)) throw error;
      }
    },
    read(file) {
      const { entries, next } = known(file);
      const all = [...entries, ...readEntriesOf(file, { from: next })];
      kept.set(file, keptOf(file, all));
      return all;
    },
    keep(files) {
      for (const file of kept.keys()) if (!files.has(file)) kept.delete(file);
    },
  };
}

/** A half line at the end is read again when it is whole. */
function keptOf(file: string, entries: readonly Entry[]): Kept {
  const whole = entries.at(-1)?.line.terminated === false ? entries.slice(0, -1) : entries;
  const last = whole.at(-1);
  const end = last === undefined ? 0 : last.line.end + 1;
  return { entries: whole, end, before: bytesBefore(file, end) };
}

function isSame(file: string, { end, before }: Kept): boolean {
  return end > 0 && Buffer.compare(bytesBefore(file, end), before) === 0;
}

export function bytesBefore(file: string, offset: number): Uint8Array {
  const source = fileSource(file);
  try {
    return new Uint8Array(source.read(Math.max(0, offset - BEFORE_BYTES), offset));
  } finally {
    source.close();
  }
}
