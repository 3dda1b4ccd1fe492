/** The lines of a conversation as parts of a new log, each as the API takes it: the one way of slim, compress and repair. */
import { rawContentOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asArray, isObject, type JsonObject } from '../../format/json.ts';
import type { BranchLine } from '../branch.ts';
import type { Part } from '../chain.ts';
import type { Note } from '../log.ts';
import { madeUser } from '../made.ts';
import { mendLine, NOTHING } from './line.ts';
import { type BlockFates, mendContent, withContent } from './mend.ts';
import type { Answer, Pairing } from './pairing.ts';

export const LOST_RESULT = '[skein: the result of this call was not recorded]';
export const LOST_START = '[skein: what was said before this is lost]';

export interface MendOptions {
  readonly pairing: Pairing;
  /** The place of the first line that is sent. */
  readonly sentFrom: number;
  readonly isRefused?: BlockFates['isRefused'];
  /** Whether a line may turn out to be flawed, so that it has to be looked at now. */
  readonly isSuspect: (entry: Entry) => boolean;
}

export interface MendedParts {
  readonly parts: readonly Part[];
  readonly notes: readonly Note[];
  /** Lines of which nothing is left. */
  readonly empty: readonly Entry[];
}

export function mendedParts(lines: readonly BranchLine[], options: MendOptions): MendedParts {
  const moved = movedWhole(options.pairing);
  const notes: Note[] = [...options.pairing.notes];
  const parts: Part[] = [];
  const empty: Entry[] = [];
  let begun = false;
  for (const [place, { entry, linked }] of lines.entries()) {
    if (!linked) parts.push({ entry, linked });
    else if (!moved.has(entry)) {
      const look = options.isSuspect(entry) ? mendLine(entry, jsonOf(entry) ?? {}, fatesOf(entry, options)) : undefined;
      for (const { rule, what } of look?.flaws ?? []) notes.push(noteAt(entry, rule, what));
      if (look !== undefined && look.value === undefined) empty.push(entry);
      else {
        if (!begun && place >= options.sentFrom && isSpoken(entry)) {
          begun = true;
          if (entry.kind === 'assistant') parts.push(startPart(entry, notes));
        }
        parts.push({ entry, linked, change: changer(entry, options) });
      }
    }
    for (const answer of options.pairing.behind.get(entry) ?? []) parts.push(answerPart(answer, moved, options));
  }
  return { parts, notes, empty };
}

function isSpoken({ kind, head }: Entry): boolean {
  return (kind === 'user' || kind === 'assistant') && !head.isApiErrorMessage;
}

/** A8 */
function startPart(entry: Entry, notes: Note[]): Part {
  notes.push(
    noteAt(entry, 'A8', 'the conversation begins with an answer, which the API refuses: a line before it says so'),
  );
  return { made: madeUser(jsonOf(entry) ?? {}, LOST_START, { isMeta: true }), linked: true };
}

function noteAt({ line, head }: Entry, rule: string, what: string): Note {
  return { rule, what, line: line.number, uuid: head.uuid };
}

function fatesOf(entry: Entry, { pairing, isRefused }: MendOptions): BlockFates {
  return {
    without: pairing.without.get(entry),
    renamed: pairing.renamed.get(entry),
    orphans: pairing.orphans.get(entry),
    isRefused,
  };
}

function changer(entry: Entry, options: MendOptions): (value: JsonObject) => JsonObject {
  const fates = fatesOf(entry, options);
  return (value) => mendLine(entry, value, fates).value ?? withContent(value, NOTHING);
}

/** Lines that hold nothing but one result go to its place as they are. */
function movedWhole({ behind, without }: Pairing): Set<Entry> {
  const moved = new Set<Entry>();
  for (const answers of behind.values()) {
    for (const { from, call } of answers) {
      if (from === undefined) continue;
      if (call === undefined || (from.head.blocks.length === 1 && without.get(from)?.has(call))) moved.add(from);
    }
  }
  return moved;
}

function answerPart({ call, use, from }: Answer, moved: ReadonlySet<Entry>, options: MendOptions): Part {
  if (call === undefined) return { entry: from ?? use, linked: true, change: changer(from ?? use, options) };
  if (from !== undefined && moved.has(from)) {
    const change = changer(from, { ...options, pairing: { ...options.pairing, without: new Map() } });
    return { entry: from, linked: true, change };
  }
  const like = jsonOf(from ?? use) ?? {};
  const content = from === undefined ? [] : resultIn(like, call);
  if (content.length === 0)
    content.push({ type: 'tool_result', tool_use_id: call, content: LOST_RESULT, is_error: true });
  return { made: madeUser(like, content, { sourceToolAssistantUUID: use.head.uuid }), linked: true };
}

function resultIn(value: JsonObject, call: string): JsonObject[] {
  const blocks = asArray(mendContent('user', rawContentOf(value)).content) ?? [];
  return blocks.filter(isObject).filter((block) => block.type === 'tool_result' && block.tool_use_id === call);
}
