/** Old turns become a summary, written as a compaction that the client takes for its own (C1, S6). */
import { type Entry, jsonOf } from '../../format/entry.ts';
import type { JsonObject } from '../../format/json.ts';
import { lazy } from '../../format/lazy.ts';
import { turnsOf } from '../../graph/turns.ts';
import type { Turn } from '../../graph/types.ts';
import type { BranchLine } from '../branch.ts';
import type { Part } from '../chain.ts';
import { isCarriedOver } from '../kinds.ts';
import type { Note } from '../log.ts';
import { madeLine, madeUser } from '../made.ts';
import { mendLine, NOTHING } from '../repair/line.ts';
import { withContent } from '../repair/mend.ts';
import { type SoundOptions, sentIn, soundLines } from '../repair/sound.ts';
import { createMeasure } from '../slim/measure.ts';
import { lastCounted, savedOf, type Tokens, tokensOf, withLessUsage } from '../slim/usage.ts';
import { type TokenCounts, tokensOfText, totalOf } from '../tokens.ts';
import { summaryOf, titleOf } from './summary.ts';

export interface CompressOptions extends SoundOptions {
  /** How many turns at the end stay as they are; at least one, since 2.1.29 drops a summary that nothing follows. */
  readonly keep: number;
  /** Tell each tool call, without its result. */
  readonly tools: boolean;
  readonly title?: string;
  /** What a model says of the old turns, instead of what is taken from them. */
  readonly summary?: string;
}

export interface CompressReport {
  readonly turns: { readonly summarized: number; readonly kept: number };
  /** What the context takes by kind: estimates. */
  readonly before: TokenCounts;
  readonly after: TokenCounts;
  readonly tokens: Tokens;
}

export interface Compressed {
  readonly parts: readonly Part[];
  readonly left: readonly Entry[];
  readonly notes: readonly Note[];
  /** Complete once all lines have been written. */
  report(): CompressReport;
}

/** All entries of one file in file order. Undefined when nothing is older than what is to be kept. */
export function compress(entries: readonly Entry[], options: CompressOptions): Compressed | undefined {
  const { sound, sent, turns, old, kept } = cutSession(entries, options);
  const last = old.at(-1)?.entries.at(-1);
  if (last === undefined) return undefined;
  const text = summaryOf(old, options);
  const recorded = lastCounted(sent).tokens;
  const measured = measureOf(old, text, kept, recorded);
  const change = (entry: Entry) => (value: JsonObject) => {
    const now = mendLine(entry, value).value ?? withContent(value, NOTHING);
    return measured.add(entry, now);
  };
  const beside = sound.lines.filter(staysBeside);
  const like = jsonOf(last) ?? {};
  const leaf = kept.at(-1)?.head.uuid;
  const carried = new Set([...kept, ...beside.map(({ entry }) => entry)]);
  return {
    parts: [
      ...compaction(like, text, recorded ?? totalOf(measured.before())),
      ...kept.map((entry) => ({ entry, linked: true, change: change(entry) })),
      ...beside,
      ...titleParts(options.title ?? titleOf(turns), leaf),
    ],
    left: [...sound.left, ...sound.lines.flatMap(({ entry }) => (carried.has(entry) ? [] : entry))],
    notes: sound.notes,
    report: () => {
      const counts = { before: measured.before(), after: measured.after() };
      return {
        ...counts,
        turns: { summarized: old.filter(isTyped).length, kept: turns.length - old.length },
        tokens: tokensOf(counts, recorded),
      };
    },
  };
}

/** The turns that become a summary. */
export function oldTurns(entries: readonly Entry[], options: SoundOptions & Pick<CompressOptions, 'keep'>): Turn[] {
  return cutSession(entries, options).old;
}

function cutSession(entries: readonly Entry[], options: SoundOptions & Pick<CompressOptions, 'keep'>) {
  const sound = soundLines(entries, options);
  const sent = sentIn(sound)
    .filter(({ kind }) => kind !== 'progress')
    .map(asMain);
  const turns = turnsOf(sent);
  return { sound, sent, turns, ...cutTurns(turns, sent, Math.max(1, options.keep)) };
}

/** How many turns a resume still sends: those before a compaction are in its summary. */
export function turnsInContext(entries: readonly Entry[], options: SoundOptions): number {
  return turnsOf(sentIn(soundLines(entries, options))).filter(isTyped).length;
}

/** What is sent was said in the conversation, also where a damaged copy says that a sub-agent did. */
function asMain(entry: Entry): Entry {
  return entry.head.isSidechain ? { ...entry, head: { ...entry.head, isSidechain: false } } : entry;
}

function isTyped({ kind }: Turn): boolean {
  return kind !== 'none';
}

/** Between two turns, where no call stands on one side and its result on the other. */
function cutTurns(turns: readonly Turn[], sent: readonly Entry[], keep: number): { old: Turn[]; kept: Entry[] } {
  for (let count = turns.length - keep; count > 0; count -= 1) {
    const old = turns.slice(0, count);
    const gone = new Set(old.flatMap((turn) => turn.entries));
    const kept = sent.filter((entry) => !gone.has(entry));
    const calls = new Set(
      [...gone].flatMap(({ head }) => head.blocks.flatMap(({ type, id }) => (type === 'tool_use' ? (id ?? []) : []))),
    );
    const isParted = kept.some(({ head }) => head.blocks.some(({ toolUseId }) => toolUseId && calls.has(toolUseId)));
    if (!isParted && old.some(isTyped)) return { old, kept };
  }
  return { old: [], kept: [...sent] };
}

interface Measured {
  add(entry: Entry, value: JsonObject): JsonObject;
  before(): TokenCounts;
  after(): TokenCounts;
}

function measureOf(old: readonly Turn[], text: string, kept: readonly Entry[], recorded: number | undefined): Measured {
  const measure = createMeasure();
  const counted = lastCounted(kept);
  for (const { entries } of old) for (const entry of entries) measure.add(entry, jsonOf(entry), undefined);
  const after = () => {
    const counts = measure.after();
    return { ...counts, prompts: counts.prompts + tokensOfText(text) };
  };
  // Asked for at the last answer, when all that is before it has been written.
  const saved = lazy(() => savedOf({ before: measure.before(), after: after() }, recorded));
  return {
    add: (entry, value) => {
      measure.add(entry, value, value);
      return counted.lines.has(entry) ? withLessUsage(value, saved()) : value;
    },
    before: measure.before,
    after,
  };
}

/** C1 */
function compaction(like: JsonObject, text: string, preTokens: number): Part[] {
  const boundary = madeLine(like, {
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    isMeta: false,
    level: 'info',
    compactMetadata: { trigger: 'manual', preTokens },
  });
  const summary = madeUser(like, text, { isVisibleInTranscriptOnly: true, isCompactSummary: true });
  return [boundary, summary].map((made) => ({ made, linked: true }));
}

/** The title of a session that has none of its own (E11). */
function titleParts(title: string | undefined, leafUuid: string | undefined): Part[] {
  return title === undefined || leafUuid === undefined
    ? []
    : [{ made: { type: 'summary', summary: title, leafUuid }, linked: false }];
}

/** Titles and the like; sub-agents inside of the file and earlier titles go with their turns. */
function staysBeside({ entry, linked }: BranchLine): boolean {
  const { kind, head } = entry;
  return !linked && isCarriedOver(entry) && !head.isSidechain && head.uuid === undefined && kind !== 'summary';
}
