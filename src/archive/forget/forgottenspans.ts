/**
 * When forgotten sessions were going on. Prompts of old clients stand in `history.jsonl` without the session they belong to (L4): by
 * project and time alone they are known to be its own, and must not come back as a chat once it is gone. No word of it is kept.
 */
import { toEntry } from '../../format/entry.ts';
import { splitLines } from '../../format/lines.ts';
import { memorySource } from '../../format/session.ts';
import { projectSlug } from '../../format/slug.ts';
import { parseTimestamp } from '../../format/time.ts';
import { ArchiveError } from '../errors.ts';
import { type ArchivedFile, versionsOf } from '../files.ts';
import { NEAR_MS } from '../mount/history.ts';
import { slugOf } from '../mount/mountfiles.ts';
import { createPieceReader } from '../pieces/packs.ts';
import { bytesOfVersion } from '../pieces/read.ts';
import { all, type Database, get, numberOf, type Row, run, textOf } from '../sqlite.ts';
import { sessionStone } from './tombstones.ts';

export interface ForgottenSpan {
  /** As its tombstone. */
  readonly what: string;
  /** The name of the project's folder. */
  readonly slug: string;
  /** Milliseconds. */
  readonly first: number;
  readonly last: number;
}

const SQL = 'SELECT what, slug, first, last FROM span';

export function allSpans(db: Database): ForgottenSpan[] {
  return all(db, SQL).map(toSpan);
}

export function spanOf(db: Database, what: string): ForgottenSpan | undefined {
  const row = get(db, `${SQL} WHERE what = ?`, what);
  return row && toSpan(row);
}

/** Whether a prompt of a project may be of a session that was going on then. */
export function isWithin(
  { slug, first, last }: ForgottenSpan,
  project: string | undefined,
  time: number | undefined,
): boolean {
  if (project === undefined || time === undefined || projectSlug(project) !== slug) return false;
  return time >= first - NEAR_MS && time <= last + NEAR_MS;
}

function toSpan(row: Row): ForgottenSpan {
  return {
    what: textOf(row, 'what'),
    slug: textOf(row, 'slug'),
    first: numberOf(row, 'first'),
    last: numberOf(row, 'last'),
  };
}

export function saveSpan(db: Database, { what, slug, first, last }: ForgottenSpan): void {
  run(db, 'INSERT OR REPLACE INTO span (what, slug, first, last) VALUES (?, ?, ?, ?)', what, slug, first, last);
}

/** Of the sessions among them, whatever state they are in. */
export function spansOfFiles(db: Database, files: readonly ArchivedFile[]): ForgottenSpan[] {
  return files.flatMap((file) => {
    const what = sessionStone(file.session);
    const span = file.kind === 'session' && what !== undefined ? timesOf(db, file.id) : undefined;
    return span === undefined || what === undefined ? [] : [{ what, slug: slugOf(file), ...span }];
  });
}

function timesOf(db: Database, file: number): Pick<ForgottenSpan, 'first' | 'last'> | undefined {
  const reader = createPieceReader(db, { atHand: 2, releases: true });
  const source = memorySource('', new Uint8Array());
  let [first, last] = [Infinity, -Infinity];
  try {
    for (const version of versionsOf(db, file)) {
      for (const { line, bytes } of splitLines(bytesOfVersion(db, version, reader))) {
        const time = parseTimestamp(toEntry(source, line, bytes).head.timestamp ?? '');
        if (Number.isNaN(time)) continue;
        first = Math.min(first, time);
        last = Math.max(last, time);
      }
    }
  } catch (error) {
    // What is damaged can be forgotten too.
    if (!(error instanceof ArchiveError)) throw error;
  }
  return first <= last ? { first, last } : undefined;
}
