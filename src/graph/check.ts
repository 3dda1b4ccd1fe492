/** What is wrong with a session as a conversation: links that lead nowhere, calls without partners, shapes the API refuses. */
import type { Entry } from '../format/entry.ts';
import { createIds, type Ids } from '../format/ids.ts';
import type { Issue } from '../format/issue.ts';
import type { JsonObject } from '../format/json.ts';
import { chainOf, leafOf, pinnedLeaf, walk } from './chain.ts';
import { checkBlocks } from './check/blocks.ts';
import { createCallCheck } from './check/calls.ts';
import { issueAt } from './check/issue.ts';
import { createPartFinder } from './check/lastpart.ts';
import { createLog } from './check/log.ts';
import { checkCircles, checkParents, findCircles } from './check/parents.ts';
import { withShortTexts } from './check/shorttexts.ts';
import { context } from './context/context.ts';
import { isConversation, timeOf } from './context/node.ts';
import { validate } from './validate.ts';

export interface GraphCheck {
  /** With the whole object where it is at hand. */
  add(entry: Entry, json?: JsonObject): void;
  /** After the last entry: reads those again that it has to look at together. */
  result(): Issue[];
}

/** All entries of one file, in file order. */
export function checkGraph(entries: Iterable<Entry>): Issue[] {
  const check = createGraphCheck();
  for (const entry of entries) check.add(entry);
  return check.result();
}

/** Takes the entries of one file as they pass by. Linear; keeps some numbers of each entry and loads one payload at a time. */
export function createGraphCheck(ids: Ids = createIds()): GraphCheck {
  const log = createLog(ids);
  const calls = createCallCheck(log);
  const parts = createPartFinder(log);
  const roots = createRootCheck();
  const times = createTimeCheck();
  const refused: Issue[] = [];
  return {
    add(entry, json) {
      const index = log.size;
      log.add(entry);
      calls.add(entry, index);
      parts.add(entry, index);
      roots.add(entry);
      times.add(entry);
      refused.push(...checkBlocks(entry, json));
    },
    result() {
      const circles = findCircles(log);
      const missing = [...checkParents(log), ...checkCircles(log, circles)];
      const paired = calls.result();
      const part = parts.result(circles);
      return [
        ...missing,
        ...roots.result(),
        ...paired,
        ...refused,
        ...checkStart(part),
        ...checkPin(part),
        ...times.result(),
        ...checkResumed(part),
      ];
    },
  };
}

/** W2: a second root cuts off everything before it, unless the person went back to the very beginning. */
function createRootCheck(): GraphCheck {
  const issues: Issue[] = [];
  let begun = false;
  return {
    add(entry) {
      if (!isConversation(entry) || entry.head.isSidechain) return;
      if (begun && entry.head.parentUuid === null && entry.head.subtype !== 'compact_boundary') {
        const what = 'parentUuid is null in the middle: a resume sees nothing of what is before it';
        issues.push(issueAt(entry, 'W2', 'warning', what));
      }
      begun = true;
    },
    result: () => issues,
  };
}

const NOT_FOUND = 'the client says "No conversation found"';

/** W1: the client does not find a conversation that is only a summary, or none of whose lines has a time. */
function createTimeCheck(): GraphCheck {
  let first: Entry | undefined;
  let spoken: Entry | undefined;
  // What is of no known type may say something.
  let mayTalk = false;
  let isStamped = false;
  let isTimed = false;
  return {
    add(entry) {
      // Files where nothing was said yet are left by the client too, but it sums up none of them.
      if (entry.kind === 'summary') first ??= entry;
      mayTalk ||= isConversation(entry) || entry.kind === 'unknown' || entry.kind === 'unreadable';
      if (entry.kind !== 'user' && entry.kind !== 'assistant') return;
      spoken ??= entry;
      isStamped ||= entry.head.timestamp !== undefined;
      isTimed ||= timeOf(entry) !== Number.NEGATIVE_INFINITY;
    },
    result() {
      if (!mayTalk && first) return [issueAt(first, 'W1', 'warning', `a summary, and nothing was said: ${NOT_FOUND}`)];
      if (spoken === undefined || isTimed) return [];
      const what = isStamped ? 'no timestamp is a time' : 'no entry has a timestamp';
      return [issueAt(spoken, 'W1', 'error', `${what}: ${NOT_FOUND}`)];
    },
  };
}

/** R4: the client goes on from what the newest last-prompt pins, but not from a side chain. */
function checkPin(entries: readonly Entry[]): Issue[] {
  const pinned = pinnedLeaf(chainOf(entries));
  if (!pinned?.entry.head.isSidechain) return [];
  return [issueAt(pinned.entry, 'R4', 'error', `the newest last-prompt pins a sub-agent's entry: ${NOT_FOUND}`)];
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
    issueAt(first.entry, 'A8', 'warning', 'the conversation begins with an answer: left out on resume, up to a prompt'),
  ];
}

/** More than any model is sent; cutting texts takes longer than reading them. */
const LONG_BYTES = 16 << 20;

function isLong(entries: readonly Entry[]): boolean {
  const [first, last] = [entries[0], entries.at(-1)];
  return first !== undefined && last !== undefined && last.line.end - first.line.start > LONG_BYTES;
}

/** A: what a resume by Skein would send. Nothing is ever wrong with that, unless Skein is. */
function checkResumed(entries: readonly Entry[]): Issue[] {
  return validate(context(isLong(entries) ? withShortTexts(entries) : entries, { prompt: 'x' }).messages).map(
    ({ rule, severity, where, what }) => ({
      rule,
      severity,
      what: `${where} of the resumed conversation: ${what}`,
    }),
  );
}
