/** An open chat as a flat list of rows, whatever is nested in it: so that only those near the window are drawn. */
import { agentKey } from '../../src/views/page/embedded.ts';
import { ITEMS_PART } from '../../src/views/page/options.ts';
import type { AgentPage, CallRow, PageItem, PageTurn, TurnHead } from '../../src/views/page/types.ts';
import type { AgentRun } from '../app/api.ts';

interface Placed {
  /** Stays the same while the chat grows. */
  readonly key: string;
  /** How many sub-agents it stands in. */
  readonly depth: number;
  /** Of the turn of the chat itself that it belongs to. */
  readonly turn: number;
}

export type Row = Placed &
  (
    | { readonly type: 'unloaded'; readonly head: TurnHead }
    | { readonly type: 'turn'; readonly head: PageTurn; readonly item: PageItem | undefined }
    | { readonly type: 'timeline'; readonly head: PageTurn }
    | { readonly type: 'item'; readonly item: PageItem; readonly agent: string | null }
    | { readonly type: 'agent'; readonly run: AgentRun; readonly state: 'loading' | 'circle' }
    /** Items of a turn with very many that are not here yet. */
    | { readonly type: 'part'; readonly part: number; readonly count: number }
    | { readonly type: 'forks'; readonly forks: readonly number[] }
  );

export interface RowsInput {
  readonly heads: readonly TurnHead[];
  readonly turns: ReadonlyMap<number, PageTurn>;
  /** Further parts of turns with very many items, by `partKey`. */
  readonly parts: ReadonlyMap<string, PageTurn>;
  /** By `agentKey`. */
  readonly agents: ReadonlyMap<string, AgentPage>;
  readonly opened: ReadonlySet<string>;
}

/** A turn in which nothing is unfolded has the same rows each time: most of them, when a long chat grows. */
const plain = new WeakMap<PageTurn, readonly Row[]>();

export function rowsOf({ heads, turns, parts, agents, opened }: RowsInput): Row[] {
  const rows: Row[] = [];
  const unfolded = turnsIn(opened);
  for (const head of heads) {
    const turn = turns.get(head.index);
    const key = turnKey(head.index);
    if (turn === undefined) rows.push(unloadedRow(key, head));
    else if (unfolded.has(key)) pushTurn(rows, turn, { key, depth: 0, turn: head.index, path: [] }, { agents, opened });
    else for (const row of plainRows(turn, key)) rows.push(row);
    if (turn !== undefined && turn.more > 0) {
      const place = { key, depth: 0, turn: head.index, path: [] };
      pushParts(rows, turn, place, { parts, agents, opened: unfolded.has(key) ? opened : NOTHING.opened });
    }
    if (head.forks.length > 0 && turn !== undefined)
      rows.push({ type: 'forks', key: `${key}.forks`, depth: 0, turn: head.index, forks: head.forks });
  }
  return rows;
}

const NOTHING = { agents: new Map(), opened: new Set<string>() };

function plainRows(turn: PageTurn, key: string): readonly Row[] {
  const known = plain.get(turn);
  if (known) return known;
  const rows: Row[] = [];
  pushTurn(rows, turn, { key, depth: 0, turn: turn.index, path: [] }, NOTHING);
  plain.set(turn, rows);
  return rows;
}

const unloaded = new WeakMap<TurnHead, Row>();

function unloadedRow(key: string, head: TurnHead): Row {
  const row = unloaded.get(head) ?? { type: 'unloaded', key, depth: 0, turn: head.index, head };
  unloaded.set(head, row);
  return row;
}

/** The keys of turns that something was unfolded in. */
function turnsIn(opened: ReadonlySet<string>): Set<string> {
  return new Set([...opened].map((key) => /^t\d+/.exec(key)?.[0] ?? ''));
}

export function turnKey(index: number): string {
  return `t${index}`;
}

export function itemKey(turn: string, item: number): string {
  return `${turn}.${item}`;
}

export function partKey(turn: number, part: number): string {
  return `${turn}.${part}`;
}

export function timelineKey(turn: string): string {
  return `${turn}.timeline`;
}

interface Place extends Placed {
  /** The agents it stands in, outermost first. */
  readonly path: readonly string[];
}

function pushTurn(rows: Row[], head: PageTurn, place: Place, known: Pick<RowsInput, 'agents' | 'opened'>): void {
  const { key, depth, turn } = place;
  const [first] = head.items;
  const prompt = first?.type === 'prompt' ? first : undefined;
  rows.push({ type: 'turn', key, depth, turn, head, item: prompt });
  if (known.opened.has(timelineKey(key))) rows.push({ type: 'timeline', key: timelineKey(key), depth, turn, head });
  pushItems(rows, head.items.slice(prompt === undefined ? 0 : 1), prompt === undefined ? 0 : 1, place, known);
}

function pushParts(rows: Row[], { more }: PageTurn, place: Place, known: Omit<RowsInput, 'heads' | 'turns'>): void {
  const { key, depth, turn } = place;
  for (let part = 1; (part - 1) * ITEMS_PART < more; part += 1) {
    const loaded = known.parts.get(partKey(turn, part));
    const count = Math.min(ITEMS_PART, more - (part - 1) * ITEMS_PART);
    if (loaded === undefined) rows.push({ type: 'part', key: `${key}.part${part}`, depth, turn, part, count });
    else pushItems(rows, loaded.items, part * ITEMS_PART, place, known);
  }
}

/** `first`: which item of the turn the first of them is. */
function pushItems(
  rows: Row[],
  items: readonly PageItem[],
  first: number,
  { key, depth, turn, path }: Place,
  known: Pick<RowsInput, 'agents' | 'opened'>,
): void {
  for (const [index, item] of items.entries()) {
    const own = itemKey(key, first + index);
    rows.push({ type: 'item', key: own, depth, turn, item, agent: path.at(-1) ?? null });
    if (item.type === 'call' && item.call.agent !== null && known.opened.has(own)) {
      pushAgent(rows, item.call, { key: own, depth: depth + 1, turn, path }, known);
    }
  }
}

function pushAgent(rows: Row[], { agent }: CallRow, place: Place, known: Pick<RowsInput, 'agents' | 'opened'>): void {
  if (agent === null) return;
  const { agentId } = agent;
  const { key, depth, turn, path } = place;
  const page = known.agents.get(agentKey(agent));
  if (page === undefined || path.includes(agentId)) {
    const state = path.includes(agentId) ? 'circle' : 'loading';
    rows.push({ type: 'agent', key: `${key}.agent`, depth, turn, run: agent, state });
    return;
  }
  for (const inner of page.turns) {
    pushTurn(rows, inner, { key: `${key}/${turnKey(inner.index)}`, depth, turn, path: [...path, agentId] }, known);
  }
}

const heights = new WeakMap<Row, number>();

/** How high a row will be, roughly, before anyone has seen it. */
export function estimatedHeight(row: Row | undefined, columns: number): number {
  if (row === undefined) return 40;
  const known = heights.get(row);
  if (known !== undefined) return known;
  const height = guess(row, columns);
  heights.set(row, height);
  return height;
}

function guess(row: Row, columns: number): number {
  switch (row.type) {
    case 'unloaded':
      return 84 + row.head.messages * 56 + row.head.calls * 31;
    case 'turn':
      return 70 + lines(row.item?.type === 'prompt' ? row.item.text : '', columns, 14) * 22;
    case 'item':
      if (row.item.type === 'text') return 16 + lines(row.item.text, columns, 4000) * 22;
      return row.item.type === 'image' ? 300 : 31;
    case 'part':
      return partHeight(row.count);
    case 'timeline':
      return 160;
    default:
      return 44;
  }
}

export function partHeight(count: number): number {
  return count * 44;
}

function lines(text: string, columns: number, most: number): number {
  let count = 0;
  for (let from = 0; from < text.length && count < most; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    count += Math.max(1, Math.ceil((to - from) / columns));
    from = to + 1;
  }
  return Math.max(1, Math.min(count, most));
}
