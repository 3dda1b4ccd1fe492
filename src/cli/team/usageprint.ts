/** What a team spends, for people. */
import { counted } from '../../views/counted.ts';
import type { Mask } from '../../views/options.ts';
import { dollars, tokenText } from '../../views/usage/amounts.ts';
import type { BudgetState } from '../../views/usage/budgets.ts';
import { addTo, NOTHING } from '../../views/usage/facts.ts';
import type { Habit } from '../../views/usage/habits.ts';
import { ASCII, bar, UNICODE } from '../../views/usage/plot.ts';
import { PER_DOLLAR } from '../../views/usage/rates.ts';
import { isTime, type Report } from '../../views/usage/rows.ts';
import { wrapProse } from '../../views/wrap.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { type Column, shortPath, table } from '../layout.ts';
import { shortId } from '../shortid.ts';
import type { PriceTable } from '../usage/pricetable.ts';
import { printNotes, printReport } from '../usage/print.ts';
import { showsUnicode } from '../usage/report.ts';
import type { TeamUsage } from './usage.ts';

export interface PrintOptions {
  readonly limit: number;
  readonly mask: Mask;
  readonly prices: PriceTable;
}

const BAR = 12;

export function printTeamUsage(context: Context, args: Arguments, found: TeamUsage, options: PrintOptions): void {
  const { out } = context;
  if (found.whole.totals.messages === 0) context.err.write('No usage was found.\n');
  const ascii = args.flag('ascii') || !showsUnicode(context);
  const needsPlot = args.flag('plot');
  const plot = needsPlot || out.isTerminal;
  const head = (text: string) => out.write(`${out.style.bold(text)}\n`);
  const several = found.tables.length > 1;
  for (const report of found.whole.totals.messages > 0 ? found.tables : []) {
    if (several) head(`By ${report.by.join(', ')}`);
    printReport(context, masked(shortened(report, options.limit), options.mask), {
      labels: new Map(),
      plot,
      needsPlot,
      ascii,
    });
    if (several) out.write('\n');
  }
  if (found.budgets !== undefined) printBudgets(context, found.budgets, ascii, options);
  if (found.habits !== undefined && found.whole.totals.messages > 0) printHabits(context, found.habits, options);
  if (found.whole.totals.messages > 0) printNotes(context, found.whole, options.prices, `the team ${found.team}`);
}

/** What is beyond the limit is one row: rows sum to the total. Times are all told. */
function shortened(report: Report, limit: number): Report {
  const { by, rows } = report;
  if (by.some(isTime) || rows.length <= limit + 1) return report;
  const rest = { ...NOTHING };
  for (const row of rows.slice(limit)) addTo(rest, row);
  const key = by.map((_, place) => (place === 0 ? `${rows.length - limit} others` : ''));
  return { ...report, rows: [...rows.slice(0, limit), { ...rest, key }] };
}

function masked(report: Report, mask: Mask): Report {
  return { ...report, rows: report.rows.map((row) => ({ ...row, key: row.key.map((value) => mask(value)) })) };
}

function usd(value: number): string {
  return value < 0 ? `-${dollars(-value * PER_DOLLAR)}` : dollars(value * PER_DOLLAR);
}

function printBudgets({ out }: Context, budgets: readonly BudgetState[], ascii: boolean, { mask }: PrintOptions): void {
  out.write(`${out.style.bold('Budgets')}\n`);
  if (budgets.length === 0) {
    out.write(`${out.style.dim('none; an administrator sets them: skein team init --budget team:NAME=500/month')}\n\n`);
    return;
  }
  const { good, warn, bad } = out.style;
  const marks = { fine: 'fine', ahead: 'will be over', over: 'OVER' };
  const paints = { fine: good, ahead: warn, over: bad };
  const glyphs = ascii ? ASCII : UNICODE;
  const money = (title: string, cell: (row: BudgetState) => string, drop: number): Column<BudgetState> => ({
    title,
    cell,
    align: 'right',
    drop,
  });
  const columns: Column<BudgetState>[] = [
    { title: 'BUDGET', cell: ({ scope, name }) => `${scope} ${mask(name)}`, drop: 0, flexible: true, max: 40 },
    { title: 'OF', cell: ({ period, from }) => `${period} ${from}`, drop: 3 },
    money('LIMIT', (row) => usd(row.usd), 0),
    money('SPENT', ({ spentUSD }) => usd(spentUSD), 0),
    money('LEFT', ({ leftUSD }) => usd(leftUSD), 2),
    money('FORECAST', ({ forecastUSD }) => usd(forecastUSD), 1),
    { title: '', cell: (row) => bar(row.spentUSD, row.usd, BAR, glyphs), min: BAR, drop: 4, paint: paintOf },
    { title: 'STATE', cell: ({ state }) => marks[state], drop: 0, paint: paintOf },
  ];
  function paintOf(text: string, { state }: BudgetState): string {
    return paints[state](text);
  }
  for (const line of table(budgets, columns, out.columns, out.style.dim)) out.write(`${line}\n`);
  out.write('\n');
}

function printHabits({ out }: Context, habits: readonly Habit[], { mask }: PrintOptions): void {
  const { style } = out;
  out.write(
    `${style.bold('The most expensive habits')} ${style.dim('(they overlap; what they cost is an estimate)')}\n`,
  );
  if (habits.length === 0) out.write(`${style.dim('none found')}\n`);
  for (const { title, costUSD, times, tokens, chats, what, advice, where } of habits) {
    const counts = `${counted(times, 'time')} in ${counted(chats, 'chat')}, ${tokenText(tokens)} tokens`;
    out.write(`${style.accent(usd(costUSD).padStart(9))}  ${style.bold(title)}  ${style.dim(counts)}\n`);
    for (const line of wrapProse(`${what} ${advice}`, Math.max(20, out.columns - 11)))
      out.write(`${' '.repeat(11)}${line}\n`);
    const most = where
      .slice(0, 3)
      .map(
        (place) =>
          `${mask(shortPath(place.project))} ${mask(place.person)} ${shortId(place.chat)} (${usd(place.costUSD)})`,
      );
    for (const line of wrapProse(`most in: ${most.join(', ')}`, Math.max(20, out.columns - 11))) {
      out.write(`${' '.repeat(11)}${style.dim(line)}\n`);
    }
  }
  out.write('\n');
}
