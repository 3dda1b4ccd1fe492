/** A turn as the sequence of things a reader meets. Fillers of the client are left out; nothing else is. */
import { blocksOf, type ImageBlock } from '../format/content.ts';
import { type Entry, jsonOf } from '../format/entry.ts';
import { type InputKind, inputKind, promptOf } from '../format/prompt.ts';
import { typedOf } from '../format/typed.ts';
import { NO_RESPONSE } from '../graph/context/close.ts';
import { placedBlocksOf } from '../graph/messages.ts';
import type { Message, ToolCall, Turn } from '../graph/types.ts';
import { counted } from './counted.ts';
import type { AgentView } from './options.ts';

/** `entry` is the line it was read from. */
export type Item = { readonly entry: Entry } & (
  | {
      readonly type: 'prompt';
      readonly text: string;
      readonly context: readonly { readonly tag: string; readonly text: string }[];
    }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly call: ToolCall }
  | { readonly type: 'api_error'; readonly text: string }
  /** Anything the client put in between: a compaction, an interruption, output of a command, a note. */
  | { readonly type: 'note'; readonly label: string; readonly text: string; readonly image?: ImageBlock }
);

export const COMPACTED = 'context compacted';
export const SUMMARY = 'summary';

export function itemsOf(turn: Turn): Item[] {
  const byFirst = new Map(turn.messages.map((message) => [message.entries[0], message]));
  const calls = new Map(turn.toolCalls.map((call) => [call.id, call]));
  const items: Item[] = [];
  const seen = new Set<string>();
  for (const entry of turn.entries) {
    // A line written twice is read once.
    if (entry.head.uuid !== undefined && entry.kind !== 'assistant' && seen.has(entry.head.uuid)) continue;
    if (entry.head.uuid !== undefined) seen.add(entry.head.uuid);
    const message = byFirst.get(entry);
    if (message) for (const item of messageItems(message, calls)) items.push(item);
    else if (entry === turn.prompt) items.push(promptItem(entry));
    else if (!entry.head.isSidechain) for (const item of noteItems(entry)) items.push(item);
    // A message that began in the turn before can make calls in this one.
    for (const item of lateCalls(entry, calls)) items.push(item);
  }
  return items;
}

/** Calls that no message of the turn has shown; a call is shown once. */
function lateCalls(entry: Entry, calls: Map<string, ToolCall>): Item[] {
  if (entry.kind !== 'assistant') return [];
  return entry.head.blocks.flatMap(({ id }): Item[] => {
    const call = id === undefined ? undefined : calls.get(id);
    if (call?.use !== entry) return [];
    calls.delete(call.id);
    return [{ type: 'call', call, entry }];
  });
}

function promptItem(entry: Entry): Item {
  const { text, context } = promptOf(entry);
  return { type: 'prompt', text, context, entry };
}

function messageItems(message: Message, calls: Map<string, ToolCall>): Item[] {
  return placedBlocksOf(message).flatMap(({ block, entry }): Item[] => {
    switch (block.type) {
      case 'text':
        if (message.isApiError) return [{ type: 'api_error', text: block.text, entry }];
        if (message.synthetic && block.text === NO_RESPONSE) return [];
        return block.text.trim() === '' ? [] : [{ type: 'text', text: block.text, entry }];
      case 'thinking':
        return block.thinking === '' ? [] : [{ type: 'thinking', text: block.thinking, entry }];
      case 'redacted_thinking':
        return [{ type: 'thinking', text: '(redacted)', entry }];
      case 'tool_use': {
        const call = calls.get(block.id);
        calls.delete(block.id);
        return call ? [{ type: 'call', call, entry }] : [];
      }
      case 'image':
        return [{ type: 'note', label: 'image', text: block.mediaType ?? '', image: block, entry }];
      default:
        return [{ type: 'note', label: block.type === 'other' ? block.name : block.type, text: '', entry }];
    }
  });
}

const NOTED: ReadonlyMap<InputKind, string> = new Map<InputKind, string>([
  ['interrupt', 'interrupted'],
  ['bash_output', 'output'],
  ['command_output', 'output'],
  ['task_notification', 'notification'],
  ['compact_summary', SUMMARY],
  ['queued', 'queued prompt'],
]);

function noteItems(entry: Entry): Item[] {
  if (entry.kind === 'user' || entry.kind === 'attachment') {
    const label = NOTED.get(inputKind(entry));
    return label === undefined ? [] : [{ type: 'note', label, text: textOf(entry), entry }];
  }
  return entry.kind === 'system' ? systemItems(entry) : [];
}

function textOf(entry: Entry): string {
  const { text } = promptOf(entry);
  if (text !== '') return stripTags(text);
  const blocks = blocksOf(jsonOf(entry) ?? {});
  return stripTags(blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n'));
}

/** `<bash-stdout>…</bash-stdout>` is its content to a reader, a notification its summary. */
function stripTags(text: string): string {
  const summary = /^<[a-z]+-notification>[\s\S]*<summary>([\s\S]*?)<\/summary>/.exec(text)?.[1];
  if (summary !== undefined) return summary.trim();
  // The client takes the last line end off each: what follows would be a part of the last word.
  return text.replace(BETWEEN_OUTPUTS, '\n').replace(OUTPUT_TAGS, '').trim();
}

const OUTPUT_TAGS = /<\/?(?:bash|local-command)-std(?:out|err)>/g;
const BETWEEN_OUTPUTS = /\n?<\/(?:bash|local-command)-stdout>\n?<(?:bash|local-command)-stderr>/g;

function systemItems(entry: Entry): Item[] {
  const system = typedOf('system', jsonOf(entry) ?? {});
  switch (system.subtype) {
    case 'compact_boundary': {
      const { preTokens, postTokens } = system.compact ?? {};
      const sizes = [preTokens, postTokens].filter((tokens) => tokens !== undefined).map(tokenCount);
      const text = sizes.length > 0 ? `${sizes.join(' → ')} tokens` : '';
      return [{ type: 'note', label: COMPACTED, text, entry }];
    }
    case 'api_error': {
      const attempt =
        system.retryAttempt === undefined
          ? ''
          : `attempt ${system.retryAttempt} of ${system.maxRetries ?? '?'}, retried`;
      return [{ type: 'note', label: 'API error', text: attempt, entry }];
    }
    case 'informational':
    case 'local_command':
      return system.content === undefined
        ? []
        : [{ type: 'note', label: 'client', text: stripTags(commandText(system.content)), entry }];
    default:
      return [];
  }
}

function commandText(content: string): string {
  const name = /<command-name>([\s\S]*?)<\/command-name>/.exec(content)?.[1];
  if (name === undefined) return content;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(content)?.[1] ?? '';
  return `${name} ${args}`.trim();
}

/** 167503 is 168k to a reader. */
export function agentFacts({ calls, tokens, from }: AgentView): string {
  const all = `${counted(calls, 'call')}, ${tokenCount(tokens)} tokens`;
  return from === 'progress' ? `${all}, known from progress only` : all;
}

export function tokenCount(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  return tokens < 1e6 ? `${Math.round(tokens / 1000)}k` : `${(tokens / 1e6).toFixed(1)}M`;
}
