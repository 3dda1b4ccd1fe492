/** A report for people. */
import { safeLine } from '../../views/safe.ts';
import { costText, messagesText, modelNames, tokenText } from '../../views/usage/amounts.ts';
import { BLOCK_MS } from '../../views/usage/blocks.ts';
import { clockIn } from '../../views/usage/days.ts';
import { addTo, NOTHING, type Sums } from '../../views/usage/facts.ts';
import { ASCII, bar, type Glyphs, heatMap, UNICODE } from '../../views/usage/plot.ts';
import { type Grouping, isTime, type Report, type Row, tokens, UNKNOWN } from '../../views/usage/rows.ts';
import { timeText } from '../../views/usage/statusline.ts';
import { wrapProse } from '../../views/wrap.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { type Column, cut, displayWidth, pathNames, table } from '../layout.ts';
import { quoted } from '../quoted.ts';
import { placeFlag } from '../shelf.ts';
import { shortId } from '../shortid.ts';
import type { PriceTable } from './pricetable.ts';

export interface PrintOptions {
  /** Titles of chats. */
  readonly labels: ReadonlyMap<string, string>;
  readonly plot: boolean;
  /** Bars were asked for: other columns make room. */
  readonly needsPlot?: boolean;
  readonly ascii: boolean;
  /** Of blocks; the machine's own without it. */
  readonly timeZone?: string | undefined;
}

const TITLES: Record<Grouping, string> = {
  day: 'DAY',
  week: 'WEEK OF',
  month: 'MONTH',
  block: 'BLOCK FROM',
  project: 'PROJECT',
  model: 'MODEL',
  chat: 'CHAT',
  session: 'SESSION',
  branch: 'GIT BRANCH',
  agent: 'AGENT',
  team: 'TEAM',
  person: 'PERSON',
  total: '',
};

/** A pipe has no width; a plot asked for there gets this one. */
const PIPE_WIDTH = 100;
/** What the cost needs at the least, with the gaps between. */
const COST_ROOM = 14;
const WIDEST_BAR = 40;
const LEAST_BAR = 6;
/** The room of bars that were asked for, and the gap before them. */
const BAR_ROOM = 14;

export function printReport({ out }: Context, report: Report, options: PrintOptions): void {
  const rows: (Row & { isTotal?: boolean })[] = [...report.rows];
  const several = rows.length > 1;
  const width = out.columns - (several && options.needsPlot ? BAR_ROOM : 0);
  if (several)
    rows.push({ ...report.totals, key: report.by.map((_, place) => (place === 0 ? 'total' : '')), isTotal: true });
  const widest = Math.max(8, Math.min(48, Math.floor((width - COST_ROOM) / report.by.length)));
  const keysOf = (grouping: Grouping) => {
    const place = report.by.indexOf(grouping);
    return place < 0 ? [] : report.rows.map(({ key }) => key[place] ?? '');
  };
  const named = {
    ...options,
    modelName: modelNames(keysOf('model')),
    projectName: pathNames(keysOf('project')),
    clock: report.by.includes('block') ? clockIn(options.timeZone) : String,
  };
  const columns: Column<Row & { isTotal?: boolean }>[] = report.by.map((grouping, place) => ({
    title: TITLES[grouping],
    cell: (row) => (row.isTotal ? (row.key[place] ?? '') : label(grouping, row.key[place] ?? '', named)),
    drop: 0,
    max: widest,
    flexible: place === report.by.length - 1 && !isTime(grouping),
  }));
  const count = (title: string, cell: (row: Row) => string, drop: number) =>
    columns.push({ title, cell, align: 'right', drop });
  count('MESSAGES', ({ messages }) => String(messages), 5);
  count('INPUT', ({ input }) => tokenText(input), 4);
  count('OUTPUT', ({ output, incomplete }) => `${tokenText(output)}${incomplete > 0 ? '*' : ''}`, 1);
  count('CACHE WRITE', ({ cacheCreation }) => tokenText(cacheCreation), 3);
  count('CACHE READ', ({ cacheRead }) => tokenText(cacheRead), 2);
  count('COST', (row) => costText(row), 0);
  const lines = table(rows, columns, width, out.style.dim);
  const bars = options.plot && several ? barsOf(out.columns, lines, report.rows, options) : [];
  const longest = Math.max(...lines.map(displayWidth));
  for (const [index, line] of lines.entries()) {
    const drawn = bars[index - 1];
    const gap = ' '.repeat(Math.max(0, longest - displayWidth(line)) + 2);
    const isLast = several && index === lines.length - 1;
    out.write(`${isLast ? out.style.bold(line) : line}${drawn ? gap + out.style.accent(drawn) : ''}\n`);
  }
}

function barsOf(columns: number, lines: readonly string[], rows: readonly Row[], { ascii }: PrintOptions): string[] {
  const longest = Math.max(...lines.map(displayWidth));
  const whole = Number.isFinite(columns) ? columns : Math.max(PIPE_WIDTH, longest + BAR_ROOM);
  const width = Math.min(WIDEST_BAR, whole - longest - 2);
  if (width < LEAST_BAR) return [];
  const value = measure(rows);
  const largest = Math.max(...rows.map(value));
  return rows.map((row) => bar(value(row), largest, width, glyphs(ascii)));
}

/** By cost; by tokens where there is none. */
export function measure(rows: readonly Row[]): (row: Row) => number {
  return rows.some(({ cost }) => cost > 0) ? ({ cost }) => cost : tokens;
}

function glyphs(ascii: boolean): Glyphs {
  return ascii ? ASCII : UNICODE;
}

interface Naming extends Pick<PrintOptions, 'labels'> {
  modelName(model: string): string;
  projectName(path: string): string;
  clock(time: number): string;
}

function label(grouping: Grouping, value: string, { labels, modelName, projectName, clock }: Naming): string {
  if (grouping === 'project') return projectName(value);
  if (grouping === 'model') return modelName(value);
  if (grouping === 'block') return value === UNKNOWN ? value : clock(Date.parse(value));
  if (grouping === 'session') return shortId(value);
  if (grouping === 'branch' || grouping === 'team') return value === '' ? '(none)' : value;
  if (grouping !== 'chat') return value;
  const title = labels.get(value);
  return `${shortId(value)}${title === undefined ? '' : ` ${title}`}`;
}

export function printHeatMap({ out }: Context, days: Report, ascii: boolean): void {
  const value = measure(days.rows);
  const dated = days.rows.filter(({ key: [day = ''] }) => /^\d/.test(day));
  const values = new Map(dated.map((row) => [row.key[0] ?? '', value(row)]));
  const { lines, leftOut } = heatMap(values, Math.min(out.columns, 4 + 2 * 53), glyphs(ascii));
  for (const line of lines) out.write(`${line}\n`);
  const notes = lines.length > 0 ? [`    less ${glyphs(ascii).shades.join(' ')} more`] : [];
  if (leftOut > 0) notes.push(`    ${leftOut === 1 ? 'one week' : `${leftOut} weeks`} before do not fit`);
  for (const note of notes) out.write(`${out.style.dim(note)}\n`);
  for (const line of wrapProse(summaryOf(dated), out.columns)) out.write(`${line}\n`);
}

function summaryOf(days: readonly Row[]): string {
  const most = days.toSorted((a, b) => measure(days)(b) - measure(days)(a))[0];
  if (most === undefined) return 'No day is known.';
  const sum = { ...NOTHING };
  for (const day of days) addTo(sum, day);
  const amount = (row: Sums) => (sum.cost > 0 ? costText(row) : `${tokenText(tokens(row))} tokens`);
  const all = `${amount(sum)} on ${days.length === 1 ? 'one day' : `${days.length} days`}`;
  return days.length === 1 ? all : `${all}, most on ${most.key[0]}: ${amount(most)}`;
}

/** What is worth a look next, asked of the same messages. */
export function nextCommand(args: Arguments, { by, rows }: Report): string {
  const filters = (['since', 'until', 'project', 'model'] as const).flatMap((name) =>
    args.values(name).map((value) => ` ${quoted(`--${name}`, value)}`),
  );
  const all = `${filters.join('')}${placeFlag()}`;
  const chat = args.positionals[0] ?? rows[0]?.key[by.indexOf('chat')];
  if (chat !== undefined) return `message by message: skein usage ${quoted(shortId(chat))} --explain${all}`;
  if (by.every((grouping) => isTime(grouping) || grouping === 'total'))
    return `where it went: skein usage --by project,model${all}`;
  return `the dearest chats: skein usage --by chat${all}`;
}

function blockLeft({ by, rows }: Report, now: number): number | undefined {
  const place = by.indexOf('block');
  const starts = rows.map(({ key }) => Date.parse(key[place] ?? ''));
  const running = starts.find((start) => start <= now && now - start < BLOCK_MS);
  return running === undefined ? undefined : running + BLOCK_MS - now;
}

const MOST_NAMES = 6;
const LONGEST_NAME = 80;

/** None longer than a line, or than any name is. */
function listed(names: readonly string[], columns: number): string {
  const longest = Math.max(1, Math.min(LONGEST_NAME, columns - 1));
  const more = names.length - MOST_NAMES;
  const some = names.slice(0, MOST_NAMES).map((name) => cut(safeLine(name), longest));
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What to know about the numbers. */
export function printNotes({ out, now, asTool }: Context, report: Report, prices: PriceTable, source: string): void {
  const { totals, unknownModels } = report;
  const notes: string[] = [];
  const left = blockLeft(report, now().getTime());
  if (left !== undefined) notes.push(`the block that runs has ${timeText(left)} left`);
  if (totals.incomplete > 0) {
    const estimate = `about ${tokenText(totals.estimatedOutput)} by the length of their text, not counted above`;
    notes.push(`* incomplete: the client recorded no output of ${messagesText(totals.incomplete)} (${estimate})`);
  }
  if (totals.unpriced > 0) {
    const next = asTool ? '' : ' (--prices FILE tells it)';
    notes.push(`cost unknown of ${messagesText(totals.unpriced)}: ${listed(unknownModels, out.columns)}${next}`);
  }
  const own = prices.own ? `${prices.own.file}${prices.own.date ? ` of ${prices.own.date}` : ''}, then ` : '';
  notes.push(`prices: ${own}${prices.name} of ${prices.date} · read from ${source}`);
  for (const note of notes)
    for (const line of wrapProse(safeLine(note), out.columns)) out.write(`${out.style.dim(line)}\n`);
}
