/** R14: every call is answered in the next message, every result answers a call there, no call id occurs twice (A1–A3). */
import type { JsonObject } from '../../format/json.ts';
import { unpairedAtServer } from '../shapes.ts';
import {
  errorResult,
  invented,
  isResult,
  isThinking,
  isUse,
  NO_CONTENT,
  resultId,
  textBlock,
  useId,
} from './blocks.ts';
import type { ApiMessage } from './types.ts';

const MISSING = '[Tool result missing due to internal error]';
const INTERRUPTED = '[Tool use interrupted]';
const ORPHANED = '[Orphaned tool result removed due to conversation resume]';

export function pairCalls(messages: readonly ApiMessage[]): ApiMessage[] {
  const paired: ApiMessage[] = [];
  const used = new Set<string>();
  for (let i = 0; i < messages.length; i += 1) {
    const message = messages[i];
    if (message === undefined) continue;
    if (message.role === 'user') {
      const kept = withoutResults(message, paired.length === 0);
      if (kept !== undefined) paired.push(kept);
      continue;
    }
    const next = messages[i + 1];
    const content = atServer(message.content, next === undefined).filter(
      (block) => !isUse(block) || firstUse(used, useId(block)),
    );
    paired.push({ role: 'assistant', content: content.length > 0 ? content : [invented(INTERRUPTED)] });
    const follows = next?.role === 'user' ? next : undefined;
    const reply = replyTo(content.filter(isUse).map(useId), follows);
    if (reply !== undefined) paired.push(reply);
    if (follows !== undefined) i += 1;
  }
  return paired;
}

function firstUse(used: Set<string>, id: string): boolean {
  if (used.has(id)) return false;
  used.add(id);
  return true;
}

/** What the API answers itself is paired in the message. Thinking that is left alone was for nothing. */
function atServer(content: readonly JsonObject[], isLast: boolean): readonly JsonObject[] {
  const unpaired = unpairedAtServer(content, isLast);
  if (unpaired.size === 0) return content;
  const kept = content.filter((block) => !unpaired.has(block));
  return kept.every(isThinking) ? [] : kept;
}

/** A user message that follows no answer can hold no results. The first message must stay, whatever is left of it. */
function withoutResults(message: ApiMessage, first: boolean): ApiMessage | undefined {
  const content = message.content.filter((block) => !isResult(block));
  if (content.length > 0) return { role: 'user', content };
  return first ? { role: 'user', content: [textBlock(ORPHANED)] } : undefined;
}

function replyTo(calls: readonly string[], next: ApiMessage | undefined): ApiMessage | undefined {
  const open = new Set(calls);
  const kept: JsonObject[] = [];
  for (const block of next?.content ?? []) if (!isResult(block) || open.delete(resultId(block))) kept.push(block);
  const content = [...[...open].map((id) => errorResult(id, MISSING)), ...kept];
  if (content.length > 0) return { role: 'user', content };
  return next === undefined ? undefined : { role: 'user', content: [textBlock(NO_CONTENT)] };
}
