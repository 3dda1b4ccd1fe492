/** A transcript line by line while it is taken: each line is parsed once, for its words and for the outline of its session. */
import { type Source, toEntry, toParsedEntry } from '../../format/entry.ts';
import type { Line } from '../../format/lines.ts';
import { createOutline, type Outline } from '../../graph/outline.ts';
import { findableOf } from '../../views/search/parts.ts';
import type { PutPiece } from '../pieces/packs.ts';
import type { Holder } from '../search/holder.ts';
import { findableLine, type LineJoiner } from '../search/lines.ts';
import type { PartWriter } from '../search/partwriter.ts';
import type { Input } from './input.ts';

export interface LineFollower {
  /** What comes next begins at this byte of the archive's file. */
  from(start: number, file: number): void;
  /** A line, or a part of a very long one. */
  add(raw: Buffer, put: PutPiece): void;
  /** The outline, if all of the file passed by; `tail` is its torn end. */
  end(tail: Buffer): Outline | undefined;
}

/** Where words go; nothing while the index is not as far as the archive. */
export type WordsAt = () => { readonly parts: PartWriter; readonly lines: LineJoiner } | undefined;

const NEWLINE = 10;

export function createLineFollower(
  input: Input,
  wordsAt: WordsAt,
  holderOf: (file: number) => Holder,
  withOutline: boolean,
): LineFollower {
  let outline = withOutline ? createOutline() : undefined;
  let holder: Holder | undefined;
  let at = 0;
  /** Where the line began whose parts come. */
  let begun = 0;
  let number = 1;
  let near: Buffer | undefined;
  /** Lines come to those that were taken before. */
  let appends: boolean | undefined;
  const source: Source = {
    name: '',
    read(start, end) {
      const from = start - at;
      if (near !== undefined && from >= 0 && end - at <= near.length) return near.subarray(from, end - at);
      const bytes = Buffer.allocUnsafe(end - start);
      return bytes.subarray(0, input.fill(bytes, start));
    },
  };

  function lineOf(length: number, terminated: boolean): Line {
    return { number, start: at, end: at + length, terminated };
  }

  return {
    from(start, file) {
      if (holder?.file !== file) holder = holderOf(file);
      // Another process took a part of it, or it is not read from its beginning.
      if (start !== at) outline = undefined;
      appends ??= start > 0;
      at = start;
    },
    add(raw, put) {
      if (holder === undefined) return;
      holder.saw(put.id);
      const index = wordsAt();
      const words = put.isNew ? index : undefined;
      if (!put.isNew && appends) index?.parts.addKnown(holder.file, () => findableLine(raw));
      const length = raw.length - 1;
      near = raw;
      if (words?.lines.open() === undefined) begun = at;
      if (raw[length] !== NEWLINE || words?.lines.open() !== undefined) {
        outline = undefined;
        const joined = words?.lines.push(put.id, raw);
        if (joined !== undefined) words?.parts.add(joined.piece, findableLine(joined.bytes), holder, begun);
      } else if (words !== undefined) {
        const { entry, json } = toParsedEntry(source, lineOf(length, true), raw.subarray(0, length));
        outline?.add(entry, json);
        words.parts.add(
          put.id,
          entry.kind === 'unreadable' ? findableLine(raw) : findableOf(entry, json),
          holder,
          begun,
        );
      } else outline?.add(toEntry(source, lineOf(length, true), raw.subarray(0, length)));
      at += raw.length;
      number += 1;
      near = undefined;
    },
    end(tail) {
      if (outline === undefined) return undefined;
      near = tail;
      if (tail.length > 0) outline.add(toEntry(source, lineOf(tail.length, false), tail));
      return outline.result();
    },
  };
}
