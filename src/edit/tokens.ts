/** How many tokens a conversation takes, by kind: as recorded where a model said so, the rest guessed from its length. */
import type { Entry } from '../format/entry.ts';
import { asArray, asObject, asString, type Json, type JsonObject } from '../format/json.ts';

export const TOKEN_KINDS = [
  'prompts',
  'answers',
  'thinking',
  'toolCalls',
  'toolResults',
  'images',
  'attachments',
] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];
export type TokenCounts = Record<TokenKind, number>;

export function noTokens(): TokenCounts {
  return {
    prompts: 0,
    answers: 0,
    thinking: 0,
    toolCalls: 0,
    toolResults: 0,
    images: 0,
    attachments: 0,
  };
}

export function totalOf(counts: TokenCounts): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + counts[kind], 0);
}

export function addTokens(to: TokenCounts, from: TokenCounts): void {
  for (const kind of TOKEN_KINDS) to[kind] += from[kind];
}

/** English prose and code alike come to about this many characters a token; other scripts to about one. */
const CHARACTERS_PER_TOKEN = 4;
/** Of longer texts only both ends are looked at. */
const SAMPLE = 2000;
/** The API scales images down to about this. */
const IMAGE_TOKENS = 1500;
/** A page of a PDF is about 50 kB and 2,000 tokens. */
const DOCUMENT_CHARACTERS_PER_TOKEN = 33;

/** A guess. */
export function tokensOfText(text: string): number {
  const { length } = text;
  const sample = length > 2 * SAMPLE ? text.slice(0, SAMPLE) + text.slice(-SAMPLE) : text;
  const wide = wideCharacters(sample) * (length / Math.max(1, sample.length));
  return Math.ceil(wide + (length - wide) / CHARACTERS_PER_TOKEN);
}

function wideCharacters(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) > 0x7ff) wide += 1;
  return wide;
}

/** What the content of a user or assistant entry takes, added to the counts. */
export function countContent(role: 'user' | 'assistant', content: Json | undefined, counts: TokenCounts): void {
  if (typeof content === 'string') counts[role === 'user' ? 'prompts' : 'answers'] += tokensOfText(content);
  for (const item of asArray(content) ?? []) {
    const block = asObject(item);
    if (block !== undefined) countBlock(role, block, counts);
  }
}

function countBlock(role: 'user' | 'assistant', block: JsonObject, counts: TokenCounts): void {
  switch (block.type) {
    case 'text':
      counts[role === 'user' ? 'prompts' : 'answers'] += tokensOfText(asString(block.text) ?? '');
      break;
    case 'thinking':
      counts.thinking += tokensOfText(asString(block.thinking) ?? '');
      break;
    case 'redacted_thinking':
      counts.thinking += tokensOfText(asString(block.data) ?? '');
      break;
    case 'image':
      counts.images += IMAGE_TOKENS;
      break;
    case 'document':
      counts.images += documentTokens(block);
      break;
    case 'tool_result':
      countResult(block.content, counts);
      break;
    case 'tool_use':
      counts.toolCalls += tokensOfText(asString(block.name) ?? '') + tokensOfText(JSON.stringify(block.input) ?? '');
      break;
    default:
      counts[role === 'user' ? 'toolResults' : 'toolCalls'] += tokensOfText(JSON.stringify(block));
  }
}

function countResult(content: Json | undefined, counts: TokenCounts): void {
  if (typeof content === 'string') counts.toolResults += tokensOfText(content);
  for (const item of asArray(content) ?? []) {
    const part = asObject(item);
    if (part?.type === 'text') counts.toolResults += tokensOfText(asString(part.text) ?? '');
    else if (part?.type === 'image') counts.images += IMAGE_TOKENS;
    else if (part?.type === 'document') counts.images += documentTokens(part);
    else if (part !== undefined) counts.toolResults += tokensOfText(JSON.stringify(part));
  }
}

function documentTokens({ source }: JsonObject): number {
  const data = asString(asObject(source)?.data) ?? '';
  return asObject(source)?.type === 'text'
    ? tokensOfText(data)
    : Math.ceil(data.length / DOCUMENT_CHARACTERS_PER_TOKEN);
}

/** What the last answer's request and the answer itself took, as the API counted it: system prompt and tools too. */
export function recordedTokens(entries: readonly Entry[]): number | undefined {
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const message = entries[i]?.head.message;
    const usage = message?.model === '<synthetic>' ? undefined : message?.usage;
    if (usage === undefined) continue;
    const input = usage.input + usage.cacheCreation + usage.cacheRead;
    if (input > 0) return input + usage.output;
  }
  return undefined;
}
