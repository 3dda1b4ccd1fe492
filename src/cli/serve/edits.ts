/** A new session made of a chat: the verbs themselves do it, in a process of their own, and never in place. */
import { asString, isObject, type Json } from '../../format/json.ts';
import type { EditAsk } from '../../server/edits.ts';
import type { ListedChat } from '../chats.ts';
import type { Catalog } from './catalog.ts';
import type { Children } from './children.ts';

/** What the verb says, and the chat that the new session stands in, null when it was only tried. undefined without the session. */
export async function edited(
  { children, catalog }: { readonly children: Children; readonly catalog: Catalog },
  { head, sessions }: ListedChat,
  { verb, session = head, options, dryRun, signal }: EditAsk,
): Promise<object | undefined> {
  // By its id alone: a selector of the verb could name any file.
  if (!sessions.some(({ id }) => id === session)) return undefined;
  const argv = [verb, ...optionsOf(options), ...(dryRun ? ['--dry-run'] : [])];
  // What is being written is written to its end, also when the page is left.
  const said: Json = await children.json(argv, { rest: [session], ...(dryRun && { signal }) });
  if (dryRun || !isObject(said)) return { ...said, chat: null };
  await catalog.look();
  return { ...said, chat: catalog.chatOf(asString(said.sessionId) ?? '')?.id ?? null };
}

/** A value cannot become an option: it stands behind its name. */
function optionsOf(options: EditAsk['options']): string[] {
  return Object.entries(options).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
}
