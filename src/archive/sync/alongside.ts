/**
 * Words and outlines made of what is being taken, while its lines are at hand: a pass of its own would read and parse all of it
 * again. The index is committed after the archive, never before, so it knows no line that the archive may lose; where it falls
 * behind, or has any trouble, what is missing is made afterwards (derive.ts).
 */

import type { ArchivedState } from '../files.ts';
import { type DerivedIndex, openIndex } from '../index/derived.ts';
import { saveEnd } from '../index/indexend.ts';
import { hasOutline, saveOutline } from '../index/outlinemaker.ts';
import { nextOf } from '../pieces/next.ts';
import type { PutPiece } from '../pieces/packs.ts';
import { createHolder } from '../search/holder.ts';
import { createLineJoiner, type LineJoiner } from '../search/lines.ts';
import { createPartWriter, type PartWriter } from '../search/partwriter.ts';
import type { Archive } from '../store.ts';
import type { Input } from './input.ts';
import { createLineFollower, type LineFollower } from './linefollower.ts';

export interface FollowedFile extends Pick<LineFollower, 'from'> {
  add(raw: Buffer, put: PutPiece): void;
  /** In the state that was archived. */
  end(state: Pick<ArchivedState, 'id' | 'size' | 'digest'>, tail: Buffer): void;
}

export interface Alongside {
  /** A transaction of the archive begins; the next new piece gets this id. */
  begin(next: number): void;
  /** undefined for what is no transcript. */
  follow(kind: string, input: Input): FollowedFile | undefined;
  /** It was committed, up to this piece. */
  commit(next: number, bytes: number): void;
  /** Nothing more comes. */
  finish(): void;
  /** What is not committed yet is dropped. */
  close(): void;
}

/** Bytes of transcripts in one transaction of the index: so much gives a few megabytes of words, which are sorted and written together. */
const BATCH_BYTES = 64 << 20;

interface OpenIndex extends DerivedIndex {
  readonly parts: PartWriter;
  readonly lines: LineJoiner;
}

export function createAlongside(archive: Archive): Alongside {
  let index: OpenIndex | undefined;
  /** The piece whose words come next, where they are kept at all. */
  let known = 0;
  let bytes = 0;
  let givenUp = false;

  /** Whatever happens to the index, the archive goes on. */
  function attempt(call: () => void): void {
    try {
      call();
    } catch {
      givenUp = true;
      drop();
    }
  }

  function open(): void {
    // Another process that writes the index may be waiting for the archive: it is not waited for.
    const opened = openIndex(archive, { waits: false });
    const { db } = opened;
    index = { ...opened, parts: createPartWriter(db), lines: createLineJoiner() };
    db.exec('BEGIN IMMEDIATE');
    known = nextOf(db);
    bytes = 0;
  }

  function drop(): void {
    const dropped = index;
    index = undefined;
    dropped?.close();
  }

  function finish(): void {
    if (index === undefined) return;
    index.parts.flush();
    saveEnd(index.db, archive.db, index.lines.open() ?? known, known);
    index.db.exec('COMMIT');
    drop();
  }

  return {
    begin(next) {
      if (givenUp) return;
      attempt(() => {
        if (index === undefined) open();
        if (known === next && index?.lines.open() === undefined) return;
        givenUp = true;
        finish();
      });
    },
    follow(kind, input) {
      if (kind !== 'session' && kind !== 'agent') return undefined;
      const follower = createLineFollower(
        input,
        () => index,
        (file) => createHolder(archive.db, file),
        kind === 'session',
      );
      return {
        from: follower.from,
        add(raw, put) {
          if (index !== undefined) attempt(() => follower.add(raw, put));
        },
        end(state, tail) {
          attempt(() => {
            const outline = index && follower.end(tail);
            if (index && outline && !hasOutline(index.db, state.digest)) saveOutline(index.db, state, outline);
          });
        },
      };
    },
    commit(next, more) {
      known = next;
      bytes += more;
      if (bytes >= BATCH_BYTES) attempt(finish);
    },
    finish: () => attempt(finish),
    close: drop,
  };
}
