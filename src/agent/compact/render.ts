/** A conversation as plain text, for whoever is to summarize it: without thinking, and without what long results say. */
import { asArray, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';

export interface Spoken {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

const LONGEST_RESULT = 1500;
const RESULT_HEAD = 500;
const LONGEST_INPUT = 2000;
const INPUT_HEAD = 1000;

/** One text for each message that says something. */
export function rendered(messages: readonly Spoken[]): string[] {
  return messages.flatMap(({ role, content }) => {
    const words = content.map(blockText).filter((text) => text.trim() !== '');
    return words.length === 0 ? [] : [`${role === 'assistant' ? 'Assistant' : 'User'}:\n${words.join('\n')}`];
  });
}

/** The first says what it is about, the last where it stands: what does not fit is left out between them. */
export function fitted(texts: readonly string[], chars: number): string {
  const half = Math.floor(chars / 2);
  const [first, ...rest] = texts.map((text, i) => (i === 0 || i === texts.length - 1 ? cut(text, half, half) : text));
  if (first === undefined) return '';
  let left = chars - first.length;
  let from = rest.length;
  while (from > 0 && left >= (rest[from - 1]?.length ?? 0)) {
    from -= 1;
    left -= rest[from]?.length ?? 0;
  }
  // There is always room for half of the last.
  from = Math.min(from, Math.max(0, rest.length - 1));
  const note = from > 0 ? [`(${from} messages are left out here.)`] : [];
  return [first, ...note, ...rest.slice(from)].join('\n\n');
}

function blockText(block: JsonObject): string {
  switch (block.type) {
    case 'text':
      return asString(block.text) ?? '';
    case 'thinking':
    case 'redacted_thinking':
      return '';
    case 'tool_use':
      return `[calls ${asString(block.name) ?? 'a tool'}: ${cut(JSON.stringify(block.input ?? {}), LONGEST_INPUT, INPUT_HEAD)}]`;
    case 'tool_result':
      return `[${block.is_error === true ? 'error' : 'result'}: ${cut(resultText(block.content), LONGEST_RESULT, RESULT_HEAD)}]`;
    default:
      return `[${asString(block.type) ?? 'something'}]`;
  }
}

function resultText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  const blocks = (asArray(content) ?? []).filter(isObject);
  return blocks.map((block) => asString(block.text) ?? `[${asString(block.type) ?? 'something'}]`).join('\n');
}

function cut(text: string, most: number, head: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, head)}… (${(text.length - head).toLocaleString('en')} more characters are left out)`;
}
