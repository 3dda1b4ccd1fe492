/** One entry as one line of text: what happened, for people who watch a session grow. */
import { type Block, blocksOf, plainText } from '../format/content.ts';
import { type Entry, jsonOf } from '../format/entry.ts';
import { typeName } from '../format/inventory.ts';
import type { JsonObject } from '../format/json.ts';
import { inputKind, isHumanTurnStart, promptText } from '../format/prompt.ts';
import { typedOf } from '../format/typed.ts';
import type { Mask } from './options.ts';
import { mainArgument } from './toolview.ts';

export interface EntryLine {
  readonly time: string | undefined;
  /** prompt, answer, thinking, call, result, error, or the entry's type. */
  readonly label: string;
  readonly text: string;
}

const LONGEST = 400;

/** The lines of an entry: one per content block, at least one. */
export function entryLines(entry: Entry, mask: Mask = (text) => text): EntryLine[] {
  const time = entry.head.timestamp;
  if (entry.kind === 'blank') return [];
  if (entry.kind === 'unreadable') return [{ time, label: 'unreadable', text: mask(entry.problem ?? '') }];
  const json = jsonOf(entry) ?? {};
  if (entry.kind === 'user' && isHumanTurnStart(inputKind(entry))) {
    return [{ time, label: 'prompt', text: oneLine(mask(promptText(entry))) }];
  }
  if (entry.kind === 'user' || entry.kind === 'assistant') {
    const lines = blocksOf(json).map((block) => ({ time, ...blockLine(entry, block, mask) }));
    return lines.length > 0 ? lines : [{ time, label: entry.kind, text: '' }];
  }
  return [{ time, label: typeName(entry), text: oneLine(mask(detailOf(entry, json))) }];
}

function blockLine(entry: Entry, block: Block, mask: Mask): { label: string; text: string } {
  switch (block.type) {
    case 'text':
      if (entry.head.isApiErrorMessage) return { label: 'error', text: oneLine(mask(block.text)) };
      return { label: entry.kind === 'assistant' ? 'answer' : inputKind(entry), text: oneLine(mask(block.text)) };
    case 'thinking':
      return { label: 'thinking', text: oneLine(mask(block.thinking)) };
    case 'tool_use':
      return { label: 'call', text: oneLine(mask(`${block.name}\n${mainArgument(block.input)}`)) };
    case 'tool_result':
      return { label: block.isError ? 'error' : 'result', text: oneLine(mask(plainText(block.content))) };
    case 'image':
      return { label: 'image', text: mask(block.mediaType ?? '') };
    case 'redacted_thinking':
      return { label: 'thinking', text: '(redacted)' };
    case 'other':
      return { label: mask(block.name), text: '' };
  }
}

function detailOf(entry: Entry, json: JsonObject): string {
  switch (entry.kind) {
    case 'system': {
      const system = typedOf('system', json);
      const compact = system.compact?.preTokens === undefined ? '' : ` at ${system.compact.preTokens} tokens`;
      const duration = system.durationMs === undefined ? '' : ` ${system.durationMs} ms`;
      return `${system.subtype ?? ''}${duration}\n${system.content ?? ''}\n${compact}`;
    }
    case 'summary':
      return typedOf('summary', json).summary ?? '';
    case 'custom-title':
      return typedOf('custom-title', json).title ?? '';
    case 'ai-title':
      return typedOf('ai-title', json).title ?? '';
    case 'queue-operation': {
      const queue = typedOf('queue-operation', json);
      return `${queue.operation ?? ''}\n${queue.content ?? ''}`;
    }
    case 'pr-link':
      return typedOf('pr-link', json).prUrl ?? '';
    case 'progress':
      return entry.head.progress?.type ?? '';
    case 'attachment':
      return entry.head.attachmentType ?? '';
    default:
      return '';
  }
}

function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > LONGEST ? `${flat.slice(0, LONGEST)}…` : flat;
}
