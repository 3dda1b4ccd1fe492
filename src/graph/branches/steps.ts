/**
 * A conversation as steps (H3, E5): a prompt, or one message with its lines, its calls' results and all that the client
 * notes beside them. Several steps after one are branches; several entries inside one are not.
 */
import type { Entry } from '../../format/entry.ts';
import { hasExpansion, inputKind, isHumanTurnStart } from '../../format/prompt.ts';
import { isBoundary } from '../chain.ts';
import { type Links, NONE } from './links.ts';

/** Step 0 is where everything begins; it holds what stands before the first prompt. */
export const START = 0;

export interface Steps {
  /** By node. */
  readonly stepOf: Int32Array;
  readonly parent: readonly number[];
  /** The node that begins the step. */
  readonly first: readonly number[];
  /** The steps after it; a step that was taken into the one before has none, and no lines. */
  readonly children: readonly (readonly number[])[];
}

interface Draft {
  readonly stepOf: Int32Array;
  readonly parent: number[];
  readonly first: number[];
  readonly children: number[][];
  /** The message a step holds. */
  readonly message: (string | undefined)[];
  /** Steps after a step by the message they hold, where that was asked: lines of one message may hang on one parent. */
  readonly siblings: Map<number, Map<string | undefined, number>>;
}

/** `order` gives every parent before its children; `leaf` is the node a resume goes on from. */
export function stepsOf(links: Links, order: readonly number[], leaf: number): Steps {
  const { content, parent } = links;
  const draft: Draft = {
    stepOf: new Int32Array(content.length).fill(NONE),
    parent: [NONE],
    first: [NONE],
    children: [[]],
    message: [undefined],
    siblings: new Map(),
  };
  for (const node of order) {
    const entry = content[node];
    if (entry === undefined) continue;
    const above = parent[node] ?? NONE;
    const before = above === NONE ? START : (draft.stepOf[above] ?? START);
    draft.stepOf[node] =
      links.isAside(entry) || isBeside(entry) ? before : stepFor(draft, node, entry, before, content[above]);
  }
  absorbArtefacts(draft, content, draft.stepOf[leaf]);
  moveBeginnings(draft, links);
  return draft;
}

/** Never a step of its own: several of these after one entry are no rewind. */
function isBeside(entry: Entry): boolean {
  const { kind, head } = entry;
  if (isMessageLine(entry)) return false;
  if (kind === 'user') return head.isMeta || head.blocks.some(({ type }) => type === 'tool_result');
  return !isBoundary(entry);
}

function stepFor(draft: Draft, node: number, entry: Entry, before: number, above: Entry | undefined): number {
  if (!isMessageLine(entry)) return addStep(draft, node, before, undefined);
  const message = messageOf(entry);
  if (message === undefined) {
    // E4: without any id, lines that follow each other are one message.
    const goesOn = above?.kind === 'assistant' && messageOf(above) === undefined;
    return goesOn ? before : addStep(draft, node, before, undefined);
  }
  if (draft.message[before] === message) return before;
  return siblingWith(draft, before, message) ?? addStep(draft, node, before, message);
}

/** Most steps have one step after them, so that there is nothing to look for when it comes. */
function siblingWith({ children, message, siblings }: Draft, before: number, wanted: string): number | undefined {
  const steps = children[before] ?? [];
  if (steps.length === 0) return undefined;
  const known = siblings.get(before) ?? new Map<string | undefined, number>();
  if (known.size === 0) {
    siblings.set(before, known);
    for (const step of steps) known.set(message[step], step);
  }
  return known.get(wanted);
}

/** Also a line of a message whose type is not known. */
function isMessageLine({ kind, head }: Entry): boolean {
  return kind === 'assistant' || (kind === 'unknown' && head.message?.id !== undefined);
}

function messageOf({ head }: Entry): string | undefined {
  return head.message?.id ?? head.requestId;
}

function addStep(draft: Draft, node: number, before: number, message: string | undefined): number {
  const step = draft.parent.length;
  draft.parent.push(before);
  draft.first.push(node);
  draft.children.push([]);
  draft.message.push(message);
  draft.children[before]?.push(step);
  draft.siblings.get(before)?.set(message, step);
  return step;
}

/**
 * Where several steps follow one, those that lead nowhere and in which only the client spoke belong to the step before:
 * older clients go on from the caveat before a local command, which leaves the command itself aside. What a resume goes on
 * from is never taken in.
 */
function absorbArtefacts(draft: Draft, content: readonly Entry[], leaf: number | undefined): void {
  const into = new Map<number, number>();
  for (const [step, children] of draft.children.entries()) {
    if (children.length < 2) continue;
    draft.children[step] = children.filter((child) => {
      const local = localSteps(draft, content, child);
      if (leaf !== undefined && local?.includes(leaf)) return true;
      for (const each of local ?? []) into.set(each, step);
      return local === undefined;
    });
  }
  if (into.size === 0) return;
  for (const [node, step] of draft.stepOf.entries()) draft.stepOf[node] = into.get(step) ?? step;
  for (const step of into.keys()) draft.children[step] = [];
}

/** A step and what follows it to the end, when all of that is the client's doing. */
function localSteps(draft: Draft, content: readonly Entry[], start: number): number[] | undefined {
  const steps: number[] = [];
  for (let step: number | undefined = start; step !== undefined; ) {
    const [next, other]: number[] = draft.children[step] ?? [];
    const entry = content[draft.first[step] ?? NONE];
    const after = next === undefined ? undefined : content[draft.first[next] ?? NONE];
    if (other !== undefined || entry === undefined || !isLocal(entry, after)) return undefined;
    steps.push(step);
    step = next;
  }
  return steps;
}

/** Local commands with what they printed, interrupt marks, notifications, error messages: no model answered. */
function isLocal(entry: Entry, after: Entry | undefined): boolean {
  if (entry.kind === 'assistant') return entry.head.message?.model === '<synthetic>';
  if (entry.kind !== 'user') return false;
  const kind = inputKind(entry);
  if (kind === 'bash_input' || !isHumanTurnStart(kind)) return kind !== 'agent_prompt';
  if (kind === 'slash_command') return !hasExpansion(entry);
  // A command that the client refused is kept as it was typed.
  return after?.kind === 'user' && inputKind(after) === 'command_output';
}

/** What the client noted between a fork and the prompt after it, `/branch` itself for one, belongs to that branch alone. */
function moveBeginnings(draft: Draft, { content, parent }: Links): void {
  for (const [step, children] of draft.children.entries()) {
    if (children.length < 2) continue;
    const passed = new Map<number, number>();
    const climb = (child: number, each: (node: number) => boolean) => {
      let node = parent[draft.first[child] ?? NONE] ?? NONE;
      while (node !== NONE && draft.stepOf[node] === step && isBeginning(content[node]) && each(node)) {
        node = parent[node] ?? NONE;
      }
    };
    for (const child of children) climb(child, (node) => passed.set(node, (passed.get(node) ?? 0) + 1).get(node) === 1);
    for (const child of children) {
      climb(child, (node) => {
        if (passed.get(node) !== 1) return false;
        draft.first[child] = node;
        draft.stepOf[node] = child;
        return true;
      });
    }
  }
}

function isBeginning(entry: Entry | undefined): boolean {
  if (entry?.kind === 'system') return entry.head.subtype === 'local_command';
  return entry?.kind === 'user' && entry.head.isMeta;
}
