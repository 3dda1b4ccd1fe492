/** Times as people type them. */
const AGES: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
/** The year 1: an age can be written that no date and no database reaches. */
const EARLIEST = -62_135_596_800_000;

/** A date, a time, an age (`3d` is three days ago), today or yesterday, in local time; undefined if it is none of these. */
export function parseTime(text: string, now: Date): number | undefined {
  const age = /^(\d+)([mhdw])$/.exec(text);
  if (age) return Math.max(EARLIEST, now.getTime() - Number(age[1]) * (AGES[age[2] ?? ''] ?? 0));
  if (text === 'today') return startOfDay(now, 0);
  if (text === 'yesterday') return startOfDay(now, -1);
  const date = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (date) return dayStart(Number(date[1]), Number(date[2]), Number(date[3]));
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** 2026-13-45 is no day. */
function dayStart(year: number, month: number, day: number): number | undefined {
  const date = new Date(year, month - 1, day);
  return date.getMonth() === month - 1 && date.getDate() === day ? date.getTime() : undefined;
}

function startOfDay(now: Date, days: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days).getTime();
}
