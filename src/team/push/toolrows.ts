/** The tool calls of a transcript as rows. Lines pass by; what is kept of them is bounded. */
import { createHash, createHmac } from 'node:crypto';
import { blocksOf, toBlocks } from '../../format/content.ts';
import type { Entry } from '../../format/entry.ts';
import { asString, type Json, type JsonObject } from '../../format/json.ts';
import { millisOf } from '../../graph/time.ts';
import { isUse, pairToolCalls } from '../../graph/toolcalls.ts';
import type { ToolCall } from '../../graph/types.ts';
import type { ToolCallRow } from '../rows.ts';
import { type FileColumns, timeText } from './linerows.ts';
import type { Shape } from './shape.ts';

/** Calls are paired with their results among so many lines: all of them in all but very long sessions. */
const WINDOW = 8000;
/** Of those that were paired, so many are looked at once more with the next: a line may be written again as it grows. */
const AGAIN = 500;

interface Sizes {
  inputBytes: number;
  inputHash: string;
  resultBytes: number;
  resultChars: number;
}

export interface ToolRowOptions {
  readonly columns: FileColumns;
  readonly project: string;
  readonly shape: Shape;
  /** Known here alone: by it equal inputs are equal where nothing of them may leave. */
  readonly secret: string;
  /** How many lines are looked at together; tests have their own. */
  readonly window?: number;
}

export interface ToolRows {
  /** The entry as it was read, and the line as it is sent. */
  add(entry: Entry, json: JsonObject, sent: JsonObject | undefined, time: number): void;
  /** Those that are settled. */
  take(): ToolCallRow[];
  /** All that are left. */
  end(): ToolCallRow[];
}

export function createToolRows(options: ToolRowOptions): ToolRows {
  const { shape, secret, project, window: most = WINDOW } = options;
  const { slug: _, ...common } = options.columns;
  let window: Entry[] = [];
  let fresh = 0;
  const sizes = new Map<string, Sizes>();
  const times = new Map<Entry, number>();
  /** By their keys. */
  let done = new Set<string>();
  let settled: ToolCallRow[] = [];

  function sizesOf(id: string): Sizes {
    const known = sizes.get(id) ?? { inputBytes: 0, inputHash: '0', resultBytes: 0, resultChars: 0 };
    sizes.set(id, known);
    return known;
  }

  /** Sizes are those of the original; the hash is of what was sent. */
  function measure(entry: Entry, json: JsonObject, sent: JsonObject | undefined): void {
    const shown = sent === undefined ? [] : blocksOf(sent);
    const keyIn = createKeys();
    for (const [place, { raw }] of blocksOf(json).entries()) {
      const type = asString(raw.type) ?? '';
      if (type.endsWith('tool_use')) {
        const of = sizesOf(keyIn(entry, asString(raw.id) ?? ''));
        const input = shape.content === 'none' ? raw.input : shown[place]?.raw.input;
        of.inputBytes = bytesIn(raw.input);
        of.inputHash = hashOf(input, shape.content === 'none' ? secret : undefined);
      } else if (type.endsWith('tool_result')) {
        const of = sizesOf(asString(raw.tool_use_id) ?? '');
        of.resultBytes = bytesIn(raw.content);
        of.resultChars = 0;
        for (const block of toBlocks(raw.content)) if (block.type === 'text') of.resultChars += block.text.length;
      }
    }
  }

  function toRow(call: ToolCall, key: string): ToolCallRow {
    const { head } = call.use;
    const started = millisOf(call.started);
    const of = sizesOf(key);
    return {
      ...common,
      id: call.id === '' ? placeId(common.session, common.name, key) : shape.id(call.id),
      project,
      tool: shape.term(call.name),
      status: call.status,
      model: shape.term(head.message?.model ?? ''),
      message: shape.id(head.message?.id ?? ''),
      timed: started === undefined ? 0 : 1,
      time: timeText(started ?? times.get(call.use) ?? 0),
      duration: call.result === undefined ? null : wholeOrNull(call.durationMs),
      input_bytes: of.inputBytes,
      result_bytes: call.result === undefined ? 0 : of.resultBytes,
      result_chars: call.result === undefined ? 0 : of.resultChars,
      input_hash: of.inputHash,
    };
  }

  /** Those without a result wait for it, unless nothing more comes. */
  function settle(isLast: boolean): void {
    const { calls } = pairToolCalls(window);
    const open: Entry[] = [];
    const seen = new Set<string>();
    const keyIn = createKeys();
    for (const call of calls) {
      const key = keyIn(call.use, call.id);
      if (done.has(key) || seen.has(key)) continue;
      if (call.result === undefined && !isLast && window.length < 4 * most) open.push(call.use);
      else {
        seen.add(key);
        settled.push(toRow(call, key));
        sizes.delete(key);
      }
    }
    const kept = new Set([...open, ...window.slice(-Math.min(AGAIN, most))]);
    window = window.filter((entry) => kept.has(entry));
    for (const entry of times.keys()) if (!kept.has(entry)) times.delete(entry);
    const keyAgain = createKeys();
    const keys = window.flatMap((entry) => entry.head.blocks.filter(isUse).map(({ id = '' }) => keyAgain(entry, id)));
    done = new Set(keys.filter((key) => done.has(key) || seen.has(key)));
    fresh = 0;
  }

  return {
    add(entry, json, sent, time) {
      if (entry.kind !== 'user' && entry.kind !== 'assistant') return;
      const { blocks } = entry.head;
      if (blocks.some((block) => isUse(block) || block.type.endsWith('tool_result'))) measure(entry, json, sent);
      else if (entry.kind === 'assistant') return;
      window.push(entry);
      times.set(entry, time);
      fresh += 1;
      if (fresh >= most) settle(false);
    },
    take() {
      const rows = settled;
      settled = [];
      return rows;
    },
    end() {
      settle(true);
      return this.take();
    },
  };
}

/** What tells calls apart: their ids. One without an id is told by its line, and which of those in the line it is. */
function createKeys(): (entry: Entry, id: string) => string {
  const counts = new Map<Entry, number>();
  return (entry, id) => {
    if (id !== '') return id;
    const place = counts.get(entry) ?? 0;
    counts.set(entry, place + 1);
    return `\0${entry.line.number} ${place}`;
  };
}

/** Another for every place, and the same whenever it is pushed: ids count once in a team, wherever they come from. */
function placeId(session: string, name: string, key: string): string {
  return `place-${createHash('sha256').update(`${session}\0${name}${key}`).digest('hex').slice(0, 32)}`;
}

function bytesIn(value: Json | undefined): number {
  if (value === undefined) return 0;
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}

/** 64 bits as a decimal text. */
function hashOf(input: Json | undefined, secret: string | undefined): string {
  const text = JSON.stringify(input ?? null);
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret);
  return hash.update(text).digest().readBigUInt64LE(0).toString();
}

function wholeOrNull(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) || value < 0 ? null : Math.round(value);
}
