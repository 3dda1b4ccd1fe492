/** Each agent to its call, the surest evidence first; a call that has an agent is not given to another by guess. */
import type { Entry } from '../../format/entry.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import type { Sure } from '../sure.ts';
import { millisOf } from '../time.ts';
import type { ToolCall } from '../types.ts';
import { beginningOf, type Call, type Evidence, MAIN, type Owner, promptOfCall } from './evidence.ts';

/** What attached an agent; `folder` is all that is known of one without a call. */
export type AgentLink = 'meta' | 'toolUseResult' | 'progress' | 'notification' | 'prompt' | 'time' | 'folder';

export interface Candidate {
  readonly agentId: string;
  readonly file?: string;
  readonly entries: readonly Entry[];
  readonly meta?: JsonObject;
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
  byParent(candidates, found);
  byTime(candidates, found, free);
  cutCycles(found);
  return found;
}

function named(candidate: Candidate, index: number, evidence: Evidence): Attachment | undefined {
  const { agentId, meta } = candidate;
  const said = evidence.byAgentId.get(agentId)?.filter(({ owner }) => owner !== index) ?? [];
  const link = (first: Call | undefined, how: AgentLink): Attachment | undefined => {
    if (first === undefined || first.owner === index) return undefined;
    const others = said.filter(({ call }) => call.id !== first.call.id);
    return { owner: first.owner, calls: [first, ...others].map(({ call }) => call), how, sure: 'certain' };
  };
  const [first] = said;
  const isResult = first?.call.result?.head.result?.agentId === agentId;
  const told = evidence.notifications.get(agentId)?.toolUseId;
  return (
    link(evidence.byCallId.get(asString(meta?.toolUseId) ?? ''), 'meta') ??
    link(first, isResult ? 'toolUseResult' : 'progress') ??
    link(evidence.byCallId.get(told ?? ''), 'notification')
  );
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
