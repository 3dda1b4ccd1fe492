/** The hook's log: a JSON object on each line, readable by the owner alone, the last megabyte or two of it. */
import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs';
import { makeFolders } from '../../disk/durable.ts';
import { asNumber, asObject, asString, parseJson } from '../../format/json.ts';
import type { HookPlaces } from './place.ts';

export interface LogLine {
  readonly time: string;
  readonly level: 'info' | 'error';
  readonly event: string;
  readonly session: string;
  /** From the start of the process. */
  readonly ms: number;
  readonly what: string;
}

export const LOG_BYTES = 1 << 20;
const LONGEST = 2000;
/** They come from outside. */
const LONGEST_NAME = 200;

/** A log that cannot be written is no reason to fail. */
export function writeLog({ folder, log, oldLog }: HookPlaces, line: LogLine): boolean {
  try {
    makeFolders(folder, false);
    if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) >= LOG_BYTES) renameSync(log, oldLog);
    // One write to the end of the file: hooks that run side by side do not mix their lines.
    const { event, session, what } = line;
    const short = { event: cut(event, LONGEST_NAME), session: cut(session, LONGEST_NAME), what: cut(what, LONGEST) };
    appendFileSync(log, `${JSON.stringify({ ...line, ...short })}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** Oldest first. */
export function readLog({ log, oldLog }: HookPlaces): LogLine[] {
  return [oldLog, log].flatMap((file) => textOf(file).split('\n').flatMap(toLogLine));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

export function toLogLine(text: string): LogLine[] {
  const value = asObject(parseJson(text));
  const time = asString(value?.time);
  if (value === undefined || time === undefined) return [];
  return [
    {
      time,
      level: value.level === 'error' ? 'error' : 'info',
      event: asString(value.event) ?? '',
      session: asString(value.session) ?? '',
      ms: asNumber(value.ms) ?? 0,
      what: asString(value.what) ?? '',
    },
  ];
}
