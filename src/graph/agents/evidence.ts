/** Everything in a set of transcripts that says which tool call started which sub-agent (L3, E18). */
import { plainText, rawContentOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asString, at } from '../../format/json.ts';
import { inputKind, promptOf } from '../../format/prompt.ts';
import { millisOf } from '../time.ts';
import { inputOfCall, pairToolCalls } from '../toolcalls.ts';
import type { ToolCall } from '../types.ts';

/** A transcript by its place in the list; the session itself is MAIN. */
export type Owner = number;
export const MAIN: Owner = -1;

export interface Call {
  readonly owner: Owner;
  readonly call: ToolCall;
}

export interface Notification {
  readonly toolUseId?: string;
  readonly status?: string;
  readonly outputFile?: string;
}

export interface Evidence {
  readonly byCallId: ReadonlyMap<string, Call>;
  /** Calls whose result or progress names the agent; more than one when an agent was resumed. */
  readonly byAgentId: ReadonlyMap<string, readonly Call[]>;
  /** Calls that name the agent as the one to go on with. */
  readonly takenUp: ReadonlyMap<string, readonly Call[]>;
  readonly notifications: ReadonlyMap<string, Notification>;
  /** Calls that start agents, in order. */
  readonly launches: readonly Call[];
}

/** `Task` until 2.1.63 or so, then `Agent` (R15). */
const LAUNCHERS = new Set(['Task', 'Agent']);

export function gatherEvidence(transcripts: Iterable<readonly [Owner, readonly Entry[]]>): Evidence {
  const byCallId = new Map<string, Call>();
  const byAgentId = new Map<string, Call[]>();
  const takenUp = new Map<string, Call[]>();
  const notifications = new Map<string, Notification>();
  const launches: Call[] = [];
  for (const [owner, entries] of transcripts) {
    for (const call of pairToolCalls(entries).calls) {
      const found = { owner, call };
      if (!byCallId.has(call.id)) byCallId.set(call.id, found);
      if (LAUNCHERS.has(call.name)) launches.push(found);
      if (call.agentId !== undefined) addTo(byAgentId, call.agentId, found);
      else addTo(takenUp, agentTakenUp(call), found);
    }
    for (const entry of entries) addNotification(entry, notifications);
  }
  return { byCallId, byAgentId, takenUp, notifications, launches };
}

function addTo(calls: Map<string, Call[]>, agentId: string | undefined, call: Call): void {
  if (agentId === undefined) return;
  const known = calls.get(agentId);
  if (known) known.push(call);
  else calls.set(agentId, [call]);
}

/** By `resume`, later by a message to it. */
function agentTakenUp(call: ToolCall): string | undefined {
  if (LAUNCHERS.has(call.name)) return asString(at(inputOfCall(call), 'resume'));
  return call.name === 'SendMessage' ? asString(at(inputOfCall(call), 'to')) : undefined;
}

/** How a background agent ended, as the client told the model or is waiting to; the last report counts. */
function addNotification(entry: Entry, notifications: Map<string, Notification>): void {
  const mayTell = entry.kind === 'queue-operation' || inputKind(entry) === 'task_notification';
  const text = mayTell ? promptOf(entry).text : '';
  const id = text.startsWith('<task-notification>') ? inTag(text, 'task-id') : undefined;
  if (id === undefined) return;
  notifications.set(id, {
    toolUseId: inTag(text, 'tool-use-id'),
    status: inTag(text, 'status'),
    outputFile: inTag(text, 'output-file'),
  });
}

function inTag(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.indexOf(`</${tag}>`, start);
  return start < 0 || end < 0 ? undefined : text.slice(start + tag.length + 2, end).trim();
}

/** What the agent was asked: the text of its first user entry. */
export function firstTextOf(entries: readonly Entry[]): string | undefined {
  const first = entries.find(({ kind }) => kind === 'user');
  const json = first === undefined ? undefined : jsonOf(first);
  return json === undefined ? undefined : plainText(rawContentOf(json)).trim();
}

export function promptOfCall(call: ToolCall): string | undefined {
  return asString(at(inputOfCall(call), 'prompt'))?.trim();
}

export function beginningOf(entries: readonly Entry[]): number | undefined {
  for (const { head } of entries) {
    const time = millisOf(head.timestamp);
    if (time !== undefined) return time;
  }
  return undefined;
}
