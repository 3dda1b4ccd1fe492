/** The archive kept up to date beside the server, and what each chat cost, in processes of their own. */
import { asArray, asNumber, asString, at, type Json, parseJson } from '../../format/json.ts';
import type { Status } from '../../server/questions.ts';
import type { Children } from './children.ts';
import type { Counted } from './rows.ts';

export interface Keeping {
  readonly status: Status['archive'];
  readonly working: string | null;
  /** Syncs and counts when there were so many changes as never before: soon, but not again within a minute. */
  wake(changes: number): void;
  close(): void;
}

export interface KeepingOptions {
  readonly children: Children;
  /** The demo set is counted, but not archived. */
  isDemo(): boolean;
  /** Why nothing is archived. */
  readonly off: string | undefined;
  now(): Date;
  onSynced(): Promise<void>;
  onCounted(counted: ReadonlyMap<string, Counted>): void;
  onFault(error: unknown): void;
}

const SELDOM_MS = 60_000;

export function createKeeping(options: KeepingOptions): Keeping {
  const { children } = options;
  let status: Status['archive'] = { state: 'waiting', text: '', at: null };
  let working: string | null = null;
  let closed = false;
  let due: NodeJS.Timeout | undefined;
  let ran = Number.NEGATIVE_INFINITY;
  let done = 0;

  async function sync(): Promise<void> {
    const off = options.off ?? (options.isDemo() ? 'the demo set is not archived' : undefined);
    if (off !== undefined) {
      status = { state: 'off', text: off, at: null };
      return;
    }
    status = { ...status, state: 'syncing' };
    working = 'taking new sessions into the archive';
    const { out, err } = await children.run(['archive', 'sync', '--json'], { aside: true });
    if (closed) return;
    status = { ...toStatus(parseJson(out.toString('utf8')), err), at: options.now().toISOString() };
    await options.onSynced();
  }

  async function count(): Promise<void> {
    working = 'counting usage';
    const { out } = await children.run(['usage', '--by', 'chat', '--json'], { aside: true });
    const json = parseJson(out.toString('utf8'));
    if (json !== undefined) options.onCounted(countedIn(json));
  }

  async function work(): Promise<void> {
    try {
      await sync();
      if (!closed) await count();
    } catch (error) {
      if (!closed) options.onFault(error);
    } finally {
      working = null;
      ran = performance.now();
      due = undefined;
    }
  }

  return {
    get status() {
      return status;
    },
    get working() {
      return working;
    },
    wake(changes) {
      if (closed || due !== undefined || changes === done) return;
      due = setTimeout(
        () => {
          done = changes;
          work();
        },
        Math.max(0, ran + SELDOM_MS - performance.now()),
      );
    },
    close() {
      closed = true;
      clearTimeout(due);
    },
  };
}

function toStatus(json: Json | undefined, err: string): Omit<Status['archive'], 'at'> {
  const files = asNumber(at(json, 'files'));
  if (files === undefined) return { state: 'failed', text: err.trim().split('\n')[0] ?? '' };
  const fresh = ['added', 'appended', 'rewritten'].reduce((sum, name) => sum + (asNumber(at(json, name)) ?? 0), 0);
  return { state: 'done', text: `${files} files, ${fresh === 0 ? 'nothing new' : `${fresh} new or changed`}` };
}

function countedIn(json: Json): Map<string, Counted> {
  const counted = new Map<string, Counted>();
  for (const row of asArray(at(json, 'rows')) ?? []) {
    const chat = asString(at(row, 'key', 'chat'));
    if (chat === undefined) continue;
    const tokens = ['input', 'output', 'cacheCreation', 'cacheRead'].map((name) => asNumber(at(row, name)) ?? 0);
    const costUSD = asNumber(at(row, 'costUSD')) ?? null;
    counted.set(chat, { costUSD, tokens: tokens.reduce((sum, each) => sum + each, 0) });
  }
  return counted;
}
