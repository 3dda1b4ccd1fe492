/** The contents of an open chat, brought in as they come near the window and kept while the chat grows. */
import { agentKey } from '../../src/views/page/embedded.ts';
import type { AgentPage, CallPage, ChatPage, PageTurn } from '../../src/views/page/types.ts';
import type { AgentRun, Api, ApiError } from '../app/api.ts';
import { asApiError } from '../app/useAnswer.ts';
import { isSame, isTooMuch, missing, nearest } from './near.ts';
import { partKey } from './rows.ts';

export interface ChatData {
  readonly page: ChatPage;
  readonly turns: ReadonlyMap<number, PageTurn>;
  /** Further parts of turns with very many items, by `partKey`. */
  readonly parts: ReadonlyMap<string, PageTurn>;
  /** By `agentKey`. */
  readonly agents: ReadonlyMap<string, AgentPage>;
  /** Of what could not be loaded last. */
  readonly error: ApiError | undefined;
}

/** Of long turns, and of calls that were opened: what came first is dropped first. */
const MOST_PARTS = 12;
const MOST_CALLS = 300;
const REST_MS = 2000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

export interface ChatStore {
  data(): ChatData;
  /** A page of the same branch with another version keeps what did not change. */
  setPage(page: ChatPage): void;
  /** Brings in the turns of a range that are missing or old. */
  need(from: number, to: number): Promise<void>;
  /** Brings in a further part of a turn. */
  needPart(turn: number, part: number): Promise<void>;
  needAgent(run: AgentRun): Promise<void>;
  /** From now on nothing is dropped. */
  keepAll(): void;
  call(callId: string, agent: string | null, state: string): { readonly value?: CallPage; load(): Promise<CallPage> };
  close(): void;
}

export function createStore(api: Api, first: ChatPage, onChange: () => void): ChatStore {
  let data: ChatData = { page: first, turns: new Map(), parts: new Map(), agents: new Map(), error: undefined };
  const old = new Set<number>();
  const asked = new Map<number, Promise<void>>();
  const askedAgents = new Map<string, Promise<void>>();
  const askedParts = new Map<string, Promise<void>>();
  const calls = new Map<string, CallPage>();
  let near = { from: 0, to: 1 };
  let keeping = false;
  let trimming: ReturnType<typeof setTimeout> | undefined;
  let closed = false;
  let waited = FIRST_WAIT_MS;
  let pausedUntil = 0;
  const { id } = first.chat;

  const change = (next: Partial<ChatData>) => {
    if (closed) return;
    data = { ...data, ...next };
    onChange();
  };

  /** After a failure nothing is asked for a while, each time longer. */
  const pause = () => {
    pausedUntil = performance.now() + waited;
    setTimeout(() => change({}), waited + 10);
    waited = Math.min(LONGEST_WAIT_MS, waited * 2);
  };

  /** What is above may become lower by it: not while the reader moves. */
  const trimLater = () => {
    clearTimeout(trimming);
    if (keeping || !isTooMuch(data.turns)) return;
    trimming = setTimeout(() => !keeping && change(nearest(data, near)), REST_MS);
  };

  const load = async (from: number, to: number) => {
    const { page } = data;
    try {
      const { turns } = await api.turns(id, page.branch, from, to);
      const known = new Map(data.turns);
      for (const turn of turns) {
        known.set(turn.index, turn);
        // What changed meanwhile is asked for again.
        if (isSame(turn, data.page.turns[turn.index])) old.delete(turn.index);
      }
      if (turns.length < to - from) pause();
      else waited = FIRST_WAIT_MS;
      change({ turns: known, error: undefined });
      trimLater();
      for (const { index } of turns) renewParts(index);
    } catch (error) {
      pause();
      change({ error: asApiError(error) });
    } finally {
      for (let index = from; index < to; index += 1) asked.delete(index);
    }
  };

  const loadPart = async (index: number, part: number) => {
    const { page } = data;
    try {
      const { turns } = await api.part(id, page.branch, index, part);
      const [turn] = turns;
      if (turn === undefined || turn.uuid !== data.page.turns[index]?.uuid) return;
      const parts = new Map(data.parts);
      // What came last is dropped last.
      parts.delete(partKey(index, part));
      parts.set(partKey(index, part), turn);
      const [oldest] = parts.keys();
      if (!keeping && parts.size > MOST_PARTS && oldest !== undefined) parts.delete(oldest);
      change({ parts, error: undefined });
    } catch (error) {
      pause();
      change({ error: asApiError(error) });
    } finally {
      askedParts.delete(partKey(index, part));
    }
  };

  const needPart = (index: number, part: number): Promise<void> => {
    const key = partKey(index, part);
    const loading = askedParts.get(key) ?? loadPart(index, part);
    askedParts.set(key, loading);
    return loading;
  };

  /** A turn that changed did so at its end. */
  const renewParts = (index: number) => {
    const known = [...data.parts.keys()].flatMap((key) =>
      key.startsWith(`${index}.`) ? Number(key.split('.')[1]) : [],
    );
    for (const part of known.sort((a, b) => a - b).slice(-2)) void needPart(index, part);
  };

  return {
    data: () => data,
    setPage: (page) => {
      const last = data.page.turns.length - 1;
      for (const index of data.turns.keys()) {
        const head = page.turns[index];
        // A result that comes late shows nowhere but in the turn itself.
        if (index >= last - 1 || !isSame(data.turns.get(index), head)) old.add(index);
      }
      // On another branch a turn may be another.
      const turns = new Map([...data.turns].filter(([index, { uuid }]) => page.turns[index]?.uuid === uuid));
      const parts = new Map([...data.parts].filter(([, { index, uuid }]) => page.turns[index]?.uuid === uuid));
      askedAgents.clear();
      for (const { agent } of data.agents.values()) void reloadAgent(agent);
      change({ page, turns, parts });
    },
    need: async (from, to) => {
      near = { from, to };
      trimLater();
      if (performance.now() < pausedUntil) return;
      const waiting: Promise<void>[] = [];
      for (const range of missing(data, old, asked, from, to)) {
        const loading = load(...range);
        for (let index = range[0]; index < range[1]; index += 1) asked.set(index, loading);
        waiting.push(loading);
      }
      for (let index = from; index < to; index += 1) {
        const loading = asked.get(index);
        if (loading) waiting.push(loading);
      }
      await Promise.all(waiting);
    },
    needPart,
    needAgent: (run) => {
      const known = askedAgents.get(agentKey(run)) ?? reloadAgent(run);
      askedAgents.set(agentKey(run), known);
      return known;
    },
    keepAll: () => {
      keeping = true;
    },
    call: (callId, agent, state) => {
      const key = `${agent ?? ''} ${callId} ${state}`;
      return {
        value: calls.get(key),
        load: async () => {
          const page = await api.call(id, data.page.branch, callId, agent);
          calls.set(key, page);
          const [oldest] = calls.keys();
          if (calls.size > MOST_CALLS && oldest !== undefined) calls.delete(oldest);
          return page;
        },
      };
    },
    close: () => {
      closed = true;
      clearTimeout(trimming);
    },
  };

  async function reloadAgent(run: AgentRun): Promise<void> {
    try {
      const page = await api.agent(id, run);
      change({ agents: new Map(data.agents).set(agentKey(run), page) });
    } catch (error) {
      askedAgents.delete(agentKey(run));
      change({ error: asApiError(error) });
    }
  }
}
