/** S1–S7: a session with less in its old turns, as parts of a new log. */
import { type Entry, jsonOf } from '../../format/entry.ts';
import type { BlockHead } from '../../format/head.ts';
import type { JsonObject } from '../../format/json.ts';
import { lazy } from '../../format/lazy.ts';
import { isBoundary } from '../../graph/chain.ts';
import type { BranchLine } from '../branch.ts';
import type { Part } from '../chain.ts';
import { isCarriedOver } from '../kinds.ts';
import type { Note } from '../log.ts';
import { mendLine, NOTHING } from '../repair/line.ts';
import { withContent } from '../repair/mend.ts';
import { type SoundOptions, sentIn, soundLines } from '../repair/sound.ts';
import type { TokenCounts } from '../tokens.ts';
import { createMeasure } from './measure.ts';
import { isAside, reduceLine } from './reduce.ts';
import { type CallRules, type Region, type Regions, regionsOf } from './regions.ts';
import type { SlimSettings } from './settings.ts';
import { lastCounted, savedOf, type Tokens, tokensOf, withLessUsage } from './usage.ts';

export interface SlimOptions extends SoundOptions {
  readonly settings: SlimSettings;
  readonly rules?: CallRules;
}

export interface SlimReport {
  /** What the context takes by kind: estimates. */
  readonly before: TokenCounts;
  readonly after: TokenCounts;
  readonly tokens: Tokens;
  /** Turns with tool calls, and how many of them are kept whole. */
  readonly turns: { readonly all: number; readonly whole: number };
  /** Calls that went with their results. */
  readonly removedCalls: number;
}

export interface Slimmed {
  readonly parts: readonly Part[];
  readonly left: readonly Entry[];
  readonly notes: readonly Note[];
  /** Complete once all lines have been written. */
  report(): SlimReport;
}

/** All entries of one file in file order. Payloads are read when the lines are written. */
export function slim(entries: readonly Entry[], { settings, rules = {}, ...source }: SlimOptions): Slimmed {
  const sound = soundLines(entries, source);
  const sent = new Set(sentIn(sound).filter(({ kind }) => kind !== 'progress'));
  const regions = regionsOf([...sent], settings, rules);
  const lines = keptLines(sound.lines, settings, regions);
  const kept = new Set(lines.map(({ entry }) => entry));
  const dropped = sound.lines.flatMap(({ entry }) => (kept.has(entry) ? [] : entry));
  const keptSent = [...sent].filter((entry) => kept.has(entry));
  const counted = lastCounted(keptSent);
  const early = earlyResults(keptSent);
  const reduction = { settings, regions, from: source.from, isEarly: (entry: Entry) => early.has(entry) };
  const measure = createMeasure();
  const countDropped = lazy(() => {
    for (const entry of dropped) if (sent.has(entry)) measure.add(entry, jsonOf(entry), undefined);
  });
  const estimate = () => {
    countDropped();
    return { before: measure.before(), after: measure.after() };
  };
  // Asked for at the last answer, when all that is before it has been written.
  const saved = lazy(() => savedOf(estimate(), counted.tokens));
  const change = (entry: Entry, value: JsonObject): JsonObject => {
    const mended = mendLine(entry, value).value ?? withContent(value, NOTHING);
    const now = reduceLine(entry, mended, reduction);
    if (sent.has(entry)) measure.add(entry, mended, now);
    return counted.lines.has(entry) ? withLessUsage(now, saved()) : now;
  };
  return {
    parts: lines.map(({ entry, linked }) =>
      linked ? { entry, linked, change: (value) => change(entry, value) } : { entry, linked },
    ),
    left: [...sound.left, ...dropped],
    notes: sound.notes,
    report: () => {
      const counts = estimate();
      return {
        ...counts,
        tokens: tokensOf(counts, counted.tokens),
        turns: regions.turns,
        removedCalls: regions.removed.size,
      };
    },
  };
}

/** Lines of which something stays. */
function keptLines(lines: readonly BranchLine[], settings: SlimSettings, regions: Regions): BranchLine[] {
  const kept: BranchLine[] = [];
  let region: Region = 'past';
  for (const line of lines) {
    const { entry, linked } = line;
    if (linked) region = regions.of(entry);
    const isOld = region === 'old' || region === 'past';
    const stays = !linked
      ? staysBeside(entry, isOld)
      : region === 'past'
        ? isSaid(entry)
        : staysLinked(entry, isOld, settings, regions);
    if (stays && isCarriedOver(entry)) kept.push(line);
  }
  return kept;
}

/** What a compaction replaced is not sent: what was said there stays, all else goes. */
function isSaid(entry: Entry): boolean {
  const { kind, head } = entry;
  if (kind === 'user' || kind === 'assistant') {
    return head.contentForm === 'string' || head.blocks.some(({ type }) => !isAside(type));
  }
  return isBoundary(entry) || head.subtype === 'local_command' || head.attachmentType === 'queued_command';
}

function staysLinked(entry: Entry, isOld: boolean, settings: SlimSettings, regions: Regions): boolean {
  const { kind, head } = entry;
  if (kind === 'progress') return false;
  if (kind === 'attachment') {
    return !isOld || settings.attachments === 'keep' || head.attachmentType === 'queued_command';
  }
  // What only the client shows: how long a turn took, errors it tried again after.
  if (kind === 'system') return !isOld || head.subtype === 'local_command' || isBoundary(entry);
  if (head.blocks.length === 0 || regions.stubs.has(entry)) return true;
  const losesThought = regions.losesCall(entry) || (isOld && settings.thinking === 'drop');
  const isGone = (block: BlockHead) => isRemoved(block, regions) || (isThought(block) && losesThought);
  return !head.blocks.every(isGone);
}

/** Sub-agents inside of the file, and entries of unknown kinds that hang on the conversation but are not sent. */
function staysBeside({ kind, head }: Entry, isOld: boolean): boolean {
  return head.isSidechain ? !isOld : !(kind === 'unknown' && head.uuid !== undefined);
}

function isRemoved({ type, id, toolUseId }: BlockHead, { removed }: Regions): boolean {
  return (type === 'tool_use' && removed.has(id ?? '')) || (type === 'tool_result' && removed.has(toolUseId ?? ''));
}

function isThought({ type }: BlockHead): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The last results of an open loop are what the model works with. */
const LAST_RESULTS = 5;

function earlyResults(sent: readonly Entry[]): Set<Entry> {
  const results = sent.filter(
    ({ kind, head }) => kind === 'user' && head.blocks.some(({ type }) => type === 'tool_result'),
  );
  return new Set(results.slice(0, -LAST_RESULTS));
}
