/** Where a hit stands, and the commands that go there. */
import type { Hit } from '../../archive/search/hit.ts';
import type { Searched } from './run.ts';

export function chatIdOf({ session, file }: Hit, chats: Searched['chats']): string {
  return session === undefined ? file : (chats.get(session)?.id ?? session);
}

/** A sub-agent is opened by its own id. Ids are whole for programs, short for people. */
export function openCommand({ agent, session, uuid }: Hit, short: boolean): string | undefined {
  const id = agent ?? session;
  if (id === undefined) return undefined;
  const cut = (text: string) => (short && text.length > 20 ? text.slice(0, 8) : text);
  return `skein show ${cut(id)}${uuid === undefined ? '' : ` --turn ${cut(uuid)}`}`;
}

export function resumeCommand({ session, cwd, agent }: Hit): string | undefined {
  if (session === undefined || agent !== undefined) return undefined;
  return cwd === undefined ? `claude --resume ${session}` : `cd ${quoted(cwd)} && claude --resume ${session}`;
}

function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
