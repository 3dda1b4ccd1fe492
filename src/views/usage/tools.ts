/** Tool calls → rows by tool: how often called, how often failed, how long they took, how much they gave back. */

import { toBlocks } from '../../format/content.ts';
import { durationBetween } from '../../graph/time.ts';
import { contentOfCall } from '../../graph/toolcalls.ts';
import type { ToolCall } from '../../graph/types.ts';

export interface ToolSums {
  readonly calls: number;
  readonly failures: number;
  readonly denied: number;
  readonly interrupted: number;
  /** Without a result. */
  readonly pending: number;
  /** Milliseconds of the calls whose time is known; `timed` says how many. */
  readonly durationMs: number;
  readonly timed: number;
  /** Characters of text the model was given. */
  readonly resultCharacters: number;
  readonly largestResult: number;
}

export interface ToolRow extends ToolSums {
  readonly tool: string;
}

export interface ToolReport {
  readonly totals: ToolSums;
  /** Most called first. */
  readonly rows: readonly ToolRow[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const NONE: ToolSums = {
  calls: 0,
  failures: 0,
  denied: 0,
  interrupted: 0,
  pending: 0,
  durationMs: 0,
  timed: 0,
  resultCharacters: 0,
  largestResult: 0,
};

/** Copies of a call in other files are one call; the first that has a result is taken. */
export function createToolFold() {
  const rows = new Map<string, Mutable<ToolRow>>();
  const seen = new Set<string>();
  const open = new Map<string, { readonly call: ToolCall; readonly isWanted: boolean }>();

  function count(call: ToolCall): void {
    const row = rows.get(call.name) ?? { ...NONE, tool: call.name };
    rows.set(call.name, row);
    row.calls += 1;
    if (call.status === 'error') row.failures += 1;
    else if (call.status === 'denied' || call.status === 'interrupted' || call.status === 'pending')
      row[call.status] += 1;
    const took = call.result === undefined ? undefined : durationOf(call);
    if (took !== undefined) {
      row.durationMs += took;
      row.timed += 1;
    }
    const size = resultCharacters(call);
    row.resultCharacters += size;
    row.largestResult = Math.max(row.largestResult, size);
  }

  return {
    /** `isWanted`: where it stands; asked of the copy that is taken, or one call would be counted wherever it was copied to. */
    add(call: ToolCall, isWanted = true): void {
      if (call.id !== '' && seen.has(call.id)) return;
      if (call.id !== '' && call.result === undefined) {
        if (!open.has(call.id)) open.set(call.id, { call, isWanted });
        return;
      }
      seen.add(call.id);
      if (isWanted) count(call);
    },
    report(): ToolReport {
      for (const [id, { call, isWanted }] of open) if (isWanted && !seen.has(id)) count(call);
      open.clear();
      return toolReport(rows.values());
    },
  };
}

/** In milliseconds, a year: a time that is none must not spoil all sums. */
const LONGEST = 366 * 86_400_000;

/** As the tool measured it, else from call to result, if either can be. */
function durationOf({ durationMs, started, ended }: ToolCall): number | undefined {
  return [durationMs, durationBetween(started, ended)].find((ms) => ms !== undefined && ms >= 0 && ms < LONGEST);
}

/** Rows of one tool are added up. */
export function toolReport(some: Iterable<ToolRow>): ToolReport {
  const rows = new Map<string, ToolRow>();
  for (const row of some) rows.set(row.tool, { ...add(rows.get(row.tool) ?? NONE, row), tool: row.tool });
  const sorted = [...rows.values()].sort((a, b) => b.calls - a.calls || (a.tool < b.tool ? -1 : 1));
  return { totals: sorted.reduce(add, NONE), rows: sorted };
}

function add(a: ToolSums, b: ToolSums): ToolSums {
  return {
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
    denied: a.denied + b.denied,
    interrupted: a.interrupted + b.interrupted,
    pending: a.pending + b.pending,
    durationMs: a.durationMs + b.durationMs,
    timed: a.timed + b.timed,
    resultCharacters: a.resultCharacters + b.resultCharacters,
    largestResult: Math.max(a.largestResult, b.largestResult),
  };
}

/** Characters of text the model was given. */
export function resultCharacters(call: ToolCall): number {
  let length = 0;
  for (const block of toBlocks(contentOfCall(call))) if (block.type === 'text') length += block.text.length;
  return length;
}
