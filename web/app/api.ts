/** All the page asks for. `fetchApi` asks the server, `embeddedApi` (embedded.ts) an exported file. */
import { asString, at, type Json } from '../../src/format/json.ts';
import type {
  AgentPage,
  AgentRow,
  CallPage,
  ChatList,
  ChatPage,
  FoundPlace,
  LiveEvent,
} from '../../src/views/page/types.ts';
import type {
  EditAnswer,
  EditRequest,
  ExplainAnswer,
  SearchAnswer,
  StatusAnswer,
  TeamUsageAnswer,
  ToolsAnswer,
  TurnsAnswer,
  UsageAnswer,
} from './answers.ts';
import { listen } from './events.ts';

export type ExportFormat = 'html' | 'md' | 'json';

/** A sub-agent as one call ran it. */
export type AgentRun = Pick<AgentRow, 'agentId' | 'callId'>;

export interface Asked {
  readonly signal?: AbortSignal;
}

/** Every method rejects with an `ApiError` when there is no answer. */
export interface Api {
  /** Whether there is a server behind it: search, usage, live updates, actions. */
  readonly served: boolean;
  chats(asked?: Asked): Promise<ChatList>;
  chat(id: string, branch: number | null, asked?: Asked): Promise<ChatPage>;
  /** Turns by index, `to` exclusive, at most 50. */
  turns(id: string, branch: number, from: number, to: number, asked?: Asked): Promise<TurnsAnswer>;
  /** A further part of a turn with very many items. */
  part(id: string, branch: number, turn: number, part: number, asked?: Asked): Promise<TurnsAnswer>;
  find(id: string, uuid: string, asked?: Asked): Promise<FoundPlace>;
  call(id: string, branch: number, callId: string, agent: string | null, asked?: Asked): Promise<CallPage>;
  agent(id: string, run: AgentRun, asked?: Asked): Promise<AgentPage>;
  search(query: Params, asked?: Asked): Promise<SearchAnswer>;
  usage(query: Params, asked?: Asked): Promise<UsageAnswer>;
  /** As `usage --by tool`, whose rows are others. */
  tools(query: Params, asked?: Asked): Promise<ToolsAnswer>;
  explain(query: Params, asked?: Asked): Promise<ExplainAnswer>;
  /** As `team usage`: only where a team is shown. */
  teamUsage(query: Params, asked?: Asked): Promise<TeamUsageAnswer>;
  status(asked?: Asked): Promise<StatusAnswer>;
  /** What stood where a placeholder stands; several when more than one secret is masked by the same words. */
  reveal(chat: string, placeholder: string): Promise<{ readonly text: string }>;
  /** From now on everything comes unmasked, or masked again. */
  revealAll(on: boolean): void;
  /** Calls back when something changed, until the returned function is called. */
  listen(onEvent: (event: LiveEvent) => void, onState?: (connected: boolean) => void): () => void;
  /** Where an export is downloaded from; null where there is none. */
  exportUrl(id: string, format: ExportFormat): string | null;
  /** Shows the transcript in the desktop's file manager. */
  openFile(id: string): Promise<void>;
  /** A new session made of a chat; what is there stays as it is. */
  edit(id: string, request: EditRequest, asked?: Asked): Promise<EditAnswer>;
}

export type Params = Readonly<Record<string, string | number | undefined>>;

/** What went wrong, and what to do next. */
export class ApiError extends Error {
  readonly status: number;
  readonly next: string;
  constructor(what: string, next: string, status = 0) {
    super(what);
    this.status = status;
    this.next = next;
  }
}

export function fetchApi(): Api {
  let revealed = false;
  const seen = () => (revealed ? { reveal: 1 } : {});
  const chat = (id: string) => `/api/chats/${encodeURIComponent(id)}`;
  return {
    served: true,
    chats: (asked) => get('/api/chats', {}, asked),
    chat: (id, branch, asked) => get(chat(id), { branch: branch ?? undefined, ...seen() }, asked),
    turns: (id, branch, from, to, asked) => get(`${chat(id)}/turns`, { branch, from, to, ...seen() }, asked),
    part: (id, branch, from, part, asked) =>
      get(`${chat(id)}/turns`, { branch, from, to: from + 1, part, ...seen() }, asked),
    find: (id, uuid, asked) => get(`${chat(id)}/find`, { uuid }, asked),
    call: (id, branch, callId, agent, asked) =>
      get(`${chat(id)}/calls/${encodeURIComponent(callId)}`, { branch, agent: agent ?? undefined, ...seen() }, asked),
    agent: (id, { agentId, callId }, asked) =>
      get(`${chat(id)}/agents/${encodeURIComponent(agentId)}`, { call: callId ?? undefined, ...seen() }, asked),
    search: (query, asked) => get('/api/search', query, asked),
    usage: (query, asked) => get('/api/usage', query, asked),
    tools: (query, asked) => get('/api/usage', { ...query, by: 'tool' }, asked),
    explain: (query, asked) => get('/api/usage/explain', query, asked),
    teamUsage: (query, asked) => get('/api/usage/team', query, asked),
    status: (asked) => get('/api/status', {}, asked),
    reveal: (id, placeholder) => post('/api/reveal', { chat: id, placeholder }),
    revealAll: (on) => {
      revealed = on;
    },
    listen,
    exportUrl: (id, format) => `${chat(id)}/export?format=${format}`,
    openFile: async (id) => {
      await post(`${chat(id)}/open`, {});
    },
    edit: (id, request, asked) => post(`${chat(id)}/edit`, request, asked),
  };
}

function get<T>(path: string, params: Params, asked: Asked = {}): Promise<T> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, String(value));
  const text = query.toString();
  return ask<T>(text === '' ? path : `${path}?${text}`, { signal: asked.signal });
}

function post<T>(path: string, body: object, { signal }: Asked = {}): Promise<T> {
  return ask<T>(path, {
    signal,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, { ...init, credentials: 'same-origin' }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError('The server does not answer.', 'Is `skein serve` still running? Start it and try again.');
  });
  if (response.ok) return response.json();
  const said: Json = await response.json().catch(() => null);
  const what = asString(at(said, 'error')) ?? asString(at(said, 'what')) ?? `The server answered ${response.status}.`;
  throw new ApiError(what, asString(at(said, 'next')) ?? 'Try again.', response.status);
}
