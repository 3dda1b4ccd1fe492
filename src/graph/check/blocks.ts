/** A4, A5, A7: blocks the API refuses. */
import { type Block, blocksOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import type { Issue } from '../../format/issue.ts';
import type { JsonObject } from '../../format/json.ts';
import { flawOf } from '../shapes.ts';
import { issueAt } from './issue.ts';

const LONGEST_TOOL_NAME = 200;

/** Loads the payload unless it is at hand. */
export function checkBlocks(entry: Entry, json?: JsonObject): Issue[] {
  const { head, kind } = entry;
  if ((kind !== 'assistant' && kind !== 'user') || head.isSidechain) return [];
  // A blank prompt in one string is no message; only blocks are sent one by one.
  if (head.contentForm !== 'array') return [];
  return blocksOf(json ?? jsonOf(entry) ?? {}).flatMap((block) => checkBlock(entry, kind, block) ?? []);
}

function checkBlock(entry: Entry, role: 'user' | 'assistant', block: Block): Issue | undefined {
  if (block.type === 'text' && block.text.trim() === '') {
    const what = 'empty text block: clients before 2.1.91 send it and the API refuses';
    return issueAt(entry, 'A4', 'warning', what);
  }
  if (block.type === 'thinking' && block.signature === '') {
    return issueAt(entry, 'A5', 'error', 'thinking without a signature: the client sends it and the API refuses');
  }
  if (block.type === 'tool_use' && block.name.length > LONGEST_TOOL_NAME) {
    const what = `tool name of ${block.name.length} characters: the API refuses more than ${LONGEST_TOOL_NAME}`;
    return issueAt(entry, 'A7', 'error', what);
  }
  const flaw = flawOf(role, block.raw);
  return flaw === undefined ? undefined : issueAt(entry, 'A4', 'warning', `${flaw}: the API refuses it`);
}
