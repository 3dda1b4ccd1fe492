/** The report itself: facts, grouped, printed. */
import type { Fact } from '../../views/usage/facts.ts';
import { reportJson } from '../../views/usage/json.ts';
import { type Grouping, type Report, reportOf } from '../../views/usage/rows.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { jsonText } from '../jsontext.ts';
import { openMask } from '../mask.ts';
import { placeFlag } from '../shelf.ts';
import type { Names } from './names.ts';
import { costMode, type PriceTable, tableOf } from './pricetable.ts';
import { type Question, questionOf } from './question.ts';
import { quickSums } from './quick.ts';

/** Exit code 1 when nothing was found. */
export async function report(context: Context, args: Arguments): Promise<number> {
  const question = questionOf(context, args);
  const found =
    args.value('team') === undefined
      ? (quickly(context, args, question) ??
        (await (await import('./fromlibrary.ts')).fromLibrary(context, args, question)))
      : await (await import('./team.ts')).fromTeam(context, args, question);
  const { names } = found;
  const { wanted, timeZone } = question;
  const result = await masked(context, args, reportOf(found.facts, { ...names, ...question }));
  const days = args.flag('heatmap') ? reportOf(found.facts, { by: ['day'], wanted, timeZone }) : undefined;
  const { engine, read, prices } = found;
  if (args.flag('json')) {
    const about = { engine, read, timeZone: timeZone ?? 'local', cost: costMode(args), prices };
    const calendar = days && { days: reportJson(days, names.labels).rows };
    context.out.write(`${jsonText({ ...about, ...reportJson(result, names.labels), ...calendar })}\n`);
  } else if (result.totals.messages === 0)
    context.err.write(`${nothingText(context, args, messagesIn(found.facts))}\n`);
  else {
    const { nextCommand, printHeatMap, printNotes, printReport } = await import('./print.ts');
    const ascii = args.flag('ascii') || !showsUnicode(context);
    const needsPlot = args.flag('plot');
    const plot = needsPlot || context.out.isTerminal;
    if (days) printHeatMap(context, days, ascii);
    if (!days || args.values('by').length > 0)
      printReport(context, result, { labels: names.labels, plot, needsPlot, ascii, timeZone });
    printNotes(context, result, prices, sourceText(found));
    if (context.out.isTerminal) context.out.write(`${context.out.style.dim(nextCommand(args, result))}\n`);
  }
  return result.totals.messages > 0 ? 0 : 1;
}

export interface Named extends Found {
  readonly names: Names;
  /** How many files were looked at. */
  readonly files: number;
}

function quickly(context: Context, args: Arguments, question: Question): Named | undefined {
  const needsFiles = (['chat', 'session', 'agent'] as const).some((each) => question.by.includes(each));
  const isFiltered = args.values('project').length + args.values('model').length > 0;
  const enough = {
    byDay: question.timeZone === undefined,
    named: isFiltered || question.by.some((each) => NAMES.has(each)),
  };
  const facts = needsFiles || !isPlain(args, question) ? undefined : quickSums(context, args, enough);
  return facts && { ...fromCells(facts), names: { labels: new Map() }, files: 0 };
}

export function fromCells(facts: readonly Fact[]): Found {
  return { facts, engine: 'archive', read: 0, prices: tableOf() };
}

/** Names that a transcript gives may hold a secret like any other text. */
const NAMES = new Set<Grouping>(['project', 'branch', 'model', 'agent']);

async function masked(context: Context, args: Arguments, report: Report): Promise<Report> {
  const { by, rows, unknownModels } = report;
  const isName = (place: number) => NAMES.has(by[place] ?? 'total');
  if (unknownModels.length === 0 && !by.some((_, place) => isName(place))) return report;
  const mask = await openMask(context, args);
  return {
    ...report,
    rows: rows.map((row) => ({ ...row, key: row.key.map((value, place) => (isName(place) ? mask(value) : value)) })),
    unknownModels: unknownModels.map(mask),
  };
}

export interface Found {
  readonly facts: Iterable<Fact>;
  readonly engine: 'archive' | 'files' | 'team';
  /** Files that had to be read. */
  readonly read: number;
  readonly prices: PriceTable;
  /** What to call the team. */
  readonly team?: string;
}

/** Whether sums by the quarter of an hour, at the usual prices, answer it exactly. */
export function isPlain(args: Arguments, question: Question): boolean {
  const asUsual = args.value('prices') === undefined && costMode(args) === 'auto' && args.positionals.length === 0;
  return asUsual && !needsMessages(question);
}

/** Whether the times of messages make a difference. */
export function needsMessages({ by, needsTimes }: Question): boolean {
  return by.includes('block') || needsTimes;
}

/** What was there, and what to look at instead. */
export function nothingText({ asTool }: Context, args: Arguments, all: number): string {
  if (all === 0) return 'No usage was found.';
  const by = args.values('project').length > 0 ? 'project' : args.values('model').length > 0 ? 'model' : 'month';
  const see = asTool ? `usage by ${by}` : `skein usage --by ${by}${placeFlag()}`;
  return `No usage was found: ${all === 1 ? 'the one message does not fit' : `none of ${all} messages fits`}. See what there is: ${see}`;
}

function messagesIn(facts: Iterable<Fact>): number {
  let all = 0;
  for (const { messages } of facts) all += messages;
  return all;
}

function sourceText({ engine, read, files, team }: Named): string {
  if (engine === 'team') return `the team ${team}`;
  if (engine === 'files') return files === 1 ? 'one file' : `${files} files`;
  if (read === 0) return 'the archive';
  return `the archive and ${read === 1 ? 'one newer file' : `${read} newer files`}`;
}

/** A locale that says otherwise, and terminals that have no such characters. */
export function showsUnicode({ env }: Pick<Context, 'env'>): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return (locale === undefined || /utf-?8/i.test(locale)) && env.TERM !== 'dumb' && env.TERM !== 'linux';
}
