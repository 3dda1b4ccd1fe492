/** How often and how long to wait before asking again. */
import { waitOf } from '../../format/retryafter.ts';
import type { Env } from './access.ts';
import type { Clock } from './clock.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 32_000;
/** A server may ask for hours; nobody watches that long. */
const LONGEST_ASKED_MS = 60_000;
const MAX_RETRIES = 10;

/** `retry` counts from 1. Up to a quarter more by chance, so that those who were turned away together do not come back together. */
export function waitBefore(retry: number, afterMs: number | undefined, clock: Clock): number {
  const grown = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (retry - 1));
  const own = Math.round(grown * (1 + clock.random() / 4));
  return afterMs === undefined ? own : Math.max(own, Math.min(afterMs, LONGEST_ASKED_MS));
}

/** `retry-after-ms` is finer where a server sends it. */
export function askedWait(header: (name: string) => string | undefined, clock: Clock): number | undefined {
  const ms = Number(header('retry-after-ms') || Number.NaN);
  return Number.isFinite(ms) && ms >= 0 ? ms : waitOf(header('retry-after'), clock.now());
}

/** What the server thinks of asking again goes before what its status says. */
export function shouldRetry(header: (name: string) => string | undefined, otherwise: boolean): boolean {
  const said = header('x-should-retry');
  return said === 'true' ? true : said === 'false' ? false : otherwise;
}

export function maxRetriesOf(env: Env): number {
  return countOf(env.CLAUDE_CODE_MAX_RETRIES) ?? MAX_RETRIES;
}

export function countOf(value: string | undefined): number | undefined {
  const count = value?.trim() ? Number(value) : Number.NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
