/** Each agent to its call, the surest evidence first; a call that has an agent is not given to another by guess. */
import type { Entry } from '../../format/entry.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import { compareTimes } from '../compare.ts';
import type { Sure } from '../sure.ts';
import { millisOf } from '../time.ts';
import type { ToolCall } from '../types.ts';
import { beginningOf, type Call, type Evidence, MAIN, type Owner, promptOfCall } from './evidence.ts';

/** What attached an agent; `folder` is all that is known of one without a call. */
export type AgentLink =
  | 'meta'
  | 'toolUseResult'
  | 'progress'
  | 'notification'
  | 'prompt'
  | 'resume'
  | 'time'
  | 'folder';

export interface Candidate {
  readonly agentId: string;
  readonly file?: string;
  readonly entries: readonly Entry[];
  readonly meta?: JsonObject;
  /** Where its transcript was found: a file of its own, the session's file (1.0.x), or copies in progress entries (E18). */
  readonly from: 'file' | 'inline' | 'progress';
  /** The call that its progress is reported to. */
  readonly toolUseId?: string;
  readonly prompt?: string;
  readonly warmup: boolean;
}

export interface Attachment {
  readonly owner: Owner;
  /** The call that started it first; none when only the parent is known. */
  readonly calls: readonly ToolCall[];
  readonly how: AgentLink;
  readonly sure: Sure;
}

export function attach(candidates: readonly Candidate[], evidence: Evidence): (Attachment | undefined)[] {
  const found = candidates.map((candidate, index) => named(candidate, index, evidence));
  const taken = new Set(found.flatMap((attachment) => attachment?.calls.map(({ id }) => id) ?? []));
  const free = new Set(evidence.launches.filter(({ call }) => !taken.has(call.id)));
  byPrompt(candidates, found, free);
  byResume(candidates, found, evidence);
  byParent(candidates, found);
  byTime(candidates, found, free);
  cutCycles(found);
  return found;
}

function named({ agentId, meta, toolUseId }: Candidate, index: number, evidence: Evidence): Attachment | undefined {
  const said = evidence.byAgentId.get(agentId)?.filter(({ owner }) => owner !== index) ?? [];
  const link = (sign: Call | undefined, how: AgentLink): Attachment | undefined => {
    if (sign === undefined || sign.owner === index) return undefined;
    return toAttachment([sign, ...said.filter(({ call }) => call.id !== sign.call.id)], how, 'certain');
  };
  const [first] = said;
  const isResult = first?.call.result?.head.result?.agentId === agentId;
  const told = evidence.notifications.get(agentId)?.toolUseId;
  return (
    link(evidence.byCallId.get(asString(meta?.toolUseId) ?? ''), 'meta') ??
    link(first, isResult ? 'toolUseResult' : 'progress') ??
    link(evidence.byCallId.get(toolUseId ?? ''), 'progress') ??
    link(evidence.byCallId.get(told ?? ''), 'notification')
  );
}

/** The earliest call started it; the others took it up again, whatever order they were found in. */
function toAttachment(calls: readonly Call[], how: AgentLink, sure: Sure): Attachment | undefined {
  const sorted = calls.toSorted((a, b) => compareTimes(a.call.started, b.call.started));
  const [first] = sorted;
  return first && { owner: first.owner, calls: sorted.map(({ call }) => call), how, sure };
}

/** A call that goes on with an agent did not start it, but where nothing else is known it tells whose the agent is. */
function byResume(candidates: readonly Candidate[], found: (Attachment | undefined)[], evidence: Evidence): void {
  for (const [index, { agentId }] of candidates.entries()) {
    const calls = evidence.takenUp.get(agentId)?.filter(({ owner }) => owner !== index) ?? [];
    const known = found[index];
    if (calls.length === 0) continue;
    found[index] = known
      ? { ...known, calls: [...known.calls, ...calls.map(({ call }) => call)] }
      : toAttachment(calls, 'resume', 'likely');
  }
}

/** Calls and agents with the same prompt are paired in order. */
function byPrompt(candidates: readonly Candidate[], found: (Attachment | undefined)[], free: Set<Call>): void {
  const waiting = new Map<string, Call[]>();
  if (!candidates.some(({ prompt }, index) => found[index] === undefined && prompt)) return;
  for (const each of free) {
    const prompt = promptOfCall(each.call);
    if (!prompt) continue;
    const calls = waiting.get(prompt);
    if (calls) calls.push(each);
    else waiting.set(prompt, [each]);
  }
  for (const [index, { prompt }] of candidates.entries()) {
    const calls = found[index] === undefined && prompt ? waiting.get(prompt) : undefined;
    const next = calls?.findIndex(({ owner }) => owner !== index) ?? -1;
    const [call] = next < 0 ? [] : (calls?.splice(next, 1) ?? []);
    if (call === undefined) continue;
    found[index] = { owner: call.owner, calls: [call.call], how: 'prompt', sure: 'likely' };
    free.delete(call);
  }
}

/** The meta file may know the parent where the call itself is lost. */
function byParent(candidates: readonly Candidate[], found: (Attachment | undefined)[]): void {
  const byId = new Map(candidates.map(({ agentId }, index) => [agentId, index]));
  for (const [index, { meta }] of candidates.entries()) {
    const owner = found[index] === undefined ? byId.get(asString(meta?.parentAgentId) ?? '') : undefined;
    if (owner !== undefined && owner !== index) found[index] = { owner, calls: [], how: 'meta', sure: 'likely' };
  }
}

/** What is left goes to the only call that was running when it began. */
function byTime(candidates: readonly Candidate[], found: (Attachment | undefined)[], free: ReadonlySet<Call>): void {
  const left = candidates.flatMap(({ entries, file, warmup }, index) => {
    const began = found[index] === undefined && file !== undefined && !warmup ? beginningOf(entries) : undefined;
    return began === undefined ? [] : [{ index, began }];
  });
  const calls = [...free].flatMap((each) => {
    const started = millisOf(each.call.started);
    return started === undefined ? [] : [{ each, started, ended: millisOf(each.call.ended) ?? Infinity }];
  });
  left.sort((a, b) => a.began - b.began);
  calls.sort((a, b) => b.started - a.started);
  let running: typeof calls = [];
  for (const { index, began } of left) {
    for (let next = calls.at(-1); next && next.started <= began; next = calls.at(-1)) {
      running.push(next);
      calls.pop();
    }
    running = running.filter(({ ended }) => ended >= began);
    const [only] = running;
    if (only === undefined || running.length > 1 || only.each.owner === index) continue;
    running = [];
    found[index] = { owner: only.each.owner, calls: [only.each.call], how: 'time', sure: 'guess' };
  }
}

/** Damaged meta files can make agents their own ancestors. */
function cutCycles(found: (Attachment | undefined)[]): void {
  const seenFrom = new Map<Owner, Owner>();
  for (const start of found.keys()) {
    let at: Owner = start;
    while (at !== MAIN && !seenFrom.has(at)) {
      seenFrom.set(at, start);
      at = found[at]?.owner ?? MAIN;
    }
    if (at !== MAIN && seenFrom.get(at) === start) found[at] = undefined;
  }
}
