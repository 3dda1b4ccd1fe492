/** The contents of an open chat, brought in as they come near the window and kept while the chat grows. */
import type { AgentPage, CallPage, ChatPage, PageTurn, TurnHead } from '../../src/views/page/types.ts';
import type { Api, ApiError } from '../app/api.ts';
import { asApiError } from '../app/useAnswer.ts';

export interface ChatData {
  readonly page: ChatPage;
  readonly turns: ReadonlyMap<number, PageTurn>;
  readonly agents: ReadonlyMap<string, AgentPage>;
  /** Of what could not be loaded last. */
  readonly error: ApiError | undefined;
}

/** Loaded at once: so many turns, or fewer when they are long. */
const MOST_TURNS = 50;
const MOST_MESSAGES = 300;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

export interface ChatStore {
  data(): ChatData;
  /** A page of the same branch with another version keeps what did not change. */
  setPage(page: ChatPage): void;
  /** Brings in the turns of a range that are missing or old. */
  need(from: number, to: number): Promise<void>;
  needAgent(agentId: string): Promise<void>;
  call(callId: string, agent: string | null, state: string): { readonly value?: CallPage; load(): Promise<CallPage> };
  close(): void;
}

export function createStore(api: Api, first: ChatPage, onChange: () => void): ChatStore {
  let data: ChatData = { page: first, turns: new Map(), agents: new Map(), error: undefined };
  const old = new Set<number>();
  const asked = new Map<number, Promise<void>>();
  const askedAgents = new Map<string, Promise<void>>();
  const calls = new Map<string, CallPage>();
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
    } catch (error) {
      pause();
      change({ error: asApiError(error) });
    } finally {
      for (let index = from; index < to; index += 1) asked.delete(index);
    }
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
      askedAgents.clear();
      for (const agentId of data.agents.keys()) void reloadAgent(agentId);
      change({ page, turns });
    },
    need: async (from, to) => {
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
    needAgent: (agentId) => {
      const known = askedAgents.get(agentId) ?? reloadAgent(agentId);
      askedAgents.set(agentId, known);
      return known;
    },
    call: (callId, agent, state) => {
      const key = `${agent ?? ''} ${callId} ${state}`;
      return {
        value: calls.get(key),
        load: async () => {
          const page = await api.call(id, data.page.branch, callId, agent);
          calls.set(key, page);
          return page;
        },
      };
    },
    close: () => {
      closed = true;
    },
  };

  async function reloadAgent(agentId: string): Promise<void> {
    try {
      const page = await api.agent(id, agentId);
      change({ agents: new Map(data.agents).set(agentId, page) });
    } catch (error) {
      askedAgents.delete(agentId);
      change({ error: asApiError(error) });
    }
  }
}

function isSame(turn: TurnHead | undefined, head: TurnHead | undefined): boolean {
  return (
    turn !== undefined &&
    head !== undefined &&
    turn.uuid === head.uuid &&
    turn.ended === head.ended &&
    turn.messages === head.messages &&
    turn.calls === head.calls &&
    turn.failures === head.failures &&
    turn.state === head.state
  );
}

/** Runs of turns to ask for, each small enough for one answer. */
function* missing(
  { page, turns }: ChatData,
  old: ReadonlySet<number>,
  asked: ReadonlyMap<number, unknown>,
  from: number,
  to: number,
): Generator<[number, number]> {
  let start = -1;
  let messages = 0;
  const end = Math.min(to, page.turns.length);
  for (let index = Math.max(0, from); index <= end; index += 1) {
    const wanted = index < end && !asked.has(index) && (!turns.has(index) || old.has(index));
    const full = start >= 0 && (index - start >= MOST_TURNS || messages >= MOST_MESSAGES);
    if (start >= 0 && (!wanted || full)) {
      yield [start, index];
      start = -1;
    }
    if (!wanted) continue;
    if (start < 0) {
      start = index;
      messages = 0;
    }
    messages += page.turns[index]?.messages ?? 0;
  }
}
