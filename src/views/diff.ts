/** What differs between two chats, turn by turn. */
import { diffArrays } from 'diff';
import { blocksOfMessage, usageOfMessages } from '../graph/messages.ts';
import { inputOfCall } from '../graph/toolcalls.ts';
import { promptTextOf } from '../graph/turns.ts';
import type { Turn } from '../graph/types.ts';
import { mainArgument } from './toolview.ts';

export interface ChatTotals {
  readonly turns: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly tools: Readonly<Record<string, number>>;
  readonly input: number;
  readonly output: number;
  readonly cacheCreation: number;
  readonly cacheRead: number;
}

export interface TurnPair {
  readonly a: Turn;
  readonly b: Turn;
  /** What is not the same: answer, tools, tokens, state. Empty when the turns agree. */
  readonly changes: readonly string[];
}

export interface ChatDiff {
  /** Turns in both, in order. */
  readonly common: readonly TurnPair[];
  readonly onlyA: readonly Turn[];
  readonly onlyB: readonly Turn[];
  readonly totals: { readonly a: ChatTotals; readonly b: ChatTotals };
}

export function diffChats(a: readonly Turn[], b: readonly Turn[]): ChatDiff {
  const common: TurnPair[] = [];
  const onlyA: Turn[] = [];
  const onlyB: Turn[] = [];
  const left = [...a];
  const right = [...b];
  for (const { added, removed, value } of diffArrays(a.map(identityOf), b.map(identityOf))) {
    if (removed) onlyA.push(...left.splice(0, value.length));
    else if (added) onlyB.push(...right.splice(0, value.length));
    else {
      const others = right.splice(0, value.length);
      for (const [index, turn] of left.splice(0, value.length).entries()) {
        const other = others[index];
        if (other) common.push({ a: turn, b: other, changes: changesBetween(turn, other) });
      }
    }
  }
  return { common, onlyA, onlyB, totals: { a: totalsOf(a), b: totalsOf(b) } };
}

/** A copy keeps the uuid of its prompt, a clone says where it came from (S6); otherwise the words decide. */
function identityOf(turn: Turn): string {
  const head = turn.prompt?.head;
  return head?.forkedFrom?.messageUuid ?? head?.uuid ?? `text ${promptTextOf(turn)}`;
}

function changesBetween(a: Turn, b: Turn): string[] {
  const compared: [string, (turn: Turn) => string][] = [
    ['prompt', promptTextOf],
    ['answer', answerOf],
    ['tools', toolsOf],
    ['tokens', (turn) => JSON.stringify(usageOfMessages(turn.messages))],
    ['state', ({ state }) => state],
  ];
  return compared.filter(([, of]) => of(a) !== of(b)).map(([name]) => name);
}

function answerOf(turn: Turn): string {
  return turn.messages
    .flatMap(blocksOfMessage)
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n');
}

function toolsOf(turn: Turn): string {
  return turn.toolCalls
    .map((call) => `${call.name} ${call.status} ${mainArgument(inputOfCall(call) ?? {})}`)
    .join('\n');
}

export function totalsOf(turns: readonly Turn[]): ChatTotals {
  const tools: Record<string, number> = {};
  for (const { toolCalls } of turns) for (const { name } of toolCalls) tools[name] = (tools[name] ?? 0) + 1;
  const messages = turns.flatMap((turn) => turn.messages);
  const { input, output, cacheCreation, cacheRead } = usageOfMessages(messages);
  return {
    turns: turns.filter(({ number }) => number > 0).length,
    messages: messages.length,
    toolCalls: turns.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0),
    tools,
    input,
    output,
    cacheCreation,
    cacheRead,
  };
}
