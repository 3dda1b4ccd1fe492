/** What a list shows of chats, from outlines alone. */
import { compareText, compareTimes } from '../compare.ts';
import { type Edge, type Lineage, lineageOf, type SessionFacts, toEdges } from '../lineage.ts';
import { type Titles, titleOf } from '../outline.ts';
import { millisOf } from '../time.ts';

export interface ChatSession {
  readonly id: string;
  readonly file: string;
  /** Every session id written in the file (H1), sorted. */
  readonly sessionIds: readonly string[];
  /** Everything in it is in another session of the chat too (H2). */
  readonly superseded: boolean;
  /** A complete conversation: no other session goes on from its end. */
  readonly leaf: boolean;
  readonly bytes: number;
  readonly started: string | undefined;
  readonly updated: string | undefined;
  readonly turns: number;
}

export interface ChatSummary {
  /** The id of its oldest session: stays the same while the chat grows. */
  readonly id: string;
  readonly title: string | undefined;
  /** The id of its newest leaf session. */
  readonly head: string;
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  readonly model: string | undefined;
  readonly started: string | undefined;
  readonly updated: string | undefined;
  /** Prompts of all branches, copies once. */
  readonly turns: number;
  /** Oldest first. */
  readonly sessions: readonly ChatSession[];
  /** Between its sessions, and guesses about other chats. */
  readonly edges: readonly Edge[];
}

/** Newest first. */
export function chatsOf(sessions: readonly SessionFacts[], onVisit?: () => void): ChatSummary[] {
  const lineage = lineageOf(sessions, onVisit);
  const chatOf = new Array<number>(sessions.length).fill(-1);
  for (const [chat, members] of lineage.chats.entries()) for (const index of members) chatOf[index] = chat;
  const links = lineage.chats.map((): Lineage['links'][number][] => []);
  for (const link of lineage.links) links[chatOf[link.to] ?? -1]?.push(link);
  const summaries = gatherSummaries(sessions, lineage, chatOf);
  const chats = lineage.chats.flatMap((members, chat) => {
    const edges = toEdges(sessions, links[chat] ?? []);
    return summaryOf(sessions, members, lineage, edges, summaries[chat] ?? []) ?? [];
  });
  return chats.sort(newestFirst);
}

export function newestFirst(a: ChatSummary, b: ChatSummary): number {
  return compareNewest(a.updated, b.updated) || compareText(a.id, b.id);
}

function compareNewest(a: string | undefined, b: string | undefined): number {
  const [left, right] = [millisOf(a) ?? -Infinity, millisOf(b) ?? -Infinity];
  return left === right ? 0 : right - left;
}

type Summaries = Titles['summaries'];

/** E11: a summary is the title of the chat that holds its leaf, in whatever file it stands. */
function gatherSummaries(sessions: readonly SessionFacts[], lineage: Lineage, chatOf: readonly number[]): Summaries[] {
  const byChat: Summaries[number][][] = lineage.chats.map(() => []);
  for (const members of lineage.chats) {
    for (const index of members) {
      for (const summary of sessions[index]?.outline.titles.summaries ?? []) {
        const origin = summary.leafUuid === undefined ? undefined : lineage.originOf(summary.leafUuid);
        if (origin !== undefined) byChat[chatOf[origin] ?? -1]?.push(summary);
      }
    }
  }
  return byChat;
}

function summaryOf(
  sessions: readonly SessionFacts[],
  members: readonly number[],
  lineage: Lineage,
  edges: readonly Edge[],
  summaries: Summaries,
): ChatSummary | undefined {
  const facts = members.flatMap((index) => sessions[index] ?? []);
  const head =
    newest(
      members.filter((index) => lineage.leaf[index]),
      sessions,
    ) ?? newest(members, sessions);
  const [first] = facts;
  if (first === undefined || head === undefined) return undefined;
  const newestFirst = [head, ...facts.filter((session) => session !== head).toReversed()];
  const lastOf = <T>(pick: (session: SessionFacts) => T | undefined) => firstDefined(newestFirst, pick);
  return {
    id: first.id,
    title: titleOf(titlesOf(newestFirst, facts, summaries), leavesOf(summaries)),
    head: head.id,
    cwd: lastOf(({ outline }) => outline.cwd),
    gitBranch: lastOf(({ outline }) => outline.gitBranch),
    model: lastOf(({ outline }) => outline.model),
    started: extreme(
      facts.map(({ outline }) => outline.started),
      -1,
    ),
    updated: extreme(
      facts.map(({ outline }) => outline.updated),
      1,
    ),
    turns: countTurns(sessions, members, lineage),
    sessions: members.flatMap((index) => toSession(sessions[index], index, lineage) ?? []),
    edges,
  };
}

function toSession(session: SessionFacts | undefined, index: number, lineage: Lineage): ChatSession | undefined {
  if (session === undefined) return undefined;
  const { id, file, bytes, outline } = session;
  return {
    id,
    file,
    sessionIds: outline.sessionIds.toSorted(compareText),
    superseded: lineage.superseded[index] ?? false,
    leaf: lineage.leaf[index] ?? true,
    bytes,
    started: outline.started,
    updated: outline.updated,
    turns: outline.turns,
  };
}

/** Of equal times the one that came to be last; those without any time only when there is nothing else. */
function newest(members: readonly number[], sessions: readonly SessionFacts[]): SessionFacts | undefined {
  let best: SessionFacts | undefined;
  for (const index of members) {
    const session = sessions[index];
    if (session === undefined) continue;
    if (best === undefined || compareNewest(session.outline.updated, best.outline.updated) <= 0) best = session;
  }
  return best;
}

/** A chat is called as its newest session is, and begins with the prompt of its oldest. */
function titlesOf(
  newestFirst: readonly SessionFacts[],
  oldestFirst: readonly SessionFacts[],
  summaries: Summaries,
): Titles {
  const pick = (from: readonly SessionFacts[], name: 'custom' | 'ai' | 'agentName' | 'firstPrompt') =>
    firstDefined(from, ({ outline }) => outline.titles[name]);
  return {
    custom: pick(newestFirst, 'custom'),
    ai: pick(newestFirst, 'ai'),
    agentName: pick(newestFirst, 'agentName'),
    firstPrompt: pick(oldestFirst, 'firstPrompt'),
    summaries,
  };
}

function leavesOf(summaries: Summaries): Set<string> {
  return new Set(summaries.flatMap(({ leafUuid }) => leafUuid ?? []));
}

/** The session that wrote a prompt first says whether it is one: copies of 1.0.x lose the mark of what is not (H1). */
function countTurns(sessions: readonly SessionFacts[], members: readonly number[], lineage: Lineage): number {
  let turns = 0;
  for (const index of members) {
    const outline = sessions[index]?.outline;
    if (outline === undefined) continue;
    turns += outline.turns - outline.turnUuids.length;
    for (const uuid of outline.turnUuids) if (lineage.originOf(uuid) === index) turns += 1;
  }
  return turns;
}

function firstDefined<A, B>(items: readonly A[], pick: (item: A) => B | undefined): B | undefined {
  for (const item of items) {
    const value = pick(item);
    if (value !== undefined) return value;
  }
  return undefined;
}

function extreme(times: readonly (string | undefined)[], sign: 1 | -1): string | undefined {
  let best: string | undefined;
  for (const time of times) {
    if (time !== undefined && (best === undefined || sign * compareTimes(time, best) > 0)) best = time;
  }
  return best;
}
