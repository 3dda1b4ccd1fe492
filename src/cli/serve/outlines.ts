/** Outlines that stay: a session is read when it is new, and where it grew only what was added. */
import { DiskError, type Problem } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { FILE_START, type Position } from '../../format/lines.ts';
import { createOutline, type Outline } from '../../graph/outline.ts';
import type { Library } from '../library.ts';
import { withSavedTitle } from '../outlines.ts';
import { bytesBefore } from './entries.ts';
import { pushOf } from './pushes.ts';

export interface KeptOutlines {
  /** What is known without reading. */
  known(file: SessionFile, library: Library): Outline | undefined;
  /** Reads it; `pause` is called between lines. What cannot be read is a problem and has none. */
  read(file: SessionFile, pause: () => Promise<void> | undefined): Promise<Outline | undefined>;
  /** Forgets what is not among these. */
  keep(files: readonly SessionFile[]): void;
  readonly problems: readonly Problem[];
}

/** A fold that goes on where it stopped. */
interface Fold {
  readonly outline: ReturnType<typeof createOutline>;
  next: Position;
  /** What stands before `next`: other bytes there mean another file. */
  before: Uint8Array;
}

/** Folds take memory: only those of sessions that were read here, the last so many, go on. */
const MOST_FOLDS = 32;

export function createKeptOutlines(): KeptOutlines {
  const outlines = new Map<string, { readonly stamp: string; readonly outline: Outline | undefined }>();
  const folds = new Map<string, Fold>();
  const problems = new Map<string, Problem>();

  const put = (file: SessionFile, outline: Outline | undefined): Outline | undefined => {
    const whole = outline && withSavedTitle(outline, file);
    outlines.set(file.file, { stamp: stampOf(file), outline: whole });
    return whole;
  };

  return {
    known(file, library) {
      const kept = outlines.get(file.file);
      if (kept?.stamp === stampOf(file)) return kept.outline;
      // An empty file is not worth reading (L6).
      const outline = file.bytes === 0 ? createOutline().result() : library.known.outlineOf(file);
      return outline && put(file, outline);
    },
    async read(file, pause) {
      try {
        const fold = goOn(file, folds.get(file.file));
        folds.delete(file.file);
        for (const entry of readEntriesOf(file.file, { from: fold.next })) {
          // The half line at the end is counted when it is whole.
          if (!entry.line.terminated) break;
          fold.outline.add(entry);
          fold.next = { offset: entry.line.end + 1, number: entry.line.number + 1 };
          const wait = pause();
          if (wait) await wait;
        }
        fold.before = bytesBefore(file.file, fold.next.offset);
        if (file.source === undefined) folds.set(file.file, fold);
        const [oldest] = folds.keys();
        if (folds.size > MOST_FOLDS && oldest !== undefined) folds.delete(oldest);
        problems.delete(file.file);
        return put(file, fold.outline.result());
      } catch (error) {
        if (!(error instanceof DiskError)) throw error;
        const { what, where, next } = error;
        problems.set(file.file, { kind: 'unreadable', what, where, next });
        return put(file, undefined);
      }
    },
    keep(files) {
      const there = new Set(files.map(({ file }) => file));
      for (const map of [outlines, folds, problems]) {
        for (const path of map.keys()) if (!there.has(path)) map.delete(path);
      }
    },
    get problems() {
      return [...problems.values()];
    },
  };
}

export function stampOf({ file, bytes, mtimeMs, source }: SessionFile): string {
  return `${file}\0${bytes}\0${mtimeMs}\0${source ?? ''}\0${source === 'team' ? pushOf(file) : ''}`;
}

/** The fold of the same file, if it only grew; else a new one. */
function goOn({ file, bytes }: SessionFile, fold: Fold | undefined): Fold {
  const isSame =
    fold !== undefined &&
    fold.next.offset <= bytes &&
    Buffer.compare(bytesBefore(file, fold.next.offset), fold.before) === 0;
  return isSame ? fold : { outline: createOutline(), next: FILE_START, before: new Uint8Array() };
}
