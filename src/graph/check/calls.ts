/** A1–A3, E5: calls and results that do not pair. */
import type { Entry } from '../../format/entry.ts';
import type { BlockHead } from '../../format/head.ts';
import type { Issue } from '../../format/issue.ts';
import { createNumbers } from '../../format/numbers.ts';
import { pairToolCalls } from '../toolcalls.ts';
import type { Log } from './log.ts';

export interface CallCheck {
  /** The entry at a place of the log. */
  add(entry: Entry, index: number): void;
  result(): Issue[];
}

/**
 * Pairing goes by id, so that a call that was made once and answered once has nothing to say, and need not be kept. All
 * others are read again and paired in full.
 */
export function createCallCheck(log: Log): CallCheck {
  const { ids } = log;
  // By number of an id: none, one or more.
  const uses = createNumbers(0, 'byte');
  const results = createNumbers(0, 'byte');
  // Who names an id: entries and ids side by side.
  const entries = createNumbers(0);
  const named = createNumbers(0);

  function isOdd(id: number): boolean {
    return uses.get(id) !== 1 || results.get(id) !== 1;
  }

  function count(block: BlockHead, kind: Entry['kind'], index: number): void {
    const { id, toolUseId } = block;
    const isCall = block.type === 'tool_use' && kind === 'assistant';
    const isAnswer = block.type === 'tool_result';
    if (isCall && id) note(id, uses, index);
    else if (isAnswer && toolUseId) note(toolUseId, results, index);
    else if (id !== undefined || toolUseId !== undefined || block.type.includes('tool')) {
      for (const odd of [id ?? '', toolUseId ?? '']) {
        note(odd, uses, index);
        note(odd, uses, index);
      }
    }
  }

  function note(text: string, counts: typeof uses, index: number): void {
    const id = ids.add(text);
    counts.set(id, Math.min(2, counts.get(id) + 1));
    entries.push(index);
    named.push(id);
  }

  /** An entry with those of its blocks that are not plainly paired. */
  function oddPart(entry: Entry): Entry {
    const blocks = entry.head.blocks.filter((block) => {
      if (block.type === 'tool_use') return isOdd(ids.find(block.id ?? ''));
      return block.type !== 'tool_result' || isOdd(ids.find(block.toolUseId ?? ''));
    });
    return { ...entry, head: { ...entry.head, blocks } };
  }

  return {
    add(entry, index) {
      if (entry.head.isSidechain || (entry.kind !== 'assistant' && entry.kind !== 'user')) return;
      for (const block of entry.head.blocks) count(block, entry.kind, index);
    },
    result() {
      const odd = new Set<number>();
      for (let i = 0; i < named.length; i += 1) if (isOdd(named.get(i))) odd.add(entries.get(i));
      const read = [...odd].flatMap((index) => log.entryAt(index) ?? []);
      const { calls, issues } = pairToolCalls(read.map(oddPart));
      const open = calls.filter(({ result }) => result === undefined);
      return [
        ...issues,
        ...open.map(({ id, name, use }): Issue => {
          const what = `tool call ${id} (${name}) has no result: left out, or answered with an error, on resume`;
          return { rule: 'A1', severity: 'info', line: use.line.number, uuid: use.head.uuid, what };
        }),
      ];
    },
  };
}
