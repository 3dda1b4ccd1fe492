/** What was said, given to tools and given back, as it may leave: masked, cut, without images; or nothing of it. */
import { type Block, toBlocks } from '../../format/content.ts';
import { isObject, type Json } from '../../format/json.ts';
import { blocksOfMessage } from '../../graph/messages.ts';
import { contentOfCall, inputOfCall, textOfCall } from '../../graph/toolcalls.ts';
import { promptTextOf } from '../../graph/turns.ts';
import type { Message, ToolCall, Turn } from '../../graph/types.ts';
import { itemsOf } from '../items.ts';
import { maskedJson } from '../masked.ts';
import { humanSize } from '../options.ts';
import { firstLine } from '../toolview.ts';
import type { Content, Part, SpanOptions } from './types.ts';

/** Servers refuse requests of some megabytes; no reader of a trace wants a longer text. */
export const LONGEST = 500_000;
const LONGEST_STATUS = 500;

export interface Contents {
  prompt(turn: Turn): Content | null;
  /** The last thing the model said in these turns; of a command that it did not answer, what that printed. */
  answer(turns: readonly Turn[]): Content | null;
  message(message: Message): Content | null;
  input(call: ToolCall): Content | null;
  output(call: ToolCall): Content | null;
  /** One line of a text, or the word that says the same without it. */
  status(text: () => string, word: string): string;
  /** A name or a path: sent with and without content. */
  name(text: string): string;
}

export function createContents(options: SpanOptions): Contents {
  const { thinking = false, resolve, longest = LONGEST, mask = (text) => text } = options;
  const shown = (text: string) => cut(mask(text), longest);
  const value = (json: Json) => mapStrings(maskedJson(shallow(json), mask), (text) => cut(text, longest));
  const words = (role: 'user' | 'assistant', said: string): Content | null => {
    if (said === '') return null;
    const text = shown(said);
    return { type: 'message', role, text, parts: [{ type: 'text', text }] };
  };
  // Asked for twice: looking for secrets takes longer than all the rest.
  const prompts = new Map<Turn, Content | null>();
  const prompt = (turn: Turn): Content | null => {
    const known = prompts.get(turn) ?? words('user', promptTextOf(turn));
    prompts.set(turn, known);
    return known;
  };

  function parts(message: Message): Part[] {
    return blocksOfMessage(message).flatMap((block): Part[] => {
      if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: shown(block.text) }];
      if (block.type === 'thinking' && thinking && block.thinking !== '')
        return [{ type: 'thinking', text: shown(block.thinking) }];
      if (block.type === 'tool_use')
        return [{ type: 'call', id: block.id, name: mask(block.name), input: value(block.input) }];
      return [];
    });
  }

  if (options.content === false) return { ...NO_CONTENT, name: mask };
  return {
    prompt,
    answer: (turns) => words('assistant', answerIn(turns)),
    message: (message) => {
      const said = parts(message);
      return { type: 'message', role: 'assistant', text: textIn(said), parts: said };
    },
    input: (call) => ({ type: 'json', value: value(inputOfCall(call) ?? {}) }),
    output: (call) => {
      if (call.result === undefined) return null;
      const blocks = toBlocks(contentOfCall(call));
      const onlyText = blocks.every(({ type }) => type === 'text');
      return { type: 'json', value: value(onlyText ? (textOfCall(call, resolve) ?? '') : blocks.map(withoutImage)) };
    },
    status: (text, word) => cut(firstLine(mask(text())), LONGEST_STATUS) || word,
    name: mask,
  };
}

const NO_CONTENT: Omit<Contents, 'name'> = {
  prompt: () => null,
  answer: () => null,
  message: () => null,
  input: () => null,
  output: () => null,
  status: (_, word) => word,
};

function textIn(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n');
}

const PRINTED = new Set(['output', 'client']);

function answerIn(turns: readonly Turn[]): string {
  for (const turn of turns.toReversed()) {
    for (const message of turn.messages.toReversed()) {
      const text = (message.synthetic && !message.isApiError) || isInjected(message) ? '' : textOfMessage(message);
      if (text !== '') return text;
    }
  }
  const printed = turns.flatMap((turn) => (turn.messages.every(({ synthetic }) => synthetic) ? itemsOf(turn) : []));
  return printed.flatMap((item) => (item.type === 'note' && PRINTED.has(item.label) ? item.text : [])).join('\n');
}

/** The client put it in (`isMeta`), in reduced transcripts also as an answer: no request was made for it. */
export function isInjected({ usage, entries }: Message): boolean {
  return usage === undefined && entries.every(({ head }) => head.isMeta);
}

export function textOfMessage(message: Message): string {
  const texts = blocksOfMessage(message).flatMap((block) => (block.type === 'text' ? block.text : []));
  return texts.filter((text) => text.trim() !== '').join('\n');
}

function withoutImage(block: Block): Json {
  if (block.type !== 'image') return block.raw;
  return { type: 'image', media_type: block.mediaType ?? null, size: humanSize(((block.data?.length ?? 0) * 3) / 4) };
}

/** Half a character, which a line may hold and a cut may leave, is none to a server. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text.toWellFormed();
  return `${text.slice(0, longest).toWellFormed()}… (${text.length - longest} characters more)`;
}

/** Deeper nesting can be read than written, and no tool needs it. */
const DEEPEST = 200;

function shallow(value: Json, depth = 0): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return '…';
  if (Array.isArray(value)) return value.map((item) => shallow(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? item : shallow(item, depth + 1)]),
  );
}

function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key.toWellFormed(),
      item === undefined ? item : mapStrings(item, change),
    ]),
  );
}
