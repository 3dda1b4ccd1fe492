/**
 * What a list needs to know of one session, and what joins sessions to chats, folded from its entries in one pass
 * without keeping them.
 */
import { type Entry, jsonOf } from '../format/entry.ts';
import type { IdList } from '../format/idlist.ts';
import { createIds } from '../format/ids.ts';
import type { JsonObject } from '../format/json.ts';
import type { Kind } from '../format/kinds.ts';
import { hasExpansion, isHumanTurnStart, passingKind, passingPrompt, promptIn } from '../format/prompt.ts';
import { createQueuedPrompts } from '../format/queue.ts';
import { parseTimestamp } from '../format/time.ts';
import { typedOf } from '../format/typed.ts';
import { createFacts, type LineageFacts } from './lineage/facts.ts';

export interface Outline {
  readonly lines: number;
  /** Every session id written in the file, in order of first appearance (H1). */
  readonly sessionIds: readonly string[];
  /** The ids of what was said (user and assistant entries, no side chains) in file order, each once: what tells copies from originals (H2). */
  readonly uuids: IdList;
  /** The ids of system entries and attachments, which copies may lack. */
  readonly asides: IdList;
  /** The cwd most entries have; the path of the project (L2). */
  readonly cwd: string | undefined;
  /** Every cwd, in order of first appearance. */
  readonly cwds: readonly string[];
  readonly gitBranch: string | undefined;
  readonly versions: readonly string[];
  /** The model of the last answer. */
  readonly model: string | undefined;
  /** Every model that answered, in order of first appearance. */
  readonly models: readonly string[];
  readonly started: string | undefined;
  readonly updated: string | undefined;
  readonly turns: number;
  /** The prompts that have a uuid. */
  readonly turnUuids: readonly string[];
  /** What a person typed last. */
  readonly lastPrompt: string | undefined;
  /** Prompts that begin where another prompt began. */
  readonly rewinds: number;
  readonly compactions: number;
  /** Answers that were errors of the API. */
  readonly apiErrors: number;
  readonly titles: Titles;
  readonly lineage: LineageFacts;
}

/** Where a title can come from, best first. */
export interface Titles {
  readonly custom?: string;
  readonly ai?: string;
  readonly agentName?: string;
  /** Titles of whatever conversation holds the leaf, maybe in another file (E11). */
  readonly summaries: readonly { readonly text: string; readonly leafUuid?: string }[];
  readonly firstPrompt?: string;
}

/** Entries that may hold what a person typed (E7, E9). */
const PROMPTS = new Set<Kind>(['user', 'attachment', 'system']);
/** As much of a prompt as a title needs. */
const MAX_PROMPT = 500;

export function outlineOf(entries: Iterable<Entry>): Outline {
  const outline = createOutline();
  for (const entry of entries) outline.add(entry);
  return outline.result();
}

/** `json`: the whole of the entry where it is at hand, so that it is not read again. */
export function createOutline(): { add(entry: Entry, json?: JsonObject): void; result(): Outline } {
  const sessionIds = new Set<string>();
  const uuids = createIds();
  const asides = createIds();
  const facts = createFacts();
  const queued = createQueuedPrompts(passingPrompt);
  const versions = new Set<string>();
  const cwds = new Map<string, number>();
  const turnUuids = new Set<string>();
  let unnamedTurns = 0;
  const titles: { custom?: string; ai?: string; agentName?: string; firstPrompt?: string } = {};
  const summaries: { text: string; leafUuid?: string }[] = [];
  let firstCommand: string | undefined;
  let lines = 0;
  let gitBranch: string | undefined;
  let model: string | undefined;
  let lastPrompt: string | undefined;
  let rewinds = 0;
  let compactions = 0;
  let apiErrors = 0;
  const models = new Set<string>();
  const beginnings = new Set<string>();
  let started: string | undefined;
  let updated: string | undefined;

  function add(entry: Entry, whole?: JsonObject): void {
    const { head, kind } = entry;
    lines += 1;
    if (head.sessionId !== undefined) sessionIds.add(head.sessionId);
    facts.add(entry, uuids.size);
    queued.add(entry);
    if (head.uuid !== undefined && !head.isSidechain) {
      if (kind === 'user' || kind === 'assistant') uuids.add(head.uuid);
      else if (kind === 'system' || kind === 'attachment') asides.add(head.uuid);
    }
    if (head.version !== undefined) versions.add(head.version);
    if (head.cwd !== undefined) cwds.set(head.cwd, (cwds.get(head.cwd) ?? 0) + 1);
    if (head.gitBranch !== undefined && head.gitBranch !== '') gitBranch = head.gitBranch;
    if (head.timestamp !== undefined && !Number.isNaN(parseTimestamp(head.timestamp))) {
      if (started === undefined || head.timestamp < started) started = head.timestamp;
      if (updated === undefined || head.timestamp > updated) updated = head.timestamp;
    }
    if (kind === 'assistant' && !head.isSidechain) addAnswer(entry);
    if (kind === 'system' && head.subtype === 'compact_boundary' && !head.isSidechain) compactions += 1;
    if (PROMPTS.has(kind)) addPrompt(entry, whole);
    else addTitle(entry, whole);
  }

  function addAnswer({ head }: Entry): void {
    const answered = realModel(head.message?.model);
    if (answered !== undefined) models.add(answered);
    model = answered ?? model;
    if (head.isApiErrorMessage) apiErrors += 1;
  }

  function addPrompt(entry: Entry, whole?: JsonObject): void {
    const kind = entry.head.isSidechain ? 'none' : passingKind(entry, whole);
    if (!isHumanTurnStart(kind)) return;
    const { uuid, parentUuid } = entry.head;
    if (parentUuid && uuid !== undefined && !turnUuids.has(uuid)) {
      if (beginnings.has(parentUuid)) rewinds += 1;
      beginnings.add(parentUuid);
    }
    if (uuid === undefined) unnamedTurns += 1;
    else turnUuids.add(uuid);
    facts.addPrompt(entry);
    const { text } = whole === undefined ? passingPrompt(entry) : promptIn(entry, whole);
    const typed = wholeWords(text) || undefined;
    lastPrompt = typed ?? lastPrompt;
    // A conversation is better known by its first question than by the /clear before it.
    const isCommand = kind === 'bash_input' || (kind === 'slash_command' && !hasExpansion(entry));
    if (isCommand) firstCommand ??= typed;
    else titles.firstPrompt ??= typed;
  }

  function addTitle(entry: Entry, whole?: JsonObject): void {
    const { kind } = entry;
    if (kind !== 'custom-title' && kind !== 'ai-title' && kind !== 'agent-name' && kind !== 'summary') return;
    const json = whole ?? jsonOf(entry) ?? {};
    if (kind === 'custom-title') titles.custom = typedOf(kind, json).title ?? titles.custom;
    else if (kind === 'ai-title') titles.ai = typedOf(kind, json).title ?? titles.ai;
    else if (kind === 'agent-name') titles.agentName = typedOf(kind, json).name ?? titles.agentName;
    else {
      const { summary, leafUuid } = typedOf(kind, json);
      if (summary !== undefined) summaries.push({ text: summary, leafUuid });
    }
  }

  return {
    add,
    result: () => ({
      lines,
      sessionIds: [...sessionIds],
      uuids: uuids.result(),
      asides: asides.result(),
      cwd: mostFrequent(cwds),
      cwds: [...cwds.keys()],
      gitBranch,
      versions: [...versions],
      model,
      models: [...models],
      started,
      updated,
      turns: turnUuids.size + unnamedTurns + queued.result().size,
      turnUuids: [...turnUuids],
      lastPrompt,
      rewinds,
      compactions,
      apiErrors,
      titles: { ...titles, firstPrompt: titles.firstPrompt ?? firstCommand, summaries },
      lineage: facts.result(),
    }),
  };
}

/** Cut between words: half a secret would not be known as one. */
function wholeWords(text: string): string {
  if (text.length <= MAX_PROMPT) return text;
  const end = text.slice(0, MAX_PROMPT + 1).search(/\s\S*$/);
  return text.slice(0, end > 0 ? end : MAX_PROMPT);
}

/** What 1.0.x took for the title when its side request failed. */
const FAILED_TITLE = /^(?:Invalid API key|API Error|Credit balance is too low|Prompt is too long)/;

/** The best title: custom, the model's, a summary of this very conversation, the first prompt. */
export function titleOf(titles: Titles, ownUuids: ReadonlySet<string>): string | undefined {
  const summary = titles.summaries.findLast(
    ({ leafUuid, text }) => leafUuid !== undefined && ownUuids.has(leafUuid) && !FAILED_TITLE.test(text),
  );
  const title = titles.custom ?? titles.ai ?? summary?.text ?? titles.firstPrompt ?? titles.agentName;
  const oneLine = title?.replace(/\s+/g, ' ').trim();
  return oneLine === '' ? undefined : oneLine;
}

function realModel(model: string | undefined): string | undefined {
  return model === undefined || model.startsWith('<') ? undefined : model;
}

function mostFrequent(counts: ReadonlyMap<string, number>): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const [value, count] of counts) {
    if (count > most) {
      most = count;
      best = value;
    }
  }
  return best;
}
