/** How much of a budget is spent, and where its period will end if it goes on like this. */
import { dayIn, daysBetween, monthOf, QUARTER, weekOf } from './days.ts';
import type { Fact } from './facts.ts';
import { PER_DOLLAR } from './rates.ts';

export const SCOPES = ['team', 'person', 'project', 'model'] as const;
export const PERIODS = ['day', 'week', 'month'] as const;

export interface Budget {
  readonly scope: (typeof SCOPES)[number];
  readonly name: string;
  readonly period: (typeof PERIODS)[number];
  readonly usd: number;
}

export interface BudgetState extends Budget {
  /** The day, the Monday of the week, or the month. */
  readonly from: string;
  readonly spentUSD: number;
  /** Below 0 when it is overdrawn. */
  readonly leftUSD: number;
  /** Of the period, from 0 to 1. */
  readonly gone: number;
  readonly forecastUSD: number;
  /** over: it is spent · ahead: it will be, at this rate */
  readonly state: 'fine' | 'ahead' | 'over';
}

export interface BudgetOptions {
  readonly now: number;
  readonly timeZone?: string | undefined;
  /** Whether a fact counts for a budget, whatever its time. */
  readonly isOf: (fact: Fact, budget: Budget) => boolean;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** In the first hour of a period nothing is told from a rate. */
const LEAST_GONE = HOUR;

export function budgetStates(
  budgets: readonly Budget[],
  facts: readonly Fact[],
  options: BudgetOptions,
): BudgetState[] {
  const day = dayIn(options.timeZone);
  return budgets.map((budget) => {
    const periodOf = (time: number) => periodAt(day(time), budget.period);
    const from = periodOf(options.now);
    let spent = 0;
    for (const fact of facts) {
      if (fact.time !== undefined && periodOf(fact.time) === from && options.isOf(fact, budget)) spent += fact.cost;
    }
    const spentUSD = spent / PER_DOLLAR;
    const gone = goneOf(from, budget.period, options.now, day);
    const forecastUSD = Math.max(spentUSD, spentUSD / gone);
    const state = spentUSD > budget.usd ? 'over' : forecastUSD > budget.usd ? 'ahead' : 'fine';
    return { ...budget, from, spentUSD, leftUSD: budget.usd - spentUSD, gone, forecastUSD, state };
  });
}

function periodAt(day: string, period: Budget['period']): string {
  return period === 'day' ? day : period === 'week' ? weekOf(day) : monthOf(day);
}

/** Days of the period that are over, and the part of today, of all its days. */
function goneOf(from: string, period: Budget['period'], now: number, day: (time: number) => string): number {
  const first = period === 'month' ? `${from}-01` : from;
  const days = period === 'day' ? 1 : period === 'week' ? 7 : daysIn(from);
  const today = day(now);
  let start = Math.floor(now / QUARTER) * QUARTER;
  while (day(start - QUARTER) === today) start -= QUARTER;
  const over = daysBetween(first, today).length - 1;
  return Math.min(1, Math.max(over * DAY + Math.min(now - start, DAY), LEAST_GONE) / (days * DAY));
}

function daysIn(month: string): number {
  const [year, number] = month.split('-').map(Number);
  return new Date(Date.UTC(year ?? 0, number ?? 1, 0)).getUTCDate();
}

/** The earliest time that a budget can ask for, in any time zone. */
export function budgetsSince(now: number): number {
  return now - 33 * DAY;
}
