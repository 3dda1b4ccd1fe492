/** The chats of a library with what a list shows of them. */
import { DiskError } from '../disk/errors.ts';
import type { SessionFile } from '../disk/find.ts';
import { readEntriesOf } from '../disk/read.ts';
import { type Outline, outlineOf, titleOf } from '../graph/outline.ts';
import type { Context } from './context.ts';
import { type Library, reportProblems, sessionFilesOf } from './library.ts';
import { progressOf } from './progress.ts';

export interface Listed {
  readonly id: string;
  readonly title: string | undefined;
  readonly head: SessionFile;
  readonly outline: Outline;
  readonly project: string;
}

/** Newest first. */
export function listChats(context: Context, library: Library): Listed[] {
  const files = sessionFilesOf(library);
  const progress = progressOf(context, 'reading', files);
  const listed = files.flatMap((file) => {
    const outline = readOutline(context, file);
    progress.done(file);
    if (outline === undefined) return [];
    return [
      {
        id: file.sessionId,
        title: titleOf(outline.titles, new Set(outline.uuids)),
        head: file,
        outline,
        project: outline.cwd ?? file.slug,
      },
    ];
  });
  progress.clear();
  return listed.toSorted((a, b) => timeOf(b) - timeOf(a));
}

function timeOf({ outline, head }: Listed): number {
  const time = Date.parse(outline.updated ?? '');
  return Number.isNaN(time) ? head.mtimeMs : time;
}

function readOutline(context: Context, file: SessionFile): Outline | undefined {
  try {
    return outlineOf(readEntriesOf(file.file));
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    reportProblems(context, [{ kind: 'unreadable', what: error.what, where: error.where, next: error.next }]);
    return undefined;
  }
}
