/** What differs between two chats, turn by turn. */
import { diffArrays } from 'diff';
import type { AgentUsage } from '../graph/agents.ts';
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
  /** Of the sub-agents that the turns started, besides what the turns themselves used. */
  readonly agents: AgentUsage;
}

/** A chat to compare. */
export interface Side {
  readonly turns: readonly Turn[];
  /** What the sub-agents of some turns used. */
  readonly agentUsageOf: (turns: readonly Turn[]) => AgentUsage;
}

export interface TurnPair {
  readonly a: Turn;
  readonly b: Turn;
  /** What is not the same: answer, tools, tokens, sub-agents, state. Empty when the turns agree. */
  readonly changes: readonly string[];
}

export interface ChatDiff {
  /** Turns in both, in order. */
  readonly common: readonly TurnPair[];
  readonly onlyA: readonly Turn[];
  readonly onlyB: readonly Turn[];
  readonly totals: { readonly a: ChatTotals; readonly b: ChatTotals };
}

/** Chats that differ in more turns than this are not aligned any further: everything past their common start is told apart. */
const MOST_EDITS = 2000;

export function diffChats(sideA: Side, sideB: Side): ChatDiff {
  const [a, b] = [sideA.turns, sideB.turns];
  const [left, right] = [a.map(identityOf), b.map(identityOf)];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  const pairs: [Turn, Turn][] = a.slice(0, start).flatMap((turn, i) => (b[i] ? [[turn, b[i]]] : []));
  const [onlyA, onlyB]: [Turn[], Turn[]] = [[], []];
  let [i, j] = [start, start];
  const changes = diffArrays(left.slice(start), right.slice(start), { maxEditLength: MOST_EDITS });
  for (const { added, removed, value } of changes ?? apart(left.slice(start), right.slice(start))) {
    for (const _ of value) {
      const [turn, other] = [a[i], b[j]];
      if (removed && turn) onlyA.push(turn);
      else if (added && other) onlyB.push(other);
      else if (turn && other) pairs.push([turn, other]);
      if (!added) i += 1;
      if (!removed) j += 1;
    }
  }
  const agents = (side: Side, turn: Turn) => JSON.stringify(side.agentUsageOf([turn]));
  const common = pairs.map(([turn, other]) => {
    const same = agents(sideA, turn) === agents(sideB, other);
    return { a: turn, b: other, changes: [...changesBetween(turn, other), ...(same ? [] : ['sub-agents'])] };
  });
  return { common, onlyA, onlyB, totals: { a: totalsOf(sideA), b: totalsOf(sideB) } };
}

function apart(left: readonly string[], right: readonly string[]) {
  return [
    { removed: true, added: false, value: left },
    { removed: false, added: true, value: right },
  ];
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

function totalsOf({ turns, agentUsageOf }: Side): ChatTotals {
  const tools: Record<string, number> = {};
  for (const { toolCalls } of turns) for (const { name } of toolCalls) tools[name] = (tools[name] ?? 0) + 1;
  const messages = turns.flatMap((turn) => turn.messages);
  const { input, output, cacheCreation, cacheRead } = usageOfMessages(messages);
  return {
    turns: turns.filter(({ number }) => number > 0).length,
    messages: new Set(messages.map((message) => message.id ?? message)).size,
    toolCalls: turns.reduce((sum, { toolCalls }) => sum + toolCalls.length, 0),
    tools,
    input,
    output,
    cacheCreation,
    cacheRead,
    agents: agentUsageOf(turns),
  };
}
