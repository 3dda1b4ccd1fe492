/**
 * The sums the archive keeps, without opening the library: when every transcript on disk is archived as it is, and the archive
 * has just as many, they are the same.
 */
import { join, resolve } from 'node:path';
import { holdForLarge } from '../../archive/compilers.ts';
import { ArchiveError } from '../../archive/errors.ts';
import { type KeptUsage, openUsage } from '../../archive/index/usagekept.ts';
import { ARCHIVE_NAME, archiveFolder, mayHold } from '../../archive/place.ts';
import { compareWithDisk } from '../../archive/search/fresh.ts';
import { type Archive, openArchiveFile } from '../../archive/store.ts';
import { findRoots, type Root } from '../../disk/roots.ts';
import type { Fact } from '../../views/usage/facts.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';

/** What sums need not tell apart. */
export interface Enough {
  /** By the machine's days will do. */
  readonly byDay: boolean;
  /** Projects, branches and models are asked for. */
  readonly named: boolean;
}

/** undefined whenever it is not that simple, or there is something to tell: the library is opened then. */
export function quickSums(context: Context, args: Arguments, enough: Enough): Fact[] | undefined {
  const folder = resolve(context.cwd, archiveFolder(context));
  if (!mayHold(folder)) return undefined;
  const { roots, problems } = findRoots({ given: args.values('root'), env: context.env, home: context.home });
  if (problems.length > 0) return undefined;
  try {
    return sumsOf({ ...openArchiveFile(join(folder, ARCHIVE_NAME)), folder }, roots, enough, context.alone);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return undefined;
  }
}

function sumsOf(
  archive: Archive,
  roots: readonly Root[],
  { byDay, named }: Enough,
  alone?: boolean,
): Fact[] | undefined {
  let usage: KeptUsage | undefined;
  const release = holdForLarge(archive.path);
  try {
    usage = openUsage(archive);
    if (usage === undefined) return undefined;
    const { count, fresh, problems } = compareWithDisk(archive.db, roots, { index: usage.index, alone });
    if (count === 0 || fresh.length + problems.length > 0) return undefined;
    return (byDay ? usage.dayCells(count, named) : undefined) ?? usage.cells(count);
  } finally {
    release();
    usage?.close();
    archive.close();
  }
}
