/** What differs between two looks. */
import type { SessionFile } from '../../disk/find.ts';
import { type ListedChat, parentOf } from '../chats.ts';

/** Files by their stamps: those that are new, changed or gone. */
export function* changedFiles(
  before: ReadonlyMap<string, SessionFile>,
  after: ReadonlyMap<string, SessionFile>,
): Generator<SessionFile> {
  for (const [stamp, file] of after) if (!before.has(stamp)) yield file;
  for (const [stamp, file] of before) if (!after.has(stamp)) yield file;
}

/** All sessions of the chats that something changed in: a page may know only some of them. */
export function sessionIdsOf(changed: readonly SessionFile[], chats: ReadonlyMap<string, ListedChat>): string[] {
  const owners = new Set(changed.map((file) => ownerOf(file) ?? file.sessionId));
  return [...new Set([...owners].flatMap((id) => [id, ...(chats.get(id)?.sessions ?? []).map((each) => each.id)]))];
}

/** The session a file belongs to: itself, or that of a sub-agent. */
export function ownerOf(file: SessionFile): string | undefined {
  return file.kind === 'session' ? file.sessionId : parentOf(file);
}
