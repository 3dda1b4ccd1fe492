/** Facts → rows of a report. Every fact is in exactly one row, so rows sum to the totals whatever they are grouped by. */
import { createActivity } from './activity.ts';
import { createBlocks } from './blocks.ts';
import { dayIn, monthOf, weekOf } from './days.ts';
import { addTo, type Fact, NOTHING, type Sums } from './facts.ts';

export const GROUPINGS = [
  'day',
  'week',
  'month',
  'block',
  'project',
  'model',
  'chat',
  'session',
  'branch',
  'agent',
  'total',
] as const;
/** Of many people's usage also by these. */
export const TEAM_GROUPINGS = ['team', 'person'] as const;
export type Grouping = (typeof GROUPINGS)[number] | (typeof TEAM_GROUPINGS)[number];

export interface Row extends Sums {
  /** One value for each grouping, in their order. */
  readonly key: readonly string[];
}

export interface Report {
  readonly by: readonly Grouping[];
  readonly totals: Sums;
  readonly rows: readonly Row[];
  /** Models of messages whose cost is not known. */
  readonly unknownModels: readonly string[];
  /** Quarters of an hour in which there was a message, as milliseconds. */
  readonly activeMs: number;
}

export interface GroupOptions {
  readonly by: readonly Grouping[];
  readonly timeZone?: string;
  /** The chat, the session and the kind of sub-agent of a fact; asked for only when grouped by it. */
  readonly chatOf?: (fact: Fact) => string;
  readonly sessionOf?: (fact: Fact) => string;
  readonly agentOf?: (fact: Fact) => string;
  readonly teamOf?: (fact: Fact) => string;
  /** Which facts count. Blocks are found before. */
  readonly wanted?: (fact: Fact) => boolean;
}

/** Where a time is not known. */
export const UNKNOWN = 'unknown';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function reportOf(facts: Iterable<Fact>, options: GroupOptions): Report {
  const keyOf = options.by.map((grouping) => keyFor(grouping, facts, options));
  const [first] = keyOf;
  const rows = new Map<string, Mutable<Row>>();
  const unknownModels = new Set<string>();
  const activity = createActivity();
  for (const fact of facts) {
    if (options.wanted?.(fact) === false) continue;
    const name = keyOf.length === 1 && first ? first(fact) : keyOf.map((each) => each(fact)).join('\0');
    let row = rows.get(name);
    if (row === undefined) {
      row = { ...NOTHING, key: keyOf.map((each) => each(fact)) };
      rows.set(name, row);
    }
    addTo(row, fact);
    if (fact.unpriced > 0) unknownModels.add(fact.model);
    activity.add(fact);
  }
  const totals = { ...NOTHING };
  for (const row of rows.values()) addTo(totals, row);
  const sorted = [...rows.values()].sort(inOrder([...rows.values()], options.by));
  return { by: options.by, totals, rows: sorted, unknownModels: [...unknownModels].sort(), activeMs: activity.ms() };
}

/** Times in order, everything else by what it costs; inner groupings within outer ones. */
function inOrder(rows: readonly Row[], by: readonly Grouping[]): (a: Row, b: Row) => number {
  const prefix = ({ key }: Row, place: number) => key.slice(0, place + 1).join('\0');
  const sums = new Map<string, { cost: number; tokens: number }>();
  for (const row of rows) {
    for (const place of by.keys()) {
      const sum = sums.get(prefix(row, place)) ?? { cost: 0, tokens: 0 };
      sums.set(prefix(row, place), { cost: sum.cost + row.cost, tokens: sum.tokens + tokens(row) });
    }
  }
  return (a, b) => {
    for (const [place, grouping] of by.entries()) {
      const [x = '', y = ''] = [a.key[place], b.key[place]];
      if (x === y) continue;
      const [p, q] = [sums.get(prefix(a, place)), sums.get(prefix(b, place))];
      const byCost = isTime(grouping) || !p || !q ? 0 : q.cost - p.cost || q.tokens - p.tokens;
      return byCost || (x < y ? -1 : 1);
    }
    return 0;
  };
}

export function isTime(grouping: Grouping): boolean {
  return grouping === 'day' || grouping === 'week' || grouping === 'month' || grouping === 'block';
}

export function tokens({ input, output, cacheCreation, cacheRead }: Sums): number {
  return input + output + cacheCreation + cacheRead;
}

function keyFor(grouping: Grouping, facts: Iterable<Fact>, options: GroupOptions): (fact: Fact) => string {
  const day = dayIn(options.timeZone);
  const dated = (name: (day: string) => string) => (fact: Fact) =>
    fact.time === undefined ? UNKNOWN : name(day(fact.time));
  switch (grouping) {
    case 'day':
      return dated((each) => each);
    case 'week':
      return dated(weekOf);
    case 'month':
      return dated(monthOf);
    case 'block':
      return blockKeys(facts);
    case 'project':
      return ({ project }) => project;
    case 'model':
      return ({ model }) => model;
    case 'branch':
      return ({ gitBranch }) => gitBranch;
    case 'chat':
      return options.chatOf ?? (({ file }) => file);
    case 'session':
      return options.sessionOf ?? (({ file }) => file);
    case 'agent':
      return options.agentOf ?? (({ agentId }) => agentId);
    case 'team':
      return options.teamOf ?? (() => '');
    case 'person':
      return ({ person = '' }) => person;
    case 'total':
      return () => 'total';
  }
}

function blockKeys(facts: Iterable<Fact>): (fact: Fact) => string {
  const times: number[] = [];
  for (const { time } of facts) if (time !== undefined) times.push(time);
  const blocks = blocksOf(Float64Array.from(times).sort());
  return ({ time }) => (time === undefined ? UNKNOWN : (lastUntil(blocks, time)?.name ?? UNKNOWN));
}

interface Block {
  /** Of its messages. */
  readonly first: number;
  readonly name: string;
}

function lastUntil(blocks: readonly Block[], time: number): Block | undefined {
  let [from, to] = [0, blocks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((blocks[middle]?.first ?? 0) <= time) from = middle + 1;
    else to = middle;
  }
  return blocks[from - 1];
}

function blocksOf(times: Float64Array): Block[] {
  const blockOf = createBlocks();
  const blocks: Block[] = [];
  let before: number | undefined;
  for (const first of times) {
    const start = blockOf(first);
    if (start !== before) blocks.push({ first, name: new Date(start).toISOString() });
    before = start;
  }
  return blocks;
}
