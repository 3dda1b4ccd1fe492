/** The outlines of a library's sessions: what the archive knows is not read, what was read once is not read again. */
import { join } from 'node:path';
import { DiskError } from '../disk/errors.ts';
import type { SessionFile } from '../disk/find.ts';
import { isFileAt } from '../disk/mounts.ts';
import { readEntriesOf } from '../disk/read.ts';
import { folderOf, readJsonObject } from '../disk/sidecars.ts';
import { asString } from '../format/json.ts';
import { type Outline, outlineOf } from '../graph/outline.ts';
import type { Context } from './context.ts';
import { type Beginning, readBeginning } from './kin.ts';
import { type Library, reportProblems } from './library.ts';

export interface Outlines {
  outlineOf(file: SessionFile): Outline | undefined;
  beginningOf(file: SessionFile): Beginning | undefined;
}

export function createOutlines(context: Context, library: Library): Outlines {
  const tell = ({ what, where, next }: DiskError) =>
    reportProblems(context, [{ kind: 'unreadable', what, where, next }]);
  const whole = remembering((file) => {
    const outline = library.known.outlineOf(file) ?? readOr(() => outlineOf(readEntriesOf(file.file)), tell);
    return outline && withSavedTitle(outline, file);
  });
  const beginnings = remembering((file) => {
    const outline = library.known.outlineOf(file);
    // What is wrong with a session that nobody asked for is told when it is listed.
    return outline
      ? { outline, isWhole: true }
      : readOr(
          () => readBeginning(file),
          () => {},
        );
  });
  return { outlineOf: whole, beginningOf: beginnings };
}

function remembering<T>(read: (file: SessionFile) => T): (file: SessionFile) => T {
  const known = new Map<SessionFile, { readonly value: T }>();
  return (file) => {
    const found = known.get(file) ?? { value: read(file) };
    known.set(file, found);
    return found.value;
  };
}

function readOr<T>(read: () => T, tell: (error: DiskError) => void): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    tell(error);
    return undefined;
  }
}

export function withSavedTitle(outline: Outline, file: SessionFile): Outline {
  const custom = outline.titles.custom ?? savedTitle(file);
  return custom === undefined ? outline : { ...outline, titles: { ...outline.titles, custom } };
}

/** The client also keeps the name a person gave in a file of its own (L4). */
function savedTitle(file: SessionFile): string | undefined {
  const path = join(folderOf(file), 'custom-title.json');
  return isFileAt(path) ? asString(readJsonObject(path)?.customTitle) : undefined;
}
