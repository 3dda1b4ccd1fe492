/** Going on with a chat: here, or in the client, in the folder it belongs to. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ListedChat } from '../chats.ts';
import type { Context } from '../context.ts';
import { configOf } from '../edit/source.ts';
import { projectFolder } from '../search/places.ts';
import { resumeOf } from '../serve/resume.ts';
import type { Call } from './away.ts';

/** What to run; or why that cannot be. */
export function resumeCall(
  { env }: Context,
  chat: ListedChat,
  client: 'skein' | 'claude',
): Call | { readonly words: string } {
  const { reason } = resumeOf(chat);
  if (reason !== null) return { words: reason };
  const cwd = projectFolder(chat.cwd ?? chat.project, chat.file.file);
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return { words: `Its folder is gone: ${cwd}. Move the chat to where it is now: skein move` };
  const config = configOf(chat.file.file);
  const place = { cwd, env: config === undefined ? env : { ...env, CLAUDE_CONFIG_DIR: config } };
  if (client === 'skein') {
    const args = [process.argv[1] ?? '', 'chat', '--resume', chat.file.file];
    return { command: process.execPath, args, ...place };
  }
  if (!isInstalled('claude', env.PATH)) return { words: 'claude is not installed: it is not on the PATH.' };
  return { command: 'claude', args: ['--resume', chat.head], ...place };
}

function isInstalled(name: string, path = ''): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}
