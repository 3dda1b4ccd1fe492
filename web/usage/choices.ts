/** What the page is about, from its address. */
import { dayIn } from '../../src/views/usage/days.ts';
import type { Params } from '../app/api.ts';
import type { Route } from '../app/router.ts';
import { SPANS, type Span } from './series.ts';

export const RANGES: readonly { readonly range: string; readonly label: string; readonly days: number | null }[] = [
  { range: '7d', label: '7 days', days: 7 },
  { range: '30d', label: '30 days', days: 30 },
  { range: '90d', label: '90 days', days: 90 },
  { range: 'all', label: 'All', days: null },
];
const USUAL = '30d';
const DAY = 86_400_000;
const WEEKS = 52;

/** People and teams only where a team is shown. */
export const STACKS = ['model', 'project', 'person', 'team'] as const;
export type Stack = (typeof STACKS)[number];

export interface Choices {
  readonly range: string;
  readonly span: Span;
  readonly project: string;
  /** What the bars are stacked by. */
  readonly stack: Stack;
  /** As the server is asked: whole days, which its index can answer. */
  readonly asked: Params;
  /** The days of the range; of all time, those that are known. */
  readonly days: { readonly first: string; readonly last: string } | null;
  /** What the calendar shows, whatever the range. */
  readonly year: { readonly first: string; readonly last: string };
}

export function choicesOf({ params }: Route, now = Date.now()): Choices {
  const { project = '' } = params;
  const chosen = RANGES.find(({ range }) => range === params.range) ?? RANGES.find(({ range }) => range === USUAL);
  const days = chosen?.days ?? null;
  const span = SPANS.find((each) => each === params.by) ?? 'day';
  const ago = (count: number) => dayIn(undefined)(now - count * DAY);
  const since = days === null ? undefined : ago(days - 1);
  return {
    range: chosen?.range ?? USUAL,
    span,
    project,
    stack: STACKS.find((each) => each === params.stack) ?? 'model',
    asked: { since, project: project === '' ? undefined : project },
    days: since === undefined ? null : { first: since, last: ago(0) },
    year: { first: ago(WEEKS * 7), last: ago(0) },
  };
}

/** What the address says of a choice: nothing for the usual one. */
export function rangeParam(range: string): string {
  return range === USUAL ? '' : range;
}
