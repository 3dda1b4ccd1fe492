/** What a scripted model answers, as data, and short ways to say it. */
import { asString, type JsonObject } from '../../src/format/json.ts';
import { randomId } from './messages-api.ts';

/** Where in the stream something happens: after the first event, inside or after a block, before the stop reason, or after so many events. */
export type Place = 'start' | { readonly inside: number } | { readonly after: number } | 'end' | number;

/** How a stream goes wrong. */
export type Cut =
  /** The socket is reset. */
  | 'reset'
  /** The response ends as if it were complete. */
  | 'close'
  /** Nothing more comes; the socket stays open. */
  | 'silence'
  /** An error event, as the API sends them inside a stream. */
  | { readonly error: string; readonly message?: string }
  /** Bytes that are no event, then a close. */
  | { readonly garbage: string };

/** An answer that is streamed (or sent whole, where `stream` was not asked for). */
export interface Answer {
  readonly blocks: readonly JsonObject[];
  /** `tool_use` when the blocks hold a call, else `end_turn`. */
  readonly stopReason?: string;
  readonly stopSequence?: string;
  /** The final counts; `message_start` tells the same with one output token. */
  readonly usage?: JsonObject;
  readonly id?: string;
  /** As asked for, unless said. */
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Characters of a delta; by default a block comes in three. */
  readonly piece?: number;
  /** Milliseconds before each event. */
  readonly delayMs?: number;
  /** Bytes of a write, to cut events into chunks; each write is flushed. */
  readonly chunk?: number;
  /** Events put in at the start, unknown ones too. */
  readonly extra?: readonly JsonObject[];
  readonly cut?: { readonly at: Place; readonly how: Cut };
  /** Waits there until the test lets go. */
  readonly holdAt?: { readonly at: Place; readonly hold: Hold };
  /** Waits before the first byte. */
  readonly hold?: Hold;
}

/** An HTTP error as the API sends them. */
export interface Refusal {
  readonly status: number;
  readonly type?: string;
  readonly message?: string;
  readonly retryAfter?: string | number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Instead of the API's JSON: what a proxy would say. */
  readonly text?: string;
  readonly hold?: Hold;
}

/** No HTTP answer at all. */
export interface NoReply {
  readonly none: 'reset' | 'silence';
  readonly hold?: Hold;
}

export type Reply = Answer | Refusal | NoReply;

/** A place where the server stops until the test goes on. */
export interface Hold {
  /** Resolves when the server has come here. */
  readonly reached: Promise<void>;
  release(): void;
  /** For the server. */
  wait(): Promise<void>;
}

export function hold(): Hold {
  const came = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  return {
    reached: came.promise,
    release: () => gone.resolve(),
    wait: () => {
      came.resolve();
      return gone.promise;
    },
  };
}

// ── blocks ──

export function text(words: string): JsonObject {
  return { type: 'text', text: words };
}

export function thinking(words: string, signature = 'c2lnbmF0dXJl'): JsonObject {
  return { type: 'thinking', thinking: words, signature };
}

export function redacted(data = 'ZGF0YQ=='): JsonObject {
  return { type: 'redacted_thinking', data };
}

export function toolUse(name: string, input: JsonObject, id = randomId('toolu')): JsonObject {
  return { type: 'tool_use', id, name, input };
}

/** What the server's own search leaves in an answer: the call and what it found. */
export function webSearch(query: string, found: readonly { url: string; title: string }[]): JsonObject[] {
  const id = randomId('srvtoolu');
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query } },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: found.map((page) => ({
        type: 'web_search_result',
        ...page,
        encrypted_content: 'ZW5j',
        page_age: null,
      })),
    },
  ];
}

// ── answers ──

/** `says('Hello')`, `says([thinking('…'), toolUse('Read', {…})], { delayMs: 5 })` */
export function says(what: string | readonly JsonObject[], more: Omit<Answer, 'blocks'> = {}): Answer {
  return { ...more, blocks: typeof what === 'string' ? [text(what)] : what };
}

/** `calls('Bash', { command: 'ls' })` */
export function calls(name: string, input: JsonObject, more: Omit<Answer, 'blocks'> = {}): Answer {
  return says([toolUse(name, input)], more);
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export function fails(status: number, more: Omit<Refusal, 'status'> = {}): Refusal {
  return { type: ERROR_TYPES[status] ?? 'api_error', message: `scripted ${status}`, ...more, status };
}

/** The words the API uses when a prompt does not fit. */
export function tooLong(): Refusal {
  return fails(400, { message: 'prompt is too long: 210000 tokens > 200000 maximum' });
}

export function resets(): NoReply {
  return { none: 'reset' };
}

export function neverAnswers(): NoReply {
  return { none: 'silence' };
}

// ── the stream of an answer ──

export function eventsOf(answer: Answer, message: JsonObject): JsonObject[] {
  const { blocks, usage, stopReason, stopSequence } = answer;
  const counts: JsonObject = { input_tokens: 10, output_tokens: 5, ...usage };
  const called = blocks.some(({ type }) => type === 'tool_use');
  return [
    { type: 'message_start', message: { ...message, usage: { ...counts, output_tokens: 1 } } },
    { type: 'ping' },
    ...(answer.extra ?? []),
    ...blocks.flatMap((block, index) => blockEvents(block, index, answer.piece)),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason ?? (called ? 'tool_use' : 'end_turn'), stop_sequence: stopSequence ?? null },
      usage: counts,
    },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: JsonObject, index: number, piece: number | undefined): JsonObject[] {
  const { empty, deltas } = streamed(block, piece);
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** A tool call whose `input` is a string is sent as that string, whatever it is. */
function streamed(block: JsonObject, piece: number | undefined): { empty: JsonObject; deltas: JsonObject[] } {
  const cut = (words: string): string[] => piecesOf(words, piece ?? Math.max(1, Math.ceil(words.length / 3)));
  if (block.type === 'text') {
    const deltas = cut(asString(block.text) ?? '').map((words) => ({ type: 'text_delta', text: words }));
    return { empty: { ...block, text: '' }, deltas };
  }
  if (block.type === 'thinking') {
    const words = cut(asString(block.thinking) ?? '').map((part) => ({ type: 'thinking_delta', thinking: part }));
    return {
      empty: { ...block, thinking: '', signature: '' },
      deltas: [...words, { type: 'signature_delta', signature: block.signature }],
    };
  }
  if (block.type === 'tool_use' || block.type === 'server_tool_use') {
    const input = typeof block.input === 'string' ? block.input : JSON.stringify(block.input);
    const parts = ['', ...cut(input)].map((part) => ({ type: 'input_json_delta', partial_json: part }));
    return { empty: { ...block, input: {} }, deltas: parts };
  }
  return { empty: block, deltas: [] };
}

function piecesOf(words: string, size: number): string[] {
  const pieces: string[] = [];
  for (let i = 0; i < words.length; i += size) pieces.push(words.slice(i, i + size));
  return pieces;
}

/** How many events come before the place. */
export function eventsBefore(events: readonly JsonObject[], at: Place): number {
  if (typeof at === 'number') return at;
  if (at === 'start') return 1;
  if (at === 'end') return events.findIndex(({ type }) => type === 'message_delta');
  const [index, last] = 'inside' in at ? [at.inside, 'content_block_delta'] : [at.after, 'content_block_stop'];
  // Inside a block: after its first delta that says something.
  return events.findIndex((event) => event.index === index && event.type === last && !isEmptyDelta(event)) + 1;
}

function isEmptyDelta({ delta }: JsonObject): boolean {
  return JSON.stringify(delta ?? null).includes('"partial_json":""');
}
