/** The sessions an editor can go on with, newest first. */
import { realpathSync } from 'node:fs';
import { type ListSessionsRequest, type ListSessionsResponse, RequestError } from '@agentclientprotocol/sdk';
import { isOnDisk } from '../../disk/mounts.ts';
import { safeLine } from '../../views/safe.ts';
import { listChats } from '../chats.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { lookAt } from '../library.ts';
import { loadArchiveReader } from '../shelf.ts';

const PAGE = 50;

export async function listSessions(
  context: Context,
  args: Arguments,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const start = cursor == null ? 0 : Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0) throw RequestError.invalidParams(undefined, 'the cursor is not ours');
  await loadArchiveReader(context);
  const folder = cwd == null ? undefined : realFolder(cwd);
  const chats = listChats(context, lookAt(context, args.values('root'))).filter(
    ({ project, file }) => isOnDisk(file.file) && (folder === undefined || project === folder),
  );
  const more = start + PAGE < chats.length;
  return {
    sessions: chats.slice(start, start + PAGE).map(({ file, project, title, updated }) => ({
      sessionId: file.sessionId,
      cwd: project,
      ...(title !== undefined && { title: safeLine(title) }),
      ...(updated !== undefined && { updatedAt: updated }),
    })),
    ...(more && { nextCursor: String(start + PAGE) }),
  };
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
