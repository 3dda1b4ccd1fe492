/** What a session holds, counted: the table people make first when they look into a folder of transcripts. */
import type { Entry } from './entry.ts';
import { inputKind, isHumanTurnStart } from './prompt.ts';

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
export function createInventory(): { add(entry: Entry): void; result(): Inventory } {
  const types = new Map<string, number>();
  const versions = new Set<string>();
  const stopReasons = new Map<string, number>();
  const blocks = new Map<string, number>();
  const toolUses = new Set<string>();
  const turns = new Set<string>();
  let lines = 0;
  let unnamedCalls = 0;
  let unnamedTurns = 0;

  function add(entry: Entry): void {
    const { head, kind } = entry;
    lines += 1;
    count(types, typeName(entry));
    if (head.version !== undefined) versions.add(head.version);
    if (kind !== 'user' && kind !== 'assistant') return;
    if (kind === 'assistant') count(stopReasons, head.message?.stopReason ?? 'null');
    for (const block of head.blocks) {
      count(blocks, block.type);
      if (block.type !== 'tool_use') continue;
      if (block.id === undefined) unnamedCalls += 1;
      else toolUses.add(block.id);
    }
    // A line written twice is one turn and one call.
    if (kind === 'user' && isHumanTurnStart(inputKind(entry))) {
      if (head.uuid === undefined) unnamedTurns += 1;
      else turns.add(head.uuid);
    }
  }

  return {
    add,
    result: () => ({
      lines,
      types: Object.fromEntries(types),
      versions: [...versions],
      stopReasons: Object.fromEntries(stopReasons),
      blocks: Object.fromEntries(blocks),
      toolCalls: toolUses.size + unnamedCalls,
      humanTurns: turns.size + unnamedTurns,
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
