/** The part of a session that may have something to send: from where it was last sent, with its agents. */
import { agentsWith, loadOnce } from '../../disk/agentfiles.ts';
import type { SessionFile } from '../../disk/find.ts';
import { readSessionOf } from '../../disk/read.ts';
import type { Entry } from '../../format/entry.ts';
import { FILE_START, type Position } from '../../format/lines.ts';
import { inputKind } from '../../format/prompt.ts';
import type { AgentFile } from '../../graph/agents.ts';
import { isBoundary } from '../../graph/chain.ts';
import { type Chat, chatsOf, openChat } from '../../graph/chat.ts';
import { outlineOf } from '../../graph/outline.ts';
import { millisOf } from '../../graph/time.ts';
import type { Earlier } from './learn.ts';
import { digestBefore, placeToRead, type Reached, type SessionState } from './state.ts';

export interface ReadPart {
  readonly entries: readonly Entry[];
  /** Of these entries; after a rewind, of all in the file. */
  readonly chat: Chat | undefined;
  /** Where the reading began, unless at the start. */
  readonly from: Reached | undefined;
  /** What is known from before. */
  readonly state: SessionState | undefined;
  /** Prompts before the first of the chat. */
  readonly turnsBefore: number;
  /** Its agents' files as they were found. */
  readonly agents: readonly SessionFile[];
  /** What lies before the part, and agents of turns there: not read. */
  readonly earlier: readonly Earlier[];
}

export function readPart(own: SessionFile, agents: readonly SessionFile[], last: SessionState | undefined): ReadPart {
  const state = last !== undefined && isSame(own, last) ? last : undefined;
  const sizes = new Map(agents.map(({ file, bytes }) => [file, bytes]));
  const place = state && placeToRead(state, (file) => sizes.get(file));
  const from = place?.offset === 0 ? undefined : place;
  const start: Position = from === undefined ? FILE_START : { offset: from.offset, number: from.line };
  const read = readSessionOf(own.file, { from: start }).entries;
  // What led to a turn after a rewind stands anywhere before.
  const all = from !== undefined && isRewound(read) ? allOf(own) : undefined;
  const entries = all?.filter(({ line }) => line.start >= start.offset) ?? read;
  const began = beginningOf(entries);
  // Agents of turns that are not read were last written to before.
  const isNear = ({ file, mtimeMs }: SessionFile) =>
    from === undefined || began === undefined || mtimeMs >= began || state?.strays.includes(file) === true;
  const near = agents.filter(isNear);
  const load = loadOnce((file) => readSessionOf(file).entries);
  const known = all ?? entries;
  const found = chatOf(own, known, () => agentsWith(known, own.sessionId, near, load));
  const chat = found && from && all === undefined && began !== undefined ? withoutEarlierRuns(found, began) : found;
  const far = agents.filter((agent) => !near.includes(agent)).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  const earlier = [{ file: own.file, to: start.offset }, ...far.map(({ file, bytes }) => ({ file, to: bytes }))];
  // The file does not tell what else belongs to the chat.
  const { id, turnsBefore: before = 0 } = state?.chat ?? {};
  const turnsBefore = from === undefined || all !== undefined ? before : from.turnsBefore;
  const named = chat && { ...chat, id: id ?? chat.id };
  return { entries, chat: named, from, state, turnsBefore, agents, earlier };
}

/** All of the file, as a part of the chat that it belongs to. */
export function partOfWhole(
  { chat, entries }: { readonly chat: Chat; readonly entries: readonly Entry[] },
  agents: readonly SessionFile[],
  state: SessionState | undefined,
): ReadPart {
  return { entries, chat, from: undefined, state, turnsBefore: 0, agents, earlier: [] };
}

/** Nothing before the place was changed. */
function isSame(own: SessionFile, { offset, before }: Reached): boolean {
  return offset < own.bytes && digestBefore(own.file, offset) === before;
}

function chatOf(own: SessionFile, entries: readonly Entry[], agents: () => AgentFile[]): Chat | undefined {
  const facts = { id: own.sessionId, file: own.file, bytes: own.bytes, outline: outlineOf(entries) };
  const [summary] = chatsOf([facts]);
  return summary && openChat(summary, () => ({ entries, agents: agents() }));
}

/** An agent of a turn that was not read may be taken up again in one that was: only what it did then belongs there (L3). */
function withoutEarlierRuns(chat: Chat, began: number): Chat {
  const allAgents = chat.allAgents.map((agent) => {
    const [first] = agent.calls;
    if (first === undefined || (beginningOf(agent.entries) ?? began) >= began) return agent;
    const asked = millisOf(first.started) ?? began;
    const isLater = ({ head }: Entry) => (millisOf(head.timestamp) ?? 0) >= asked;
    const place = agent.entries.findIndex((entry) => inputKind(entry) === 'agent_prompt' && isLater(entry));
    return { ...agent, entries: place < 0 ? agent.entries.filter(isLater) : agent.entries.slice(place) };
  });
  return { ...chat, allAgents };
}

/** The time of the first entry that has one. */
export function beginningOf(entries: readonly Entry[]): number | undefined {
  for (const { head } of entries) {
    const time = millisOf(head.timestamp);
    if (time !== undefined) return time;
  }
  return undefined;
}

const SPOKEN = new Set(['user', 'assistant']);

/** Something goes on from a place before what was read. The first entry always does. */
function isRewound(entries: readonly Entry[]): boolean {
  const known = new Set(entries.map(({ head }) => head.uuid));
  const said = entries.filter(({ kind, head }) => SPOKEN.has(kind) && !head.isSidechain && head.uuid !== undefined);
  return said.slice(1).some(({ head: { parentUuid } }) => parentUuid !== undefined && !known.has(parentUuid ?? ''));
}

/**
 * What stands before the first prompt is the end of a turn of another file: a resume by 1.0.x, and a fork, copy only what comes after
 * a compaction (H1), which may have been in the middle of a turn. The other file has all of it.
 */
export function isCopied(entries: readonly Entry[]): boolean {
  const first = entries.find(({ head }) => head.uuid !== undefined && !head.isSidechain);
  return first !== undefined && (isBoundary(first) || inputKind(first) === 'compact_summary');
}

/** To read more than this would take too long for a hook. */
const MOST_WHOLE = 64 << 20;

function allOf(own: SessionFile): readonly Entry[] | undefined {
  return own.bytes > MOST_WHOLE ? undefined : readSessionOf(own.file).entries;
}
