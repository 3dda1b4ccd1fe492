/**
 * What a list needs to know of one session, and what joins sessions to chats, folded from its entries in one pass
 * without keeping them.
 */
import { type Entry, jsonOf } from '../format/entry.ts';
import { inputKind, isHumanTurnStart, promptText } from '../format/prompt.ts';
import { typedOf } from '../format/typed.ts';

export interface Outline {
  readonly lines: number;
  /** Every session id written in the file, in order of first appearance (H1). */
  readonly sessionIds: readonly string[];
  /** The ids of the conversation's entries in file order, each once: what tells copies from originals (H2). */
  readonly uuids: readonly string[];
  /** The cwd most entries have; the path of the project (L2). */
  readonly cwd: string | undefined;
  readonly gitBranch: string | undefined;
  readonly versions: readonly string[];
  /** The model of the last answer. */
  readonly model: string | undefined;
  readonly started: string | undefined;
  readonly updated: string | undefined;
  readonly turns: number;
  readonly titles: Titles;
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

const CONVERSATION = new Set(['user', 'assistant', 'system', 'attachment']);

export function outlineOf(entries: Iterable<Entry>): Outline {
  const outline = createOutline();
  for (const entry of entries) outline.add(entry);
  return outline.result();
}

export function createOutline(): { add(entry: Entry): void; result(): Outline } {
  const sessionIds = new Set<string>();
  const uuids = new Set<string>();
  const versions = new Set<string>();
  const cwds = new Map<string, number>();
  const turnIds = new Set<string>();
  const titles: { custom?: string; ai?: string; agentName?: string; firstPrompt?: string } = {};
  const summaries: { text: string; leafUuid?: string }[] = [];
  let lines = 0;
  let gitBranch: string | undefined;
  let model: string | undefined;
  let started: string | undefined;
  let updated: string | undefined;

  function add(entry: Entry): void {
    const { head, kind } = entry;
    lines += 1;
    if (head.sessionId !== undefined) sessionIds.add(head.sessionId);
    if (head.uuid !== undefined && CONVERSATION.has(kind)) uuids.add(head.uuid);
    if (head.version !== undefined) versions.add(head.version);
    if (head.cwd !== undefined) cwds.set(head.cwd, (cwds.get(head.cwd) ?? 0) + 1);
    if (head.gitBranch !== undefined && head.gitBranch !== '') gitBranch = head.gitBranch;
    if (head.timestamp !== undefined && !Number.isNaN(Date.parse(head.timestamp))) {
      if (started === undefined || head.timestamp < started) started = head.timestamp;
      if (updated === undefined || head.timestamp > updated) updated = head.timestamp;
    }
    if (kind === 'assistant' && !head.isSidechain) model = realModel(head.message?.model) ?? model;
    if (kind === 'user') addPrompt(entry);
    else addTitle(entry);
  }

  function addPrompt(entry: Entry): void {
    if (entry.head.isSidechain || !isHumanTurnStart(inputKind(entry))) return;
    turnIds.add(entry.head.uuid ?? `line ${entry.line.number}`);
    titles.firstPrompt ??= promptText(entry);
  }

  function addTitle(entry: Entry): void {
    const { kind } = entry;
    if (kind !== 'custom-title' && kind !== 'ai-title' && kind !== 'agent-name' && kind !== 'summary') return;
    const json = jsonOf(entry) ?? {};
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
      uuids: [...uuids],
      cwd: mostFrequent(cwds),
      gitBranch,
      versions: [...versions],
      model,
      started,
      updated,
      turns: turnIds.size,
      titles: { ...titles, summaries },
    }),
  };
}

/** The best title: custom, the model's, a summary of this very conversation, the first prompt. */
export function titleOf(titles: Titles, ownUuids: ReadonlySet<string>): string | undefined {
  const summary = titles.summaries.findLast(({ leafUuid }) => leafUuid !== undefined && ownUuids.has(leafUuid));
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
