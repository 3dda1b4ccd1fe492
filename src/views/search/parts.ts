/**
 * What there is to find in an entry: what was said, thought, asked of tools and answered by them, each apart. What only
 * repeats something (the client's record of a result, the last prompt, partial outputs) is left out, so that it is found once.
 * What an entry puts into the queue of prompts is found only where nothing else shows it (E9), which other entries tell: see `queue`.
 */
import { type Block, blocksOf, plainText } from '../../format/content.ts';
import type { Entry } from '../../format/entry.ts';
import { type Head, headOf } from '../../format/head.ts';
import { asArray, asObject, asString, at, isObject, type Json, type JsonObject } from '../../format/json.ts';
import { kindOf } from '../../format/kinds.ts';
import { type InputKind, isHumanTurnStart, promptIn } from '../../format/prompt.ts';
import { type QueueStep, queueStepOf } from '../../format/queue.ts';
import { parseTimestamp } from '../../format/time.ts';

/** The order is stored in indexes: new ones go to the end. */
export const WHERES = [
  'prompt',
  'answer',
  'thinking',
  'tool_input',
  'tool_result',
  'title',
  'summary',
  'note',
  'damaged',
] as const;
export type Where = (typeof WHERES)[number];

export const ROLES = ['user', 'assistant', 'system'] as const;
export type Role = (typeof ROLES)[number];

export interface Part {
  readonly where: Where;
  readonly text: string;
  readonly tool?: string;
  /** The id of the tool call it belongs to. */
  readonly call?: string;
  /** The file a tool call is about. */
  readonly file?: string;
  readonly isError: boolean;
}

export interface Found {
  readonly uuid: string | undefined;
  /** The same for all copies of an entry: with the place of a part in it, what is counted once. */
  readonly identity: string;
  /** It repeats an entry that stands elsewhere. */
  readonly isCopy: boolean;
  /** Whose line it is, where a sub-agent's stand among those of its session: ids of calls are told apart by it. */
  readonly side?: string;
  /** What it does to the queue: the parts of what is enqueued count only while format/queue.ts has it as a prompt. */
  readonly queue?: QueueStep;
  readonly role: Role;
  /** As written. */
  readonly timestamp: string | undefined;
  /** Milliseconds. */
  readonly time: number | undefined;
  readonly model: string | undefined;
  readonly gitBranch: string | undefined;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
  readonly parts: readonly Part[];
}

/** Everything in an entry; undefined when there is nothing to read. */
export function findableOf(entry: Entry, json: JsonObject | undefined): Found | undefined {
  if (json === undefined) return undefined;
  const { head } = entry;
  const copy = head.progress?.type === 'agent_progress' ? asObject(at(json.data, 'message')) : undefined;
  if (copy !== undefined) return copiedEntry(entry, copy);
  const parts = withText(partsOf(entry, json));
  const queue = queueStepOf(entry, () => promptIn(entry, json), json);
  const [first] = parts;
  if (first === undefined && queue === undefined) return undefined;
  const origin = head.forkedFrom?.messageUuid;
  // The queue tells when it was typed, and what is typed often is short.
  const of = asString(json.leafUuid) ?? (queue?.does === 'enqueue' ? head.timestamp : undefined) ?? '';
  const time = parseTimestamp(head.timestamp ?? '');
  return {
    uuid: head.uuid,
    identity: origin ?? head.uuid ?? `${first?.where} ${of} ${first?.text}`,
    // The client's forks keep the uuid too.
    isCopy: head.forkedFrom !== undefined,
    side: head.isSidechain && head.agentId === undefined ? 'side' : undefined,
    queue,
    role: roleOf(entry, parts),
    timestamp: head.timestamp,
    time: Number.isNaN(time) ? undefined : time,
    model: head.message?.model,
    gitBranch: head.gitBranch,
    sessionId: head.sessionId,
    cwd: head.cwd,
    parts,
  };
}

/** Mostly all of them have some. */
function withText(parts: Part[]): Part[] {
  return parts.some(({ text }) => text === '') ? parts.filter(({ text }) => text !== '') : parts;
}

function roleOf({ kind }: Entry, parts: readonly Part[]): Role {
  if (parts.some(({ where }) => where === 'prompt')) return 'user';
  return kind === 'user' || kind === 'assistant' ? kind : 'system';
}

/** What tells the call of a part apart in its file; undefined for a part of none. */
export function callKeyOf({ side }: Pick<Found, 'side'>, { call }: Pick<Part, 'call'>): string | undefined {
  if (call === undefined || call === '') return undefined;
  return side === undefined ? call : `${side} ${call}`;
}

/** E18: an entry of a sub-agent inside one of its session. */
function copiedEntry(entry: Entry, copy: JsonObject): Found | undefined {
  const head = headOf(copy);
  const found = findableOf({ ...entry, kind: kindOf(head), head: { ...head, isSidechain: true } }, copy);
  const { sessionId, gitBranch, cwd, progress } = entry.head;
  return (
    found && { ...found, queue: undefined, isCopy: true, side: progress?.agentId ?? 'side', sessionId, gitBranch, cwd }
  );
}

/** A line that is no entry: all of it. */
export function findableText(text: string): Found | undefined {
  if (text.trim() === '') return undefined;
  return {
    uuid: undefined,
    identity: `damaged ${text}`,
    isCopy: false,
    role: 'system',
    timestamp: undefined,
    time: undefined,
    model: undefined,
    gitBranch: undefined,
    sessionId: undefined,
    cwd: undefined,
    parts: [{ where: 'damaged', text, isError: false }],
  };
}

function partsOf(entry: Entry, json: JsonObject): Part[] {
  switch (entry.kind) {
    case 'assistant':
      return partsOfBlocks(json, 'answer', entry.head);
    case 'user':
      return entry.head.blocks.some(({ type }) => type === 'tool_result')
        ? partsOfBlocks(json, 'note', entry.head)
        : typedParts(entry, json);
    case 'system':
      return typedParts(entry, json);
    case 'attachment':
      return entry.head.attachmentType === 'queued_command'
        ? typedParts(entry, json)
        : [part('note', strings(json.attachment, []).join('\n'))];
    case 'queue-operation':
      return enqueuedParts(entry, json);
    case 'summary':
      return [part('title', asString(json.summary))];
    case 'custom-title':
      return [part('title', asString(json.customTitle))];
    case 'ai-title':
      return [part('title', asString(json.aiTitle))];
    case 'agent-name':
      return [part('title', asString(json.agentName))];
    case 'pr-link':
      return [part('note', asString(json.prUrl))];
    case 'unknown':
      return partsOfBlocks(json, 'note', entry.head);
    default:
      return [];
  }
}

function part(where: Where, text: string | undefined): Part {
  return { where, text: text ?? '', isError: false };
}

/** A person's words, and what the client set around them. */
function typedParts(entry: Entry, json: JsonObject): Part[] {
  const { kind, text, context } = promptIn(entry, json);
  const plain = kind === 'none' ? blocksOf(json).map((block) => (block.type === 'text' ? block.text : '')) : [text];
  return [part(whereOf(kind), plain.join('\n')), ...context.map((each) => part('note', each.text))];
}

/** What is put into the queue: only what was typed, which is all there is to take back once something else shows it. */
function enqueuedParts(entry: Entry, json: JsonObject): Part[] {
  const { kind, text } = promptIn(entry, json);
  return kind === 'enqueued' ? [part('prompt', text)] : [];
}

function whereOf(kind: InputKind): Where {
  if (isHumanTurnStart(kind) || kind === 'agent_prompt') return 'prompt';
  return kind === 'compact_summary' ? 'summary' : 'note';
}

/** Added to one list: a list for each block, or each string of an input, would take longer than the rest of a line. */
function partsOfBlocks(json: JsonObject, said: Where, head: Head): Part[] {
  const parts: Part[] = [];
  for (const block of blocksOf(json)) {
    const found = blockPart(block, said, head);
    if (found !== undefined) parts.push(found);
  }
  return parts;
}

function blockPart(block: Block, said: Where, head: Head): Part | undefined {
  switch (block.type) {
    case 'text':
      return { where: said, text: block.text, isError: head.isApiErrorMessage };
    case 'thinking':
      return part('thinking', block.thinking);
    case 'tool_use':
      return callPart(block.name, block.id, block.input);
    case 'tool_result':
      return resultPart(block.toolUseId, block.content, block.isError);
    case 'other':
      return otherPart(block.name, block.raw);
    default:
      return undefined;
  }
}

function callPart(tool: string, call: string, input: Json | undefined): Part {
  const text = strings(input, [tool]).join('\n');
  return { where: 'tool_input', text, tool, call, file: fileOf(input), isError: false };
}

function resultPart(call: string, content: Json | undefined, isError: boolean): Part {
  return { where: 'tool_result', text: plainText(content), call, isError };
}

/** Tools that ran at the API: `server_tool_use`, `web_search_tool_result` and those still to come. */
function otherPart(name: string, raw: JsonObject): Part | undefined {
  const call = asString(raw.id) ?? asString(raw.tool_use_id) ?? '';
  if (name.endsWith('tool_use')) return callPart(asString(raw.name) ?? name, call, raw.input);
  if (!name.endsWith('tool_result')) return undefined;
  const items = asArray(raw.content) ?? [raw.content];
  const text = items.flatMap((item) => ['title', 'url', 'text'].map((key) => asString(at(item, key)) ?? ''));
  return { where: 'tool_result', text: text.filter((each) => each !== '').join('\n'), call, isError: false };
}

const FILE_KEYS = ['file_path', 'notebook_path', 'path'];

/** The file that a tool call is about. */
export function fileOf(input: Json | undefined): string | undefined {
  for (const key of FILE_KEYS) {
    const value = asString(at(input, key));
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** Values that only their names tell to be secret: they keep them, for the mask to see. It must know every name that the mask does. */
export const TELLING = /pass|pwd|secret|token|key|auth|cookie|credential|_pat$/i;

/** Adds every string in a value, whatever its depth. Those of a list are under the name of the list. */
function strings(value: Json | undefined, found: string[], name = ''): string[] {
  if (typeof value === 'string') found.push(TELLING.test(name) ? `${name}: ${asValue(value)}` : value);
  else if (isObject(value)) for (const key of Object.keys(value)) strings(value[key], found, nameOf(value, key));
  else for (const each of argumentsIn(asArray(value) ?? [])) strings(each, found, name);
  return found;
}

/** `{"name": "DB_PASSWORD", "value": "…"}`: as if it were a member of its own. */
function nameOf(value: JsonObject, key: string): string {
  return key === 'value' || key === 'Value' ? (nameIn(value) ?? key) : key;
}

function nameIn({ name, key, Name, Key }: JsonObject): string | undefined {
  return [name, key, Name, Key].map(asString).find((each) => each !== undefined && TELLING.test(each));
}

/** In quotes, which it does not have itself, where a reader would take only a part of it for the value, or for code. */
function asValue(value: string): string {
  if (/\s|^[\w!#$%*+/:=?@^~-]*$/.test(value)) return value;
  const quote = ['"', "'", '`'].find((each) => !value.includes(each)) ?? '';
  return `${quote}${value}${quote}`;
}

/** `["--password", "…"]`: the option stays with its value. */
function argumentsIn(values: readonly Json[]): Json[] {
  const joined: Json[] = [];
  for (const each of values) {
    const before = joined.at(-1);
    const isOption = typeof before === 'string' && /^--?[\w-]+$/.test(before) && TELLING.test(before);
    if (isOption && typeof each === 'string')
      joined[joined.length - 1] = `${before}${before.startsWith('--') ? ' ' : '='}${asValue(each)}`;
    else joined.push(each);
  }
  return joined;
}
