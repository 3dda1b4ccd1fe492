/** What one session says about others (H1, H4): folded in one pass, small whatever the size of the file. */
import { blocksOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { createIdList, type IdList, toLine } from '../../format/idlist.ts';
import { asString, at, type Json } from '../../format/json.ts';
import { passingPrompt } from '../../format/prompt.ts';
import { fingerprint } from './fingerprint.ts';

export interface LineageFacts {
  /** The time of the first line that has one. A copy is opened later than its original, even where copied lines keep their times. */
  readonly opened?: string;
  /** Which client wrote: from the how manieth of the conversation's uuids on. */
  readonly versions: readonly { readonly version: string; readonly from: number }[];
  /** The parent that the first entry of the conversation names. */
  readonly firstParent?: string;
  /** What compactions say they follow (C1); may lie in another file. */
  readonly logicalParents: readonly string[];
  /** The last message that says it was copied, and from which session. */
  readonly fork?: { readonly sessionId: string; readonly uuid: string };
  /** Copies that got a uuid of their own: that uuid, then the one they were copied from, and so on. */
  readonly renamed: IdList;
  /** The first two prompts share a prompt id: `--fork-session` gives all it copies one (2.1.325). */
  readonly retold: boolean;
  /** Fingerprints of the plans proposed here, and of the plan this session was started with (H4). */
  readonly plans: readonly string[];
  readonly planContent?: string;
  /** How the conversation begins: the first prompt with its time, and the id of the first answer. Copies repeat both. */
  readonly openings: readonly string[];
}

export interface FactsBuilder {
  /** `position` counts the conversation's uuids before this entry, for entries of the conversation. */
  add(entry: Entry, position: number): void;
  addPrompt(entry: Entry): void;
  result(): LineageFacts;
}

const MESSAGES = new Set(['user', 'assistant']);

export function createFacts(): FactsBuilder {
  const versions: { version: string; from: number }[] = [];
  const logicalParents: string[] = [];
  const renamed = createIdList();
  const plans = createPlans();
  const promptIds: (string | undefined)[] = [];
  let opened: string | undefined;
  let first: Entry | undefined;
  let fork: { sessionId: string; uuid: string } | undefined;
  let prompted: string | undefined;
  let answered: string | undefined;

  function add(entry: Entry, position: number): void {
    const { head, kind } = entry;
    if (opened === undefined && head.timestamp !== undefined) opened = head.timestamp;
    if (head.uuid === undefined || head.isSidechain) return;
    if (MESSAGES.has(kind)) addMessage(entry, head.uuid, position);
    if (head.subtype === 'compact_boundary') {
      first ??= entry;
      if (head.logicalParentUuid !== undefined) logicalParents.push(head.logicalParentUuid);
    }
    const original = head.forkedFrom?.messageUuid;
    if (original === undefined || original === head.uuid) return;
    renamed.add(toLine(head.uuid));
    renamed.add(toLine(original));
  }

  function addMessage(entry: Entry, uuid: string, position: number): void {
    const { version, forkedFrom } = entry.head;
    first ??= entry;
    if (version !== undefined && version !== versions.at(-1)?.version) versions.push({ version, from: position });
    if (forkedFrom?.sessionId !== undefined) fork = { sessionId: forkedFrom.sessionId, uuid };
    if (entry.kind === 'assistant' && !entry.head.isApiErrorMessage) answered ??= entry.head.message?.id;
    if (promptIds.length === 0) plans.addOpening(entry);
    plans.add(entry);
  }

  return {
    add,
    addPrompt: (entry) => {
      if (promptIds.length === 0) prompted = promptMark(entry);
      if (promptIds.length < 2) promptIds.push(entry.head.promptId);
    },
    result: () => ({
      opened,
      versions,
      firstParent: first?.head.parentUuid ?? undefined,
      logicalParents,
      fork,
      renamed: renamed.result(),
      retold: promptIds[0] !== undefined && promptIds[0] === promptIds[1],
      ...plans.result(),
      openings: [prompted, answered].filter((mark) => mark !== undefined),
    }),
  };
}

function promptMark(entry: Entry): string | undefined {
  const { timestamp } = entry.head;
  return timestamp === undefined ? undefined : fingerprint(`${timestamp} ${passingPrompt(entry).text}`);
}

/** Plans are few: only the lines that hold one are loaded. */
function createPlans(): {
  addOpening(entry: Entry): void;
  add(entry: Entry): void;
  result(): Pick<LineageFacts, 'plans' | 'planContent'>;
} {
  const plans = new Set<string>();
  const calls = new Set<string>();
  let planContent: string | undefined;

  function note(plan: Json | undefined): void {
    const print = fingerprint(asString(plan) ?? '');
    if (print !== undefined) plans.add(print);
  }

  return {
    addOpening: (entry) => {
      if (entry.kind !== 'user' || planContent !== undefined) return;
      if (entry.head.blocks.some(({ type }) => type === 'tool_result')) return;
      planContent = fingerprint(asString(jsonOf(entry)?.planContent) ?? '');
    },
    add: (entry) => {
      for (const { name, id, toolUseId } of entry.head.blocks) {
        if (name === 'ExitPlanMode') {
          if (id !== undefined) calls.add(id);
          for (const block of blocksOf(jsonOf(entry) ?? {}))
            if (block.type === 'tool_use') note(at(block.input, 'plan'));
        } else if (toolUseId !== undefined && calls.has(toolUseId)) note(at(jsonOf(entry), 'toolUseResult', 'plan'));
      }
    },
    result: () => ({ plans: [...plans], planContent }),
  };
}
