/** What a person did, told from everything that only looks like it (E7–E10, E15). The only place that knows the wrapper texts. */
import { type Block, blocksOf, toBlocks } from './content.ts';
import { bytesOf, type Entry, jsonOf } from './entry.ts';
import type { Head } from './head.ts';
import { asString, at, type Json, type JsonObject, parseJson } from './json.ts';
import { lazy } from './lazy.ts';
import { type Keep, keepKeys } from './skeleton.ts';
import { valuesOf } from './values.ts';

export type InputKind =
  /** Typed by a person. */
  | 'text'
  | 'ide_selection'
  | 'ide_opened_file'
  | 'image'
  | 'slash_command'
  | 'bash_input'
  /** Typed while the model was busy, handed over inside the running turn (E9). */
  | 'queued'
  /** Put into the queue; a prompt of its own only when nothing else shows it (queue.ts). */
  | 'enqueued'
  /** Written by a model for its sub-agent. */
  | 'agent_prompt'
  /** Written by the client. */
  | 'tool_result'
  | 'bash_output'
  | 'command_output'
  | 'caveat'
  | 'interrupt'
  | 'task_notification'
  | 'compact_summary'
  /** Expansion of a command or skill, hook output, reminders. */
  | 'meta'
  | 'transcript_only'
  | 'none';

const TURN_STARTS: ReadonlySet<InputKind> = new Set<InputKind>([
  'text',
  'ide_selection',
  'ide_opened_file',
  'image',
  'slash_command',
  'bash_input',
  'queued',
]);

export function isHumanTurnStart(kind: InputKind): boolean {
  return TURN_STARTS.has(kind);
}

/** How the client's own user entries begin. The first that fits decides. */
const WRAPPERS: readonly (readonly [InputKind, RegExp])[] = [
  ['slash_command', /^<command-(?:name|message)>/],
  ['bash_input', /^<bash-input>/],
  ['bash_output', /^<bash-(?:stdout|stderr)>/],
  ['command_output', /^<local-command-(?:stdout|stderr)>/],
  ['caveat', /^(?:<local-command-caveat>|Caveat: )/],
  ['task_notification', /^<[a-z]+-notification>/],
  ['interrupt', /^\[Request interrupted by user/],
  ['compact_summary', /^This session is being continued from a previous conversation/],
  ['meta', /^<[a-z-]+-hook>/],
  // A note for the memory file (`#`), which the model does not answer.
  ['meta', /^<user-memory-input>/],
  ['command_output', /^This slash command can only be invoked by Claude/],
  // All that 1.0.111–2.1.45 keep of a mistyped command.
  ['slash_command', /^Unknown (?:slash command|skill): \S+\s*$/],
];

/** What every one of them begins with: to make their patterns takes a hook longer than to read what it sends. */
const FIRST_SIGNS = '<[CTU';

function wrapperOf(text: string): InputKind | undefined {
  if (!FIRST_SIGNS.includes(text.charAt(0))) return undefined;
  return WRAPPERS.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Tags set before or after what was typed: not the person's words. */
const OPENING_TAG = /^\s*<(ide_[a-z_]+|system-reminder)>/;
const CLOSING_TAG = /<\/(ide_[a-z_]+|system-reminder)>$/;
/** No such tag is longer; keeps the look at a text's end short. */
const MAX_TAG = 64;

export interface PromptContext {
  /** ide_selection, ide_opened_file, system-reminder … */
  readonly tag: string;
  readonly text: string;
}

export interface Prompt {
  readonly kind: InputKind;
  /** What the person typed: a command as `/name args`, bash as `!command`, an image as `[image]`. */
  readonly text: string;
  readonly context: readonly PromptContext[];
}

/** Decided from the head where that is enough; the payload is loaded only for entries that may be a prompt. */
export function inputKind(entry: Entry): InputKind {
  return kindFromHead(entry) ?? promptOf(entry).kind;
}

export function promptText(entry: Entry): string {
  return promptOf(entry).text;
}

/**
 * What was read of the last prompts: branches, turns and views all ask, and each time would be a read from disk. A plain
 * map of bounded size: a WeakMap would keep every entry of a passing file until the next full collection.
 */
const remembered = new Map<Entry, Prompt>();
const MOST_REMEMBERED = 4096;
/** Longer prompts are read again, so that payloads stay on disk. */
const MAX_REMEMBERED = 2000;

export function promptOf(entry: Entry): Prompt {
  return remembered.get(entry) ?? remember(entry, passingPrompt(entry));
}

/** For an entry whose whole object is at hand: what only the object tells is not read a second time. */
export function rememberPrompt(entry: Entry, json: JsonObject): void {
  if (kindFromHead(entry) === undefined) remember(entry, readPrompt(entry, undefined, json));
}

function remember(entry: Entry, prompt: Prompt): Prompt {
  if (prompt.kind === 'none') return prompt;
  if (prompt.context.reduce((size, { text }) => size + text.length, prompt.text.length) <= MAX_REMEMBERED) {
    const [oldest] = remembered.size < MOST_REMEMBERED ? [] : remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
    remembered.set(entry, prompt);
  }
  return prompt;
}

/** The same for an entry that passes by and is not asked for again: nothing is remembered. */
export function passingPrompt(entry: Entry): Prompt {
  const known = kindFromHead(entry);
  return known === 'none' ? { kind: known, text: '', context: [] } : readPrompt(entry, known);
}

/** With the whole object where it is at hand. */
export function passingKind(entry: Entry, json?: JsonObject): InputKind {
  return kindFromHead(entry) ?? readPrompt(entry, undefined, json).kind;
}

/** The same for an entry whose whole object is at hand. */
export function promptIn(entry: Entry, json: JsonObject): Prompt {
  const known = kindFromHead(entry);
  return known === 'none' ? { kind: known, text: '', context: [] } : readPrompt(entry, known, json);
}

function readPrompt(entry: Entry, known: InputKind | undefined, json = promptJsonOf(entry)): Prompt {
  const read = readBlocks(typedBlocksOf(entry, json));
  const kind = known ?? kindFromText(entry, read, json);
  return { kind, text: typedText(kind, read.text), context: read.context };
}

function kindFromHead({ kind, head }: Entry): InputKind | undefined {
  if (kind === 'attachment') return head.attachmentType === 'queued_command' ? undefined : 'none';
  if (kind === 'queue-operation') return head.operation === 'enqueue' ? undefined : 'none';
  if (kind === 'system') return head.subtype === 'local_command' ? undefined : 'none';
  if (kind !== 'user') return 'none';
  if (head.blocks.some((block) => block.type === 'tool_result')) return 'tool_result';
  if (head.isCompactSummary) return 'compact_summary';
  if (head.contentForm === 'none' || (head.contentForm === 'array' && head.blocks.length === 0)) return 'none';
  if (head.isVisibleInTranscriptOnly) return 'transcript_only';
  if (head.originKind === 'coordinator' && head.isSidechain) return 'agent_prompt';
  if (head.originKind !== undefined && head.originKind !== 'human') return kindOfOrigin(head.originKind);
  return undefined;
}

function kindOfOrigin(origin: string): InputKind {
  return origin.endsWith('notification') ? 'task_notification' : 'meta';
}

function kindFromText(entry: Entry, read: ReadBlocks, json: JsonObject | undefined): InputKind {
  const { head } = entry;
  if (entry.kind === 'attachment') return queuedKind(json, read.text);
  if (entry.kind === 'queue-operation') return isTyped(read.text) ? 'enqueued' : 'none';
  const wrapper = wrapperOf(read.text);
  if (entry.kind === 'system') return wrapper ?? 'command_output';
  if (head.isMeta) return wrapper === 'caveat' ? 'caveat' : 'meta';
  // A skill that the model called is written like a typed command (2.0.50).
  if (head.sourceToolUseID !== undefined) return 'meta';
  const kind = saysHuman(head) ? humanKind(wrapper, read) : (wrapper ?? clientKind(head) ?? humanKind(undefined, read));
  return head.isSidechain && isHumanTurnStart(kind) ? 'agent_prompt' : kind;
}

/** Newest versions say it outright (E7). */
function saysHuman(head: Head): boolean {
  return head.originKind === 'human' || head.promptSource === 'typed' || head.promptSource === 'sdk';
}

function clientKind(head: Head): InputKind | undefined {
  return head.promptSource === 'system' ? 'meta' : undefined;
}

function humanKind(wrapper: InputKind | undefined, read: ReadBlocks): InputKind {
  if (wrapper === 'bash_input' || (wrapper === 'slash_command' && namesCommand(read.text))) return wrapper;
  const tags = read.context.map((context) => context.tag);
  if (tags.includes('ide_selection')) return 'ide_selection';
  if (tags.includes('ide_opened_file')) return 'ide_opened_file';
  if (read.hasImage) return 'image';
  return read.text === '' && tags.length > 0 ? 'meta' : 'text';
}

function queuedKind(json: JsonObject | undefined, text: string): InputKind {
  const attachment = json?.attachment;
  const origin = asString(at(attachment, 'origin', 'kind'));
  if (origin !== undefined && origin !== 'human') return kindOfOrigin(origin);
  const mode = asString(at(attachment, 'commandMode')) ?? 'prompt';
  if (mode.endsWith('notification')) return 'task_notification';
  return isTyped(text) ? 'queued' : 'task_notification';
}

/** Not a notification, nor the record of a background task (`{"task_id":…}`, 2.1.45). */
function isTyped(text: string): boolean {
  if (text === '' || wrapperOf(text) !== undefined) return false;
  return !(text.startsWith('{') && at(parseJson(text), 'task_id') !== undefined);
}

/** Prompts are small, unless images are in them. */
const LONG_PROMPT = 65_536;
const promptKeep = lazy(() => {
  const content: Keep = { items: keepKeys({ type: 'value', text: 'value' }) };
  return keepKeys({ message: keepKeys({ content }), content });
});

/** Of a long list of blocks only their texts, so that no image is built. */
function promptJsonOf(entry: Entry): JsonObject | undefined {
  const { line, kind, head } = entry;
  const isLong = line.end - line.start >= LONG_PROMPT && kind === 'user' && head.contentForm === 'array';
  return isLong ? valuesOf(line, bytesOf(entry), promptKeep()) : jsonOf(entry);
}

function typedBlocksOf(entry: Entry, json = promptJsonOf(entry)): Block[] {
  if (json === undefined) return [];
  if (entry.kind !== 'attachment') return blocksOf(json);
  const prompt: Json | undefined = at(json.attachment, 'prompt');
  return toBlocks(prompt);
}

interface ReadBlocks {
  readonly text: string;
  readonly context: readonly PromptContext[];
  readonly hasImage: boolean;
}

function readBlocks(blocks: readonly Block[]): ReadBlocks {
  const context: PromptContext[] = [];
  const parts: string[] = [];
  for (const block of blocks) {
    if (block.type === 'text') parts.push(stripContext(block.text, context));
    else if (block.type === 'image') parts.push('[image]');
    else if (block.type === 'other') parts.push(`[${block.name}]`);
  }
  const text = parts.filter((part) => part !== '').join('\n');
  return { text, context, hasImage: blocks.some((block) => block.type === 'image') };
}

/** Takes the tags off both ends; a tag in the middle of a text is quoted by the person. */
function stripContext(text: string, context: PromptContext[]): string {
  let rest = text;
  for (;;) {
    const shorter = stripOpening(rest, context) ?? stripClosing(rest, context);
    if (shorter === undefined) return rest === text ? text : rest.trim();
    rest = shorter;
  }
}

function stripOpening(text: string, context: PromptContext[]): string | undefined {
  if (!text.trimStart().startsWith('<')) return undefined;
  const [opening, tag] = OPENING_TAG.exec(text) ?? [];
  if (opening === undefined || tag === undefined) return undefined;
  const end = text.indexOf(`</${tag}>`, opening.length);
  if (end < 0) return undefined;
  context.push({ tag, text: text.slice(opening.length, end).trim() });
  return text.slice(end + tag.length + 3);
}

function stripClosing(text: string, context: PromptContext[]): string | undefined {
  const trimmed = text.trimEnd();
  if (!trimmed.endsWith('>')) return undefined;
  const [closing, tag] = CLOSING_TAG.exec(trimmed.slice(-MAX_TAG)) ?? [];
  if (closing === undefined || tag === undefined) return undefined;
  const start = trimmed.lastIndexOf(`<${tag}>`);
  if (start < 0) return undefined;
  context.push({ tag, text: trimmed.slice(start + tag.length + 2, -closing.length).trim() });
  return trimmed.slice(0, start);
}

function typedText(kind: InputKind, text: string): string {
  if (kind === 'slash_command') return commandText(text);
  if (kind === 'bash_input') return `!${inTag(text, 'bash-input') ?? text}`;
  return text;
}

/** A person may type what only looks like the client's record of a command. */
function namesCommand(text: string): boolean {
  return nameIn(text) !== undefined || inTag(text, 'command-message') !== undefined;
}

function nameIn(text: string): string | undefined {
  return inTag(text, 'command-name') ?? /^Unknown [a-z ]+: (\S+)/.exec(text)?.[1];
}

function commandText(text: string): string {
  const name = nameIn(text) ?? '';
  const args = inTag(text, 'command-args')?.trim() ?? '';
  const slashed = name.startsWith('/') ? name : `/${name}`;
  return args === '' ? slashed : `${slashed} ${args}`;
}

function inTag(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.indexOf(`</${tag}>`, start);
  return start < 0 || end < 0 ? undefined : text.slice(start + tag.length + 2, end);
}

/** A custom command or skill is written message first and is followed by its expansion; a local command name first and is not. */
export function hasExpansion(entry: Entry): boolean {
  const [first] = typedBlocksOf(entry);
  return first?.type === 'text' && first.text.startsWith('<command-message>');
}
