/** What a session holds, counted: the table people make first when they look into a folder of transcripts. */
import type { Entry } from './entry.ts';
import { createIds, type Ids } from './ids.ts';
import type { JsonObject } from './json.ts';
import { createNumbers } from './numbers.ts';
import { isHumanTurnStart, passingKind, passingPrompt } from './prompt.ts';
import { createQueuedPrompts } from './queue.ts';

export interface Inventory {
  lines: number;
  types: Record<string, number>;
  versions: string[];
  /** Per assistant line, as written; `null` for lines without one. */
  stopReasons: Record<string, number>;
  /** Content blocks by type, in array contents. */
  blocks: Record<string, number>;
  toolCalls: number;
  humanTurns: number;
}

/** Counts entries one by one, so that a file of any size is counted in constant memory. */
export function createInventory(ids: Ids = createIds()): {
  /** With the whole object where it is at hand. */
  add(entry: Entry, json?: JsonObject): void;
  result(): Inventory;
} {
  const types = new Map<string, number>();
  const versions = new Set<string>();
  const stopReasons = new Map<string, number>();
  const blocks = new Map<string, number>();
  // By number of an id.
  const called = createNumbers(0, 'byte');
  const turns = new Set<string>();
  // E9: prompts that were only ever put into the queue.
  const queue = createQueuedPrompts(passingPrompt);
  let lines = 0;
  let toolCalls = 0;
  let unnamedTurns = 0;

  function add(entry: Entry, json?: JsonObject): void {
    const { head, kind } = entry;
    lines += 1;
    count(types, typeName(entry));
    if (head.version !== undefined) versions.add(head.version);
    queue.add(entry);
    if (kind !== 'user' && kind !== 'assistant') return;
    if (kind === 'assistant') count(stopReasons, head.message?.stopReason ?? 'null');
    for (const block of head.blocks) {
      count(blocks, block.type);
      if (block.type === 'tool_use') addCall(block.id);
    }
    // A line written twice is one turn and one call.
    if (kind === 'user' && isHumanTurnStart(passingKind(entry, json))) {
      if (head.uuid === undefined) unnamedTurns += 1;
      else turns.add(head.uuid);
    }
  }

  function addCall(id: string | undefined): void {
    const number = id === undefined ? -1 : ids.add(id);
    if (number < 0 || called.get(number) === 0) toolCalls += 1;
    if (number >= 0) called.set(number, 1);
  }

  return {
    add,
    result: () => ({
      lines,
      types: Object.fromEntries(types),
      versions: [...versions],
      stopReasons: Object.fromEntries(stopReasons),
      blocks: Object.fromEntries(blocks),
      toolCalls,
      humanTurns: turns.size + unnamedTurns + queue.result().size,
    }),
  };
}

/** The type as written; blank and unreadable lines under those names. */
export function typeName(entry: Entry): string {
  return entry.kind === 'unknown' ? (entry.head.type ?? 'unknown') : entry.kind;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
