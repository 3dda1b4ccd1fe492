/** The facts of a report, read from the transcripts themselves. */
import { giveBackGarbage } from '../../archive/turns.ts';
import { DiskError } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { createProject } from '../../disk/project.ts';
import {
  createIdsOnce,
  type FileUsage,
  ofAgent,
  readUsage,
  type UsageOptions,
  type VisitUsage,
} from '../../disk/usage.ts';
import { createUsageFold, type Numbered } from '../../graph/usage/fold.ts';
import { isBetterOrigin, type LineOrigin, type LineUsage } from '../../graph/usage/line.ts';
import { createLineOrigins } from '../../graph/usage/origins.ts';
import type { Context } from '../context.ts';
import { reportProblems } from '../library.ts';
import { progressOf } from '../progress.ts';
import { LARGE } from './tune.ts';

export interface Gathered {
  /** Each is made when it is asked for: of very many not all are in memory. */
  readonly messages: Iterable<FileUsage>;
  numbered(): Iterable<Numbered<LineOrigin>>;
  at(number: number): FileUsage;
  projectOf(message: FileUsage): string;
}

export interface GatherOptions {
  /** What is known of a file without reading it. */
  readonly known?: (file: SessionFile) => FileUsage[] | undefined;
  /** Told of every line and the number of the message it is part of in its own file. */
  readonly onLine?: (line: LineUsage, message: number) => void;
  /** Told of every message of the file that was read last, and the one it is counted as, by its place among all. */
  readonly onMessage?: (message: number, counted: number) => void;
  /** Told when all of a file was. */
  readonly onFile?: () => void;
}

/** Beyond so many messages of all files, they are kept as numbers; and beyond so many of one, as it has them. */
const MOST_AT_HAND = 98_304;
const MANY_IN_FILE = 8192;

/** Each message of all files once. A file that cannot be read is told and passed over. */
export function gatherMessages(context: Context, files: readonly SessionFile[], options: GatherOptions = {}): Gathered {
  const ids = createIdsOnce();
  let most = MOST_AT_HAND;
  const room = { most: () => most, ids, origins: createLineOrigins };
  const fold = createUsageFold<LineOrigin>(isBetterOrigin, room);
  const projects = new Map<string, string>();
  const progress = progressOf(context, 'reading', files);
  for (const file of files) {
    const project = createProject(file.slug);
    const agentId = file.kind === 'agent' ? (file.agentId ?? file.sessionId) : undefined;
    let count = 0;
    eachMessage(context, file, { known: options.known?.(file), onLine: options.onLine, ids }, (message, number) => {
      count += 1;
      if (count > MANY_IN_FILE) most = 0;
      project.see(message.origin.cwd);
      const counted = fold.add(agentId === undefined ? message : ofAgent(message, agentId));
      options.onMessage?.(number, counted);
    });
    options.onFile?.();
    projects.set(file.file, project.project().path);
    progress.done(file);
  }
  progress.clear();
  // The numbers of its messages as its file had them.
  if (most === 0) giveBackGarbage();
  return {
    messages: fold,
    numbered: fold.numbered,
    at: fold.at,
    projectOf: ({ origin }) => projects.get(origin.file) ?? '',
  };
}

interface ReadOptions extends Pick<UsageOptions, 'onLine' | 'ids'> {
  readonly known: readonly FileUsage[] | undefined;
}

function eachMessage(
  context: Context,
  { file, bytes }: SessionFile,
  { known, ...options }: ReadOptions,
  visit: VisitUsage,
): void {
  if (known !== undefined) {
    known.forEach(visit);
    return;
  }
  let isFirst = bytes >= LARGE;
  try {
    readUsage(
      file,
      (message, number) => {
        // What told its lines apart would lie beside what is made of its messages: measured on 1 GB, a tenth of the memory.
        if (isFirst) giveBackGarbage();
        isFirst = false;
        visit(message, number);
      },
      options,
    );
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    reportProblems(context, [{ kind: 'unreadable', what: error.what, where: error.where, next: error.next }]);
  }
}
