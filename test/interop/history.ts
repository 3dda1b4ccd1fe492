/** What a client sent, in a form that can be compared with what context() gives. */
import { asString } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import {
  entriesOf,
  type Message,
  mapBlocks,
  mended,
  PROMPT,
  withoutInventedWords,
  withoutReminders,
} from '../support/resume-cases.ts';
import type { Verdict } from './judge.ts';

/** The first request holds the history as the client rebuilt it; what comes after a refusal is its own mending. */
export function historyOf({ requests }: Verdict): readonly Message[] | undefined {
  const [first] = requests;
  if (first === undefined) return undefined;
  return comparable(first.refused === undefined ? first.messages : mended(first.messages));
}

export function comparable(messages: readonly Message[]): Message[] {
  return withoutInventedWords(withoutReminders(messages)).filter(({ content }) => content.length > 0);
}

/** The published client puts notes of its own before a prompt, so that no line ends there (R11); ours has none. */
export function trimmed(messages: readonly Message[]): Message[] {
  return mapBlocks(comparable(messages), (block) => [
    typeof block.text === 'string' ? { ...block, text: block.text.trimEnd() } : block,
  ]);
}

/** What we would send. */
export function ours(transcript: string): Message[] {
  return comparable(context(entriesOf(transcript), { prompt: PROMPT }).messages);
}

/** What a person typed; how a client words its own notes differs between versions. */
export function promptsIn(messages: readonly Message[]): (string | undefined)[] {
  const blocks = messages.flatMap(({ role, content }) => (role === 'user' ? content : []));
  const own = (text: string | undefined) => text === undefined || /^\s*(?:<|\[|Caveat|This session is)/.test(text);
  return blocks.map((block) => asString(block.text)?.trim()).filter((text) => !own(text));
}
