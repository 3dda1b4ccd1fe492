/** Chats that were opened stay open for a while: their turns, calls and agents are answered without reading again. */
import { createHash } from 'node:crypto';
import type { SessionFile } from '../../disk/find.ts';
import { toolOutputsOf } from '../../disk/outputs.ts';
import { agentLookup } from '../../graph/agents/lookup.ts';
import type { Agent } from '../../graph/agents.ts';
import type { Branch } from '../../graph/branches.ts';
import type { Chat } from '../../graph/chat.ts';
import type { Resolve } from '../../graph/toolcalls.ts';
import { turnsOf } from '../../graph/turns.ts';
import type { ToolCall, Turn } from '../../graph/types.ts';
import type { AgentView } from '../../views/options.ts';
import { type ListedChat, openChat } from '../chats.ts';
import type { Library } from '../library.ts';
import { agentView } from '../opened.ts';
import { ownerOf } from './changes.ts';
import { createKeptEntries, type KeptEntries } from './entries.ts';
import { stampOf } from './outlines.ts';
import { createPause } from './slices.ts';

export interface OpenChat {
  readonly listed: ListedChat;
  readonly chat: Chat;
  /** Changes whenever a file of the chat does. */
  readonly version: string;
  readonly resolve: Resolve;
  /** The place of the branch that a resume goes on from. */
  readonly current: number;
  branchAt(place: number): Branch | undefined;
  turnsOf(place: number): readonly Turn[];
  agentOf(call: ToolCall): AgentView | undefined;
  agent(agentId: string): Agent | undefined;
  turnsOfAgent(agentId: string): readonly Turn[];
  /** What is made of it once, by name. */
  remember<T>(name: string, make: () => T): T;
}

export interface OpenChats {
  open(library: Library, listed: ListedChat): Promise<OpenChat>;
}

/** A graph takes about a third of its session's bytes: a few are kept, fewer when they are large. */
const MOST_OPEN = 6;
const MOST_BYTES = 600e6;
/** A chat that is written to all the time is not opened again before it rested so many times as long as that takes. */
const REST = 4;

export interface OpenChatsOptions {
  now(): number;
  /** Milliseconds, to measure with. */
  readonly clock?: () => number;
  /** Nobody waits any more. */
  readonly signal?: AbortSignal;
  /** What was given is not the newest; that is to be had after so many milliseconds. */
  onOld(listed: ListedChat, wait: number): void;
}

export function createOpenChats({ now, clock = () => performance.now(), signal, onOld }: OpenChatsOptions): OpenChats {
  const opened = new Map<string, OpenChat>();
  /** By chat: when it may be opened again. */
  const resting = new Map<string, number>();
  const entries = createKeptEntries();
  // One after the other: each takes memory and all of the processor.
  let queue: Promise<unknown> = Promise.resolve();

  async function make(library: Library, listed: ListedChat, { files, version }: State): Promise<OpenChat> {
    const ready = opened.get(listed.id);
    if (ready?.version === version) return ready;
    const began = clock();
    opened.delete(listed.id);
    makeRoom(opened, listed.bytes);
    entries.keep(new Set([...files.map(({ file }) => file), ...[...opened.values()].flatMap(pathsOf)]));
    const pause = createPause(signal);
    for (const { file } of files) await entries.prepare(file, pause);
    const open = opening(library, listed, version, entries, now());
    opened.set(listed.id, open);
    resting.set(listed.id, clock() + REST * (clock() - began));
    return open;
  }

  return {
    async open(library, listed) {
      const state = stateOf(library, listed);
      const known = opened.get(listed.id);
      // What a team has of it was replaced, not added to: the old one must not be shown any more, nor could it be read.
      const wait = listed.file.source === 'team' ? 0 : (resting.get(listed.id) ?? 0) - clock();
      if (known && (known.version === state.version || wait > 0)) {
        opened.delete(listed.id);
        opened.set(listed.id, known);
        if (known.version !== state.version) onOld(listed, wait);
        return known;
      }
      const next = queue.then(() => make(library, listed, state));
      queue = next.catch(() => {});
      return next;
    },
  };
}

/** Before the next is read, so that not both are there. */
function makeRoom(opened: Map<string, OpenChat>, bytes: number): void {
  let sum = bytes;
  for (const { listed } of opened.values()) sum += listed.bytes;
  for (const [id, { listed }] of opened) {
    if (opened.size < MOST_OPEN && sum <= MOST_BYTES) return;
    opened.delete(id);
    sum -= listed.bytes;
  }
}

function pathsOf({ listed, chat }: OpenChat): string[] {
  return [...listed.files.map(({ file }) => file), ...chat.allAgents.flatMap(({ file }) => file ?? [])];
}

interface State {
  /** All that may tell something of the chat: its sessions, and the agents of their folders. */
  readonly files: readonly SessionFile[];
  readonly version: string;
}

/** As long as a chat is the same object, its sessions are what they were; agents come and go with the library. */
const states = new WeakMap<Library, WeakMap<ListedChat, State>>();

function stateOf(library: Library, listed: ListedChat): State {
  const known = states.get(library) ?? new WeakMap<ListedChat, State>();
  states.set(library, known);
  const state = known.get(listed) ?? makeState(library, listed);
  known.set(listed, state);
  return state;
}

function makeState({ files }: Library, { files: sessions }: ListedChat): State {
  const ids = new Set(sessions.map(({ sessionId }) => sessionId));
  const slugs = new Set(sessions.map(({ slug }) => slug));
  const isOwn = (file: SessionFile) =>
    file.kind === 'agent' && slugs.has(file.slug) && ids.has(ownerOf(file) ?? '') && !sessions.includes(file);
  const own = [...sessions, ...files.filter(isOwn)];
  const hash = createHash('sha256');
  for (const file of own) hash.update(stampOf(file)).update('\n');
  return { files: own, version: hash.digest('hex').slice(0, 16) };
}

function opening(library: Library, listed: ListedChat, version: string, entries: KeptEntries, now: number): OpenChat {
  const chat = openChat(library, listed, entries.read);
  const remember = createMemory();
  const runBy = agentLookup(chat);
  const agents = new Map(chat.allAgents.map((agent) => [agent.agentId, agent]));
  const branchAt = (place: number) => chat.branches[place];
  return {
    listed,
    chat,
    version,
    resolve: toolOutputsOf(listed.sessions.map(({ file }) => file)),
    current: Math.max(0, chat.current === undefined ? 0 : chat.branches.indexOf(chat.current)),
    branchAt,
    turnsOf: (place) => remember(`turns ${place}`, () => turnsOf(chat.entriesOf(branchAt(place)), { now })),
    agentOf: (call) => agentView(runBy(call)),
    agent: (id) => agents.get(id),
    turnsOfAgent: (id) => remember(`agent ${id}`, () => turnsOf(agents.get(id)?.entries ?? [])),
    remember,
  };
}

function createMemory(): OpenChat['remember'] {
  const known = new Map<string, unknown>();
  return <T>(name: string, make: () => T): T => {
    // A name always stands for the same thing.
    if (!known.has(name)) known.set(name, make());
    return known.get(name) as T;
  };
}
