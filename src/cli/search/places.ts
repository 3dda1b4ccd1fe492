/** Where a hit stands, and the commands that go there. */
import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Hit } from '../../archive/search/hit.ts';
import { isOnDisk } from '../../disk/mounts.ts';
import { configAbove } from '../../disk/roots.ts';
import { projectSlug } from '../../format/slug.ts';
import { TEAM_ROOT } from '../../team/paths.ts';
import { quoted } from '../quoted.ts';
import { ownConfig, placeFlag } from '../shelf.ts';
import { shortId } from '../shortid.ts';
import type { Searched } from './run.ts';

export function chatIdOf({ session, file }: Hit, chats: Searched['chats']): string {
  return session === undefined ? file : (chats.get(session)?.id ?? session);
}

/** A sub-agent is opened by its own id. Ids are whole for programs, short for people. */
export function openCommand({ agent, session, uuid, version, where }: Hit, short: boolean): string | undefined {
  const id = agent ?? session;
  if (id === undefined) return undefined;
  // It would be taken for an option.
  if (id.startsWith('-') || uuid?.startsWith('-')) return undefined;
  // What the transcript lost since cannot be shown in it.
  if (version !== undefined)
    return `${quoted('skein', 'archive', 'restore', id, '--version', String(version))} --to DIR`;
  const words = uuid === undefined ? [id] : [id, '--turn', uuid];
  const shown = words.map((word) => (short ? shortId(word) : word));
  return `skein show ${quoted(...shown, ...(SHOWING[where] ?? []))}${placeFlag()}`;
}

/** What is folded otherwise, so that it would not show what was found. */
const SHOWING: Partial<Record<Hit['where'], readonly string[]>> = {
  thinking: ['--thinking'],
  tool_input: ['--tools', 'full'],
  tool_result: ['--tools', 'full'],
};

/** undefined where there is nothing to resume: in a sub-agent, and when the file is gone. */
export function resumeCommand({ session, cwd, agent, file }: Hit): string | undefined {
  if (session === undefined || agent !== undefined || file.startsWith(TEAM_ROOT) || !isOnDisk(file)) return undefined;
  return resumeCommandOf(session, cwd, file);
}

export function resumeCommandOf(session: string, cwd: string | undefined, file: string): string {
  // A name that begins as an option does stays a name.
  const words = session.startsWith('-') ? [`--resume=${session}`] : ['--resume', session];
  const resume = `${configFlag(file)}${quoted('claude', ...words)}`;
  return cwd === undefined ? resume : `${quoted('cd', projectFolder(cwd, file))} && ${resume}`;
}

/** What makes the client look in the config folder of a session, where it would look in another one; '' where nothing has to. */
function configFlag(file: string): string {
  const config = configAbove(dirname(file));
  const own = ownConfig();
  if (config === undefined || own === undefined || isSameFolder(config, own)) return '';
  // Quoted as a whole it would be a command.
  return process.platform === 'win32'
    ? `set "CLAUDE_CONFIG_DIR=${config}" && `
    : `CLAUDE_CONFIG_DIR=${quoted(config)} `;
}

function isSameFolder(one: string, other: string): boolean {
  try {
    return one === other || realpathSync.native(one) === realpathSync.native(other);
  } catch {
    // One of them is not there.
    return false;
  }
}

/** What brings a session back that only the archive has. */
export function restoreCommand({ session, file, version, promptsOnly }: Hit): string | undefined {
  // What a team has was maybe never here.
  const isHere = isOnDisk(file) || file.startsWith(TEAM_ROOT) || version !== undefined;
  return session === undefined || isHere || promptsOnly ? undefined : quoted('skein', 'archive', 'restore', session);
}

/** The client looks for sessions by the folder it is started in; the model may have gone to one below it. */
export function projectFolder(cwd: string, file: string): string {
  const slug = basename(dirname(file));
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (projectSlug(folder) === slug) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
