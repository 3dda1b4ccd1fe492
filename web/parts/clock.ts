/** Times and amounts as people read them. */
import { humanDuration, humanSize } from '../../src/views/options.ts';

export { humanSize };

export function duration(ms: number | null): string {
  return ms === null ? '' : humanDuration(ms);
}

const TIME = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });

export function timeOf(iso: string | null): string {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? '' : TIME.format(time);
}

export function dayOf(iso: string | null): string {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? '' : DAY.format(time);
}

export function fullTime(iso: string | null): string {
  const time = Date.parse(iso ?? '');
  return Number.isNaN(time) ? '' : `${DAY.format(time)}, ${TIME.format(time)}`;
}
