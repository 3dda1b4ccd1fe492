/** Which files a question is about: all, or those of one chat. */
import type { SessionFile } from '../../disk/find.ts';
import { parentSessionOf } from '../../disk/parent.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { type Library, openLibrary, reportProblems } from '../library.ts';
import { loadReader } from '../shelf.ts';
import { groupingMeant } from './question.ts';

export interface Chosen {
  readonly library: Library;
  readonly files: readonly SessionFile[];
}

export async function chooseFiles(context: Context, args: Arguments): Promise<Chosen> {
  await loadReader(context, args);
  if (args.positionals.length === 0) {
    const library = openLibrary(context, args);
    reportProblems(context, library.problems);
    return { library, files: library.files };
  }
  const [{ selectOne }, { chatOf }] = await Promise.all([import('../select.ts'), import('../chats.ts')]);
  const { library, file } = orGrouping(args.positionals[0], () => selectOne(context, args));
  const chat = chatOf(context, library, file);
  const ids = new Set(chat.sessions.map(({ id }) => id));
  const paths = new Set(chat.sessions.map((session) => session.file));
  const slugs = new Set(library.files.flatMap((each) => (paths.has(each.file) ? each.slug : [])));
  const isOfChat = (each: SessionFile) =>
    each.kind === 'session' ? paths.has(each.file) : slugs.has(each.slug) && ids.has(ownerOf(each) ?? '');
  return { library, files: file.kind === 'agent' ? [file] : library.files.filter(isOfChat) };
}

/** `usage blocks` and `usage monthly` are what other tools call it. */
function orGrouping<T>(word: string | undefined, select: () => T): T {
  try {
    return select();
  } catch (error) {
    const meant = groupingMeant(word ?? '');
    if (meant === undefined || !(error instanceof CommandError)) throw error;
    throw new CommandError(error.message, error.where, `To count by it: skein usage --by ${meant}`, error.exitCode);
  }
}

/** The session a file belongs to: itself, or that of a sub-agent. */
export function ownerOf(file: SessionFile): string | undefined {
  return file.kind === 'session' ? file.sessionId : (file.parentSessionId ?? parentSessionOf(file.file));
}
