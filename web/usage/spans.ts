/** Days, weeks and months by name. Their keys are dates of no time zone. */
import type { Span } from './series.ts';

const SHORT_DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const LONG_DAY = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const MONTH = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric', timeZone: 'UTC' });

export function keyText(key: string, span: Span, short: boolean): string {
  const at = Date.parse(`${span === 'month' ? `${key}-01` : key}T00:00:00Z`);
  if (Number.isNaN(at)) return key;
  if (span === 'month') return MONTH.format(at);
  if (short) return SHORT_DAY.format(at);
  return span === 'week' ? `Week of ${LONG_DAY.format(at)}` : LONG_DAY.format(at);
}

/** The first and the last day of it. */
export function daysOf(key: string, span: Span): { readonly since: string; readonly until: string } {
  if (span === 'day') return { since: key, until: key };
  const from = new Date(`${span === 'month' ? `${key}-01` : key}T00:00:00Z`);
  const to = new Date(from);
  if (span === 'week') to.setUTCDate(to.getUTCDate() + 6);
  else to.setUTCMonth(to.getUTCMonth() + 1, 0);
  return { since: from.toISOString().slice(0, 10), until: to.toISOString().slice(0, 10) };
}
