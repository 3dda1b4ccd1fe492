/** Days, weeks and months as people have them: in a time zone. */

/** Every time zone's day is made of these. */
export const QUARTER = 15 * 60_000;
const DAY = 86_400_000;

/** The day (2026-01-31) of a time; in the zone of the machine without a name. */
export function dayIn(timeZone: string | undefined): (time: number) => string {
  if (timeZone === 'UTC') return (time) => new Date(time).toISOString().slice(0, 10);
  return timeZone === undefined ? localDay() : byQuarter(zonedDay(timeZone));
}

export interface LocalDay {
  /** Milliseconds: its first, and the first of the next. */
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/** The day of the machine's time zone in which a time lies. */
export function localDayOf(time: number): LocalDay {
  const date = new Date(time);
  const [year, month, number] = [date.getFullYear(), date.getMonth(), date.getDate()];
  const start = new Date(year, month, number).getTime();
  const end = new Date(year, month, number + 1).getTime();
  const name = `${year}-${two(month + 1)}-${two(number)}`;
  // `new Date` takes years below 100 for others.
  return { start, end: time < start || time >= end ? start : end, name };
}

/** What is asked for after another is mostly of the same day, or the beginning of one that was asked for before: each is worked out once. */
function localDay(): (time: number) => string {
  const names = new Map<number, string>();
  let day: LocalDay | undefined;
  return (time) => {
    if (day !== undefined && time >= day.start && time < day.end) return day.name;
    const known = names.get(time);
    if (known !== undefined) return known;
    day = localDayOf(time);
    if (day.end > day.start) names.set(day.start, day.name);
    return day.name;
  };
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** Made when it is first asked: it takes longer to load than a small report. */
function zonedDay(timeZone: string): (time: number) => string {
  let format: Intl.DateTimeFormat | undefined;
  return (time) => {
    format ??= new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    return format.format(time);
  };
}

/** Zones differ by quarters of an hour at the least: one answer holds for all of it. */
function byQuarter(dayOf: (time: number) => string): (time: number) => string {
  const days = new Map<number, string>();
  return (time) => {
    const quarter = Math.floor(time / QUARTER);
    const known = days.get(quarter) ?? dayOf(quarter * QUARTER);
    days.set(quarter, known);
    return known;
  };
}

/** The Monday of a day's week. */
export function weekOf(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`);
  const sinceMonday = (new Date(time).getUTCDay() + 6) % 7;
  return new Date(time - sinceMonday * DAY).toISOString().slice(0, 10);
}

export function monthOf(day: string): string {
  return day.slice(0, 7);
}

/** The day so many days after another; before it when they are negative. */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/** The day and the minute (2026-01-31 15:04) of a time; in the zone of the machine without a name. */
export function clockIn(timeZone: string | undefined): (time: number) => string {
  // Swedes write it so.
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (time) => format.format(time);
}

/** Every day from the first to the last. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let time = Date.parse(`${first}T00:00:00Z`); time <= Date.parse(`${last}T00:00:00Z`); time += DAY) {
    days.push(new Date(time).toISOString().slice(0, 10));
  }
  return days;
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
