/** The facts of a report, read from the transcripts themselves. */
import { giveBackGarbage } from '../../archive/turns.ts';
import { DiskError } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { projectOfCwds } from '../../disk/project.ts';
import { type FileUsage, ofAgent, usageOfFile } from '../../disk/usage.ts';
import { createUsageFold } from '../../graph/usage/fold.ts';
import { isBetterOrigin, type LineOrigin, type LineUsage } from '../../graph/usage/line.ts';
import type { Context } from '../context.ts';
import { reportProblems } from '../library.ts';
import { progressOf } from '../progress.ts';
import { LARGE } from './tune.ts';

export interface Gathered {
  readonly messages: readonly FileUsage[];
  projectOf(message: FileUsage): string;
}

export interface GatherOptions {
  /** What is known of a file without reading it. */
  readonly known?: (file: SessionFile) => FileUsage[] | undefined;
  /** Told of every line and the message it is part of in its own file. */
  readonly onLine?: (line: LineUsage, message: FileUsage) => void;
  /** Told of every message of a file, and the one it is counted as. */
  readonly onMessage?: (message: FileUsage, counted: FileUsage) => void;
}

/** Each message of all files once. A file that cannot be read is told and passed over. */
export function gatherMessages(context: Context, files: readonly SessionFile[], options: GatherOptions = {}): Gathered {
  const fold = createUsageFold<LineOrigin>(isBetterOrigin);
  const projects = new Map<string, string>();
  const progress = progressOf(context, 'reading', files);
  for (const file of files) {
    const messages = messagesOf(context, file, options);
    projects.set(file.file, projectOf(file, messages));
    for (const message of messages) {
      const own = options.onMessage ? { ...message } : message;
      options.onMessage?.(message, fold.add(own));
      if (!options.onMessage) fold.add(own);
    }
    progress.done(file);
  }
  progress.clear();
  return { messages: fold.messages(), projectOf: ({ origin }) => projects.get(origin.file) ?? '' };
}

function messagesOf(context: Context, file: SessionFile, { known, onLine }: GatherOptions): FileUsage[] {
  try {
    const messages = known?.(file) ?? readUsage(file, onLine);
    return file.kind === 'agent' ? messages.map((each) => ofAgent(each, file.agentId ?? file.sessionId)) : messages;
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    reportProblems(context, [{ kind: 'unreadable', what: error.what, where: error.where, next: error.next }]);
    return [];
  }
}

function readUsage({ file, bytes }: SessionFile, onLine: GatherOptions['onLine']): FileUsage[] {
  const messages = usageOfFile(file, { onLine });
  // What told its lines apart would lie beside what is made of its messages: measured on 1 GB, a tenth of the memory.
  if (bytes >= LARGE) giveBackGarbage();
  return messages;
}

export function projectOf({ slug }: SessionFile, messages: readonly FileUsage[]): string {
  const { path } = projectOfCwds(
    messages.map(({ origin }) => origin.cwd),
    slug,
  );
  return path;
}
