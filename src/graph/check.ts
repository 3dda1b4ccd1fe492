/** What is wrong with a session as a conversation: links that lead nowhere, calls without partners, shapes the API refuses. */
import { type Block, blocksOf } from '../format/content.ts';
import { type Entry, jsonOf } from '../format/entry.ts';
import type { Issue, Severity } from '../format/issue.ts';
import { chainOf, leafOf, walk } from './chain.ts';
import { context } from './context/context.ts';
import { flawOf } from './shapes.ts';
import { pairToolCalls } from './toolcalls.ts';
import { validate } from './validate.ts';

const CONVERSATION = new Set(['user', 'assistant', 'system', 'attachment']);
const LONGEST_TOOL_NAME = 200;

/** All entries of one file, in file order. Linear; loads one payload at a time. */
export function checkGraph(entries: readonly Entry[]): Issue[] {
  return [
    ...checkParents(entries),
    ...checkRoots(entries),
    ...checkCalls(entries),
    ...checkBlocks(entries),
    ...checkStart(entries),
    ...checkTimes(entries),
    ...checkResumed(entries),
  ];
}

function issue(rule: string, severity: Severity, entry: Entry, what: string, fix?: string): Issue {
  return {
    rule,
    severity,
    line: entry.line.number,
    uuid: entry.head.uuid,
    what,
    ...(fix === undefined ? {} : { fix }),
  };
}

/** E12, R6: parents that were never written, and circles. */
function checkParents(entries: readonly Entry[]): Issue[] {
  const byUuid = new Map<string, Entry>();
  for (const entry of entries) if (entry.head.uuid !== undefined) byUuid.set(entry.head.uuid, entry);
  const issues: Issue[] = [];
  for (const entry of entries) {
    const { parentUuid } = entry.head;
    if (typeof parentUuid !== 'string' || byUuid.has(parentUuid)) continue;
    issues.push(
      issue(
        'E12',
        'warning',
        entry,
        `its parent ${parentUuid} was never written: newer clients bridge the gap, older ones lose what is before`,
      ),
    );
  }
  return [...issues, ...findCycles(entries, byUuid)];
}

/** Each entry is walked over once: a walk ends where an earlier one has been. */
function findCycles(entries: readonly Entry[], byUuid: ReadonlyMap<string, Entry>): Issue[] {
  const walkOf = new Map<Entry, number>();
  const issues: Issue[] = [];
  for (const [walk, start] of entries.entries()) {
    let entry: Entry | undefined = start;
    while (entry !== undefined && !walkOf.has(entry)) {
      walkOf.set(entry, walk);
      const { parentUuid }: Entry['head'] = entry.head;
      const above: Entry | undefined = typeof parentUuid === 'string' ? byUuid.get(parentUuid) : undefined;
      if (above !== undefined && walkOf.get(above) === walk) {
        issues.push(
          issue('E12', 'error', entry, `its parents lead in a circle back to ${parentUuid}: older clients hang on it`),
        );
        break;
      }
      entry = above;
    }
  }
  return issues;
}

/** W2: a second root cuts off everything before it, unless the person went back to the very beginning. */
function checkRoots(entries: readonly Entry[]): Issue[] {
  const spoken = entries.filter(({ kind, head }) => CONVERSATION.has(kind) && !head.isSidechain);
  const [, ...later] = spoken;
  return later
    .filter(({ head }) => head.parentUuid === null && head.subtype !== 'compact_boundary')
    .map((entry) =>
      issue('W2', 'warning', entry, 'parentUuid is null in the middle: a resume sees nothing of what is before it'),
    );
}

/** A1–A3, E5: calls and results that do not pair. */
function checkCalls(entries: readonly Entry[]): Issue[] {
  const { calls, issues } = pairToolCalls(entries.filter(({ head }) => !head.isSidechain));
  const open = calls
    .filter(({ result }) => result === undefined)
    .map((call) =>
      issue(
        'A1',
        'info',
        call.use,
        `tool call ${call.id} (${call.name}) has no result: left out, or answered with an error, on resume`,
      ),
    );
  return [...issues, ...open];
}

/** A4, A5, A7: blocks the API refuses. */
function checkBlocks(entries: readonly Entry[]): Issue[] {
  return entries.flatMap((entry) => {
    const { head, kind } = entry;
    if ((kind !== 'assistant' && kind !== 'user') || head.isSidechain) return [];
    // A blank prompt in one string is no message; only blocks are sent one by one.
    if (head.contentForm !== 'array') return [];
    return blocksOf(jsonOf(entry) ?? {}).flatMap((block) => checkBlock(entry, kind, block) ?? []);
  });
}

function checkBlock(entry: Entry, role: 'user' | 'assistant', block: Block): Issue | undefined {
  if (block.type === 'text' && block.text.trim() === '') {
    const what = 'empty text block: clients before 2.1.91 send it and the API refuses';
    return issue('A4', 'warning', entry, what);
  }
  if (block.type === 'thinking' && block.signature === '') {
    return issue('A5', 'error', entry, 'thinking without a signature: the client sends it and the API refuses');
  }
  if (block.type === 'tool_use' && block.name.length > LONGEST_TOOL_NAME) {
    const what = `tool name of ${block.name.length} characters: the API refuses more than ${LONGEST_TOOL_NAME}`;
    return issue('A7', 'error', entry, what);
  }
  const flaw = flawOf(role, block.raw);
  return flaw === undefined ? undefined : issue('A4', 'warning', entry, `${flaw}: the API refuses it`);
}

/** A8: the conversation that a resume goes on with begins with an answer. */
function checkStart(entries: readonly Entry[]): Issue[] {
  const chain = chainOf(entries);
  const leaf = leafOf(chain);
  const path = leaf === undefined ? [] : walk(chain, leaf);
  const first = path.find(({ entry }) => entry.kind === 'user' || entry.kind === 'assistant');
  // Entries without a uuid (E15) have no order here.
  if (first?.entry.kind !== 'assistant' || first.entry.head.isSidechain || first.key === '') return [];
  return [
    issue('A8', 'warning', first.entry, 'the conversation begins with an answer: left out on resume, up to a prompt'),
  ];
}

/** A: what a resume by Skein would send. Nothing is ever wrong with that, unless Skein is. */
function checkResumed(entries: readonly Entry[]): Issue[] {
  return validate(context(entries, { prompt: 'x' }).messages).map(({ rule, severity, where, what }) => ({
    rule,
    severity,
    what: `${where} of the resumed conversation: ${what}`,
  }));
}

/** W1: the client does not find a conversation none of whose lines has a time. */
function checkTimes(entries: readonly Entry[]): Issue[] {
  const spoken = entries.filter(({ kind }) => kind === 'user' || kind === 'assistant');
  const [first] = spoken;
  if (first === undefined || spoken.some(({ head }) => head.timestamp !== undefined)) return [];
  return [issue('W1', 'error', first, 'no entry has a timestamp: the client says "No conversation found"')];
}
