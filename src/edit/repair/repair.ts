/** What bricks or truncates a session, found and mended, as parts of a new log (S8). Keeps all that can be kept. */
import type { Entry } from '../../format/entry.ts';
import { parseTimestamp } from '../../format/time.ts';
import type { BranchLine } from '../branch.ts';
import type { Part } from '../chain.ts';
import type { FreshUuid } from '../ids.ts';
import { isCarriedOver } from '../kinds.ts';
import type { Note } from '../log.ts';
import { pairLines } from './pairing.ts';
import { mendedParts } from './parts.ts';
import { withoutStalePins } from './pins.ts';
import { type Placed, placedLines } from './placed.ts';
import { relink } from './relink.ts';
import { salvage } from './salvage.ts';
import { sentIn } from './sound.ts';
import { refusedThinking, type Thinking } from './thinking.ts';

export interface RepairOptions {
  readonly freshUuid: FreshUuid;
  /** Whether a prompt without a parent is joined to what stands before it. */
  readonly rejoin?: boolean;
  readonly thinking?: Thinking;
}

export interface Repaired {
  readonly parts: readonly Part[];
  /** Entries that are not carried over. */
  readonly left: readonly Entry[];
  /** What was mended and why, line by line; empty when nothing had to be. */
  readonly findings: readonly Note[];
}

/** All entries of one file in file order. */
export function repair(entries: readonly Entry[], options: RepairOptions): Repaired {
  const saved = salvage(entries);
  const { placed, notes: links } = ordered(saved.entries, options);
  const { lines, sentFrom, left } = placed;
  const sent = sentIn(placed);
  const { parts, notes, empty } = mendedParts(lines, {
    pairing: pairLines(sent),
    sentFrom,
    isRefused: refusedThinking(sent, options.thinking ?? 'auto'),
    isSuspect: ({ kind }) => kind === 'user' || kind === 'assistant',
  });
  const findings = [...saved.notes, ...links, ...notes, ...envelopeNotes(lines)];
  return {
    parts: parts.filter(({ entry }) => entry === undefined || isCarriedOver(entry)),
    left: [...left, ...empty],
    findings: findings.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)),
  };
}

/**
 * The conversation with its links mended. Where lines of one uuid or several sessions are mixed up, mending may lead another
 * way than the client's: what a resume sees now must not be lost for it.
 */
function ordered(entries: readonly Entry[], options: RepairOptions): { placed: Placed; notes: readonly Note[] } {
  const linked = relink(entries, { freshUuid: options.freshUuid, rejoin: options.rejoin ?? true });
  const pins: Note[] = [];
  const placed = placedLines(withoutStalePins(linked.entries, pins));
  const notes = [...linked.notes, ...pins];
  if (notes.length === 0) return { placed, notes };
  const kept = new Set(sentIn(placed).map(keyOf));
  const asItWas = placedLines(entries);
  if (sentIn(asItWas).every((entry) => kept.has(keyOf(entry)))) return { placed, notes };
  const what = 'links between entries are damaged: laid out in one chain, as the newest client reads them';
  return { placed: asItWas, notes: [{ rule: 'E12', what, line: notes[0]?.line }] };
}

function keyOf({ line }: Entry): string {
  return `${line.number} ${line.start}`;
}

/** W1, R6: what the client must find around the content; the new log has it. */
function envelopeNotes(lines: readonly BranchLine[]): Note[] {
  const notes: Note[] = [];
  for (const { entry, linked } of lines) {
    const { kind, head, line } = entry;
    if (!linked || (kind !== 'user' && kind !== 'assistant')) continue;
    const note = (rule: string, what: string) => notes.push({ rule, what, line: line.number, uuid: head.uuid });
    if (head.timestamp === undefined || Number.isNaN(parseTimestamp(head.timestamp))) {
      note('W1', 'no time, without which clients do not find a conversation: it gets that of its neighbour');
    }
    if (head.type === undefined) note('W1', 'no type, without which clients pass over it: taken from its role');
    if (head.isSidechain) note('R6', 'marked as of a sub-agent, but the conversation goes through it: the mark goes');
  }
  return notes;
}
