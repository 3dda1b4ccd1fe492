/** `skein diff`: what differs between two chats. */
import { tokensOf } from '../../graph/agents.ts';
import type { Turn } from '../../graph/types.ts';
import { type ChatDiff, type ChatTotals, diffChats } from '../../views/diff.ts';
import { tokenCount } from '../../views/items.ts';
import { turnTitle } from '../../views/text.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { type Column, cut, table } from '../layout.ts';
import { type Masking, openMask, REVEAL_OPTION } from '../mask.ts';
import { type OpenedChat, openPair } from '../opened.ts';
import { sourceOf, tellSources } from '../sources.ts';

export const diff: Command = {
  name: 'diff',
  usage: 'A B',
  summary: 'what differs between two chats: turns, tools, tokens',
  details: [
    'Puts the turns of two chats side by side. A turn is the same when its prompt is: by uuid for copies, by forkedFrom for clones, else by its words. Shows the turns that only one has, what changed in those both have, and the totals.',
    'Exit code 1 when they differ.',
  ],
  options: { ...REVEAL_OPTION, ...TEAM_OPTIONS, ...READING_OPTIONS },
  examples: [
    ['skein diff 4f0c 77a0', 'two forks of one session'],
    ['skein diff before.jsonl after.jsonl --json', 'two files, as JSON'],
  ],
  completes: 'selector',
  takes: 2,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const [a, b, ...rest] = args.positionals;
  if (a === undefined || b === undefined || rest.length > 0) {
    throw new UsageError('Two chats are needed.', 'skein diff', 'Name two: skein diff A B');
  }
  const [left, right] = openPair(context, args, a, b);
  tellSources(context, [...new Set([...left.listed.files, ...right.listed.files])]);
  const result = diffChats(left, right);
  const same =
    result.onlyA.length === 0 &&
    result.onlyB.length === 0 &&
    result.common.every(({ changes }) => changes.length === 0);
  const mask = await openMask(context, args);
  if (args.flag('json')) context.out.write(`${mask.json(diffJson(mask, left, right, result, same))}\n`);
  else for (const text of mask.settled(() => diffText(context, mask, result, same))) context.out.write(text);
  return same ? 0 : 1;
}

function turnRef(turn: Turn, mask: Masking) {
  return { number: turn.number, uuid: turn.uuid ?? null, prompt: turnTitle(turn, mask) };
}

function diffJson(mask: Masking, a: OpenedChat, b: OpenedChat, result: ChatDiff, same: boolean) {
  const ref = (turn: Turn) => turnRef(turn, mask);
  return {
    a: { chat: a.listed.id, source: sourceOf(a.listed.file), totals: result.totals.a },
    b: { chat: b.listed.id, source: sourceOf(b.listed.file), totals: result.totals.b },
    same,
    common: result.common.map((pair) => ({ a: ref(pair.a), b: ref(pair.b), changes: pair.changes })),
    onlyA: result.onlyA.map(ref),
    onlyB: result.onlyB.map(ref),
  };
}

function* diffText({ out }: Context, mask: Masking, result: ChatDiff, same: boolean): Generator<string> {
  const changed = result.common.filter(({ changes }) => changes.length > 0);
  const line = (mark: string, turn: Turn, more = '') =>
    `${mark} turn ${String(turn.number).padEnd(3)} ${cut(turnTitle(turn, mask), 60)}${more}\n`;
  yield `${result.common.length - changed.length} turns are the same\n`;
  for (const { a, changes } of changed) yield out.style.warn(line('~', a, `: ${changes.join(', ')} differ`));
  for (const turn of result.onlyA) yield out.style.bad(line('-', turn));
  for (const turn of result.onlyB) yield out.style.good(line('+', turn));
  if (same) return;
  const { a, b } = result.totals;
  const rows = rowsOf(a, b).filter(([, left, right]) => left !== right);
  const columns: Column<Row>[] = [
    { title: '', cell: ([name]) => mask(name), drop: 0 },
    { title: 'A', cell: ([, left]) => tokenCount(left), align: 'right', drop: 0 },
    { title: 'B', cell: ([, , right]) => tokenCount(right), align: 'right', drop: 0 },
    {
      title: 'B − A',
      cell: ([, left, right]) => `${right > left ? '+' : '−'}${tokenCount(Math.abs(right - left))}`,
      align: 'right',
      drop: 0,
    },
  ];
  if (rows.length > 0) for (const text of table(rows, columns, out.columns, out.style.dim)) yield `${text}\n`;
}

type Row = readonly [name: string, a: number, b: number];

function rowsOf(a: ChatTotals, b: ChatTotals): Row[] {
  const tools = [...new Set([...Object.keys(a.tools), ...Object.keys(b.tools)])].sort();
  return [
    ['turns', a.turns, b.turns],
    ['messages', a.messages, b.messages],
    ['tool calls', a.toolCalls, b.toolCalls],
    ...tools.map((name): Row => [`  ${name}`, a.tools[name] ?? 0, b.tools[name] ?? 0]),
    ['input tokens', a.input, b.input],
    ['output tokens', a.output, b.output],
    ['cache writes', a.cacheCreation, b.cacheCreation],
    ['cache reads', a.cacheRead, b.cacheRead],
    ['sub-agents', a.agents.agents, b.agents.agents],
    ['  tool calls', a.agents.toolCalls, b.agents.toolCalls],
    ['  tokens', tokensOf(a.agents), tokensOf(b.agents)],
  ];
}
