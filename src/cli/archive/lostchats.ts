/** Chats of which only the prompts are left (L4): they have no file of their own, so `forget` finds them by the id they are shown with. */
import type { ForgottenSpan } from '../../archive/forget/forgottenspans.ts';
import { sessionStone } from '../../archive/forget/tombstones.ts';
import { madeId } from '../../archive/mount/history.ts';
import type { SessionFile } from '../../disk/find.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { projectSlug } from '../../format/slug.ts';
import { parseTimestamp } from '../../format/time.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';

export interface LostChat {
  readonly id: string;
  readonly slug: string;
  readonly prompts: number;
  /** When it went on, where its prompts do not say whose they are. */
  readonly span: ForgottenSpan | undefined;
}

const SHORTEST_ID = 4;
export const PROJECT = 'project:';

/** By an id or the start of one, or by project: the folder or path of one. */
export async function lostChats(context: Context, args: Arguments, selector: string): Promise<LostChat[]> {
  const [{ loadArchiveReader }, { lookAt }] = await Promise.all([import('../shelf.ts'), import('../library.ts')]);
  await loadArchiveReader(context);
  const lost = lookAt(context, args.values('root')).files.filter(({ source }) => source === 'history');
  return chosenOf(lost, selector).map(toLostChat);
}

function chosenOf(lost: readonly SessionFile[], selector: string): SessionFile[] {
  if (selector.startsWith(PROJECT)) {
    const project = selector.slice(PROJECT.length);
    return lost.filter(({ slug }) => slug === project || slug === projectSlug(project));
  }
  const exact = lost.filter(({ sessionId }) => sessionId === selector);
  if (exact.length > 0 || selector.length < SHORTEST_ID) return exact;
  return lost.filter(({ sessionId }) => sessionId.startsWith(selector));
}

function toLostChat({ file, sessionId: id, slug }: SessionFile): LostChat {
  const prompts = [...readEntriesOf(file)].map(({ head }) => ({
    project: head.cwd,
    time: parseTimestamp(head.timestamp ?? ''),
  }));
  const times = prompts.map(({ time }) => time).filter((time) => !Number.isNaN(time));
  const what = sessionStone(id);
  const [first] = prompts;
  const isMade = first !== undefined && madeId(first.project, first.time || 0) === id;
  const went = isMade && what !== undefined && times.length > 0;
  const span = went ? { what, slug, first: Math.min(...times), last: Math.max(...times) } : undefined;
  return { id, slug, prompts: prompts.length, span };
}
