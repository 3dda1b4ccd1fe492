/** The chat that a session with copied turns belongs to, as `export` has it: for the hook and `follow --export`. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SessionFile } from '../../disk/find.ts';
import { readSessionOf } from '../../disk/read.ts';
import type { OpenWhole, WholeChat } from '../../export/otlp/copied.ts';
import type { Entry } from '../../format/entry.ts';
import { chatOf, openChat } from '../chats.ts';
import type { Context } from '../context.ts';
import { type Library, lookAt } from '../library.ts';
import { loadArchiveReader } from '../shelf.ts';

/** `roots`: where to look; without any, in the client's own place, or where the session lies if it is not there. */
export async function openOriginals(context: Context, roots: readonly string[] = []): Promise<OpenWhole> {
  await loadArchiveReader(context);
  return ({ file }) => {
    for (const places of [roots, [dirname(dirname(dirname(file)))], [dirname(file)]]) {
      const library = lookAt(context, places);
      const own = fileIn(library, file);
      if (own !== undefined) return wholeOf(context, library, own);
    }
    return undefined;
  };
}

function wholeOf(context: Context, library: Library, own: SessionFile): WholeChat {
  const { file } = own;
  let entries: readonly Entry[] = [];
  const chat = openChat(library, chatOf(context, library, own), (path) => {
    const read = readSessionOf(path).entries;
    if (path === file) entries = read;
    return read;
  });
  return { chat, file, entries };
}

/** A path may lead through links. */
function fileIn({ files }: Library, file: string): SessionFile | undefined {
  return files.find((each) => each.file === file) ?? files.find((each) => each.file === realPath(file));
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
