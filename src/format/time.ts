/**
 * Timestamps as the client writes them → milliseconds. Date.parse decides what is a time; the common form is read faster. One without
 * a zone, as other writers have it (E15), is of UTC: the same session has the same times and days on every machine.
 */

/** `2026-11-15T06:37:15.035Z` */
const COMMON_LENGTH = 24;
const DAY_LENGTH = 10;
const DAY = /^\d{4}-\d\d-\d\d/;
const ZERO = 48;

let lastDay = 'none';
let lastDayMillis = Number.NaN;

const ZONELESS = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)$/;

function parseOther(text: string): number {
  const [, day, clock] = ZONELESS.exec(text) ?? [];
  return Date.parse(day === undefined ? text : `${day}T${clock}Z`);
}

/** NaN where Date.parse gives NaN. */
export function parseTimestamp(text: string): number {
  if (text.length !== COMMON_LENGTH || text.charCodeAt(DAY_LENGTH) !== 84 || text.charCodeAt(23) !== 90)
    return parseOther(text);
  const hours = twoDigits(text, 11);
  const minutes = twoDigits(text, 14);
  const seconds = twoDigits(text, 17);
  const millis = twoDigits(text, 20) * 10 + (twoDigits(text, 21) % 10);
  const separated = text.charCodeAt(13) === 58 && text.charCodeAt(16) === 58 && text.charCodeAt(19) === 46;
  // Written so that a NaN from a character that is no digit fails it too.
  if (!(separated && hours < 24 && minutes < 60 && seconds < 60 && millis < 1000)) return parseOther(text);
  if (!text.startsWith(lastDay)) {
    if (!DAY.test(text)) return parseOther(text);
    lastDay = text.slice(0, DAY_LENGTH);
    lastDayMillis = Date.parse(`${lastDay}T00:00:00.000Z`);
  }
  return lastDayMillis + ((hours * 60 + minutes) * 60 + seconds) * 1000 + millis;
}

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}
