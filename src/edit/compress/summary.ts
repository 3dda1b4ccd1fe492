/** Old turns in words: what the person said verbatim, what was answered cut, which tools ran. Extractive and the same each time. */
import { blocksOf, plainText, rawContentOf } from '../../format/content.ts';
import { jsonOf } from '../../format/entry.ts';
import { isObject, type Json } from '../../format/json.ts';
import { linesOfMessage } from '../../graph/messages.ts';
import { inputOfCall } from '../../graph/toolcalls.ts';
import { promptTextOf } from '../../graph/turns.ts';
import type { ToolCall, Turn } from '../../graph/types.ts';
import { countedNames } from '../slim/stub.ts';

export interface SummaryOptions {
  /** One line for each tool call, without its result. */
  readonly tools: boolean;
  /** The session that is summarized. */
  readonly from: string;
  /** Written by a model; what the user said stands beside it all the same. */
  readonly summary?: string;
}

/** How the client begins its own, so that every reader knows it for what it is (E7). */
export const OPENING = 'This session is being continued from a previous conversation that ran out of context.';
const LONGEST_ANSWER = 1000;
const HEAD = 600;
const TAIL = 300;
const LONGEST_INPUT = 120;

export function summaryOf(turns: readonly Turn[], options: SummaryOptions): string {
  if (options.summary !== undefined) return toldByModel(turns, options.summary, options);
  const about = `The conversation is summarized below by skein, without a model: what the user said is verbatim, answers are cut. All of it: skein show ${options.from.slice(0, 8)}`;
  return [OPENING, about, ...turns.flatMap((turn) => tellTurn(turn, options))].join('\n\n');
}

function toldByModel(turns: readonly Turn[], summary: string, { from }: SummaryOptions): string {
  const about = `The conversation is summarized below by a model; after that stands verbatim what the user said. All of it: skein show ${from.slice(0, 8)}`;
  const prompts = turns.flatMap((turn) => {
    const prompt = promptTextOf(turn);
    return prompt === '' ? [] : [`## ${turn.number}. User${when(turn)}\n\n${prompt}`];
  });
  return [OPENING, about, `Summary:\n${summary}`, ...prompts].join('\n\n');
}

function tellTurn(turn: Turn, options: SummaryOptions): string[] {
  const parts: string[] = [...earlierSummaries(turn)];
  const prompt = promptTextOf(turn);
  if (prompt !== '') parts.push(`## ${turn.number}. User${when(turn)}\n\n${prompt}`);
  const tools = options.tools
    ? turn.toolCalls.map(tellCall).join('\n')
    : countedNames(turn.toolCalls.map(({ name }) => name));
  if (tools !== '') parts.push(options.tools ? `Tools:\n${tools}` : `Tools: ${tools}`);
  const answer = lastAnswer(turn);
  if (answer !== '') parts.push(`Answer:\n\n${cutMiddle(answer)}`);
  if (turn.state === 'interrupted') parts.push('(The user interrupted this.)');
  return parts;
}

function when({ started }: Turn): string {
  return started === undefined ? '' : ` (${started.slice(0, 16).replace('T', ' ')})`;
}

/** What an earlier compaction said goes on being said. */
function earlierSummaries({ entries }: Turn): string[] {
  return entries
    .filter(({ head }) => head.isCompactSummary)
    .map((entry) => `Summary of what was before:\n\n${plainText(rawContentOf(jsonOf(entry) ?? {}))}`);
}

function tellCall(call: ToolCall): string {
  const { name, status } = call;
  const said = oneLine(firstText(inputOfCall(call)));
  const outcome = status === 'ok' || status === 'background' ? '' : ` (${status})`;
  return `- ${name}${said === '' ? '' : `: ${said}`}${outcome}`;
}

/** The command, path or pattern stands first in the input of every known tool. */
function firstText(input: Json | undefined): string {
  if (!isObject(input)) return '';
  for (const value of Object.values(input)) if (typeof value === 'string' && value.trim() !== '') return value;
  return '';
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LONGEST_INPUT ? line : `${line.slice(0, LONGEST_INPUT - 1)}…`;
}

/** The text of the last message that has one: what the turn came to. */
function lastAnswer({ messages }: Turn): string {
  for (let i = messages.length - 1; i >= 0; i -= 1) {
    const message = messages[i];
    if (message === undefined || message.isApiError || message.synthetic) continue;
    const blocks = linesOfMessage(message).flatMap((entry) => blocksOf(jsonOf(entry) ?? {}));
    const texts = blocks.map((block) => (block.type === 'text' ? block.text : '')).filter((text) => text.trim() !== '');
    if (texts.length > 0) return texts.join('\n').trim();
  }
  return '';
}

/** Cut between paragraphs or words. */
function cutMiddle(text: string): string {
  if (text.length <= LONGEST_ANSWER) return text;
  const head = text.slice(0, HEAD).replace(/\s+\S*$/, '');
  const tail = text.slice(-TAIL).replace(/^\S*\s+/, '');
  return `${head}\n[…]\n${tail}`;
}

/** A title for a conversation: its first prompt. */
export function titleOf(turns: readonly Turn[]): string | undefined {
  const first = turns.map(promptTextOf).find((text) => text.trim() !== '');
  return first === undefined ? undefined : oneLine(first);
}
