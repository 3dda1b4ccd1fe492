/** Times as people say them. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "3 min", "5 h", "2 d"; older than a month as a date. */
export function ago(time: string | null, now: number): string {
  const at = Date.parse(time ?? '');
  if (Number.isNaN(at)) return '';
  const age = now - at;
  if (age < 0 || age > 30 * DAY) return dateText(at);
  if (age < MINUTE) return 'now';
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  return age < DAY ? `${Math.floor(age / HOUR)} h` : `${Math.floor(age / DAY)} d`;
}

export function dateText(at: number): string {
  return format('date', { day: 'numeric', month: 'short', year: 'numeric' }).format(at);
}

/** Today, Yesterday, Thursday, 12 November; with the year where it is another. */
export function dayHeading(at: number, now: number): string {
  if (Number.isNaN(at)) return 'No date';
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  if (days > 1 && days < 7) return format('weekday', { weekday: 'long', day: 'numeric', month: 'long' }).format(at);
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return sameYear ? format('day', { day: 'numeric', month: 'long' }).format(at) : dateText(at);
}

export function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** Made once: each takes longer than a row. */
const formats = new Map<string, Intl.DateTimeFormat>();

function format(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const known = formats.get(name) ?? new Intl.DateTimeFormat(undefined, options);
  formats.set(name, known);
  return known;
}
