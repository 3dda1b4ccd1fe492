/** After how many days without a change the client deletes a session (L5), as its settings say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { codeOf } from '../disk/errors.ts';
import { managedFiles } from '../disk/managed.ts';
import { asNumber, isObject, type Json } from '../format/json.ts';

export interface Cleanup {
  readonly settings: string;
  readonly days: number;
  /** Whether the settings say so, or those of whoever manages the machine, or the client's default holds: nothing is said, or it cannot be read. */
  readonly from: 'settings' | 'managed' | 'default' | 'unreadable';
}

const DEFAULT_DAYS = 30;
export const DAY_MS = 86_400_000;

/** By the config folder. `managed`: what holds before its own settings, the strongest first. */
export function cleanupOf(config: string, managed = managedFiles()): Cleanup {
  for (const settings of managed) {
    const days = daysIn(settings);
    if (typeof days === 'number') return { settings, days, from: 'managed' };
  }
  const settings = join(config, 'settings.json');
  const days = daysIn(settings);
  return typeof days === 'number' ? { settings, days, from: 'settings' } : { settings, days: DEFAULT_DAYS, from: days };
}

/** Comments and trailing commas are nothing to stumble over. */
function daysIn(settings: string): number | 'default' | 'unreadable' {
  const text = textAt(settings);
  if (text === undefined || text.trim() === '') return text === undefined ? 'unreadable' : 'default';
  const errors: ParseError[] = [];
  const value: Json = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isObject(value)) return 'unreadable';
  return value.cleanupPeriodDays === undefined ? 'default' : (asNumber(value.cleanupPeriodDays) ?? 'unreadable');
}

/** '' when there is none; undefined when it cannot be read. Some editors begin a file with a byte order mark. */
function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR' ? '' : undefined;
  }
}

/** Each folder's settings are read once. */
export function cleanups(): (config: string) => Cleanup {
  const known = new Map<string, Cleanup>();
  return (config) => {
    const cleanup = known.get(config) ?? cleanupOf(config);
    known.set(config, cleanup);
    return cleanup;
  };
}
