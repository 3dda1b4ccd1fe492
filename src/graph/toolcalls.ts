/** tool_use and tool_result paired by id across lines, order and files (E5, E6): the only place that pairs them. */
import { type Block, blocksOf, plainText, type ToolResultBlock } from '../format/content.ts';
import { type Entry, jsonOf } from '../format/entry.ts';
import type { BlockHead } from '../format/head.ts';
import type { Issue } from '../format/issue.ts';
import { asString, at, type Json } from '../format/json.ts';
import { inputKind, isHumanTurnStart } from '../format/prompt.ts';
import { millisBetween, millisOf } from './time.ts';
import { type ToolResult, toToolResult } from './toolresults/read.ts';
import type { ToolCall, ToolStatus } from './types.ts';

export interface ToolCalls {
  /** In the order of their first lines. */
  readonly calls: ToolCall[];
  readonly issues: Issue[];
}

interface Use {
  readonly id: string;
  readonly name: string;
  readonly entry: Entry;
  input: Entry;
  /** Of several calls with one id the first has it. */
  readonly pair: Pair | undefined;
}

interface Result {
  entry: Entry;
  block: BlockHead;
}

/** What is known of an id. */
interface Pair {
  owner: Use | undefined;
  result: Result | undefined;
}

export function pairToolCalls(entries: readonly Entry[]): ToolCalls {
  const { uses, pairs, stopped, agents, issues } = collect(entries);
  const cutOff = usesCutOff(
    entries,
    uses.filter((use) => use.pair?.result === undefined),
  );
  const calls: ToolCall[] = [];
  let owned = 0;
  for (const use of uses) {
    if (use.pair !== undefined) owned += 1;
    const result = use.pair?.result;
    const status = result === undefined ? unansweredStatus(cutOff.has(use)) : statusOf(result, use, stopped);
    calls.push(toCall(use, result, status, agents.get(use.id)));
  }
  // Most files have no result alone, and a large map is slow to go through.
  for (const [id, { owner, result }] of owned < pairs.size ? pairs : []) {
    if (owner === undefined && result !== undefined) {
      issues.push(issue('A2', result.entry, `tool_result without its tool_use (${id})`));
    }
  }
  return { calls, issues };
}

interface Collected {
  readonly uses: Use[];
  /** By id. */
  readonly pairs: Map<string, Pair>;
  /** 2.1.325 calls a tool that was stopped while it ran rejected; the marker after it says that its message was interrupted. */
  readonly stopped: Set<string>;
  /** Sub-agents that report progress, by the call that started them: known before the call has a result. */
  readonly agents: Map<string, string>;
  readonly issues: Issue[];
}

/** In one pass: each further one over all entries costs more than what is done in it. */
function collect(entries: readonly Entry[]): Collected {
  const found: Collected = {
    uses: [],
    pairs: new Map(),
    stopped: new Set(),
    agents: new Map(),
    issues: [],
  };
  for (const entry of entries) {
    const { kind, head } = entry;
    if (kind === 'progress') {
      const agentId = head.progress?.agentId;
      if (agentId !== undefined && head.parentToolUseID !== undefined) found.agents.set(head.parentToolUseID, agentId);
    } else if (kind === 'user' || kind === 'assistant') {
      if (head.interruptedMessageId !== undefined) found.stopped.add(head.interruptedMessageId);
      for (const block of head.blocks) {
        if (kind === 'assistant' && isUse(block)) addUse(found, entry, block);
        else if (isResult(block)) addResult(found, entry, block);
      }
    }
  }
  return found;
}

function addUse({ uses, pairs, issues }: Collected, entry: Entry, block: BlockHead): void {
  const id = block.id ?? '';
  const pair = id === '' ? undefined : pairFor(pairs, id);
  const owner = pair?.owner;
  if (owner && isSameLine(owner.entry, entry)) {
    if (owner.entry.source === entry.source) owner.input = entry;
    return;
  }
  if (owner) issues.push(issue('A3', entry, `tool_use id ${id} used again; its result belongs to the first`));
  const use: Use = { id, name: block.name ?? '', entry, input: entry, pair: owner === undefined ? pair : undefined };
  if (pair !== undefined) pair.owner ??= use;
  uses.push(use);
}

function pairFor(pairs: Map<string, Pair>, id: string): Pair {
  const known = pairs.get(id);
  if (known !== undefined) return known;
  const pair: Pair = { owner: undefined, result: undefined };
  pairs.set(id, pair);
  return pair;
}

/** Also the calls that the API answers itself: `server_tool_use`, `mcp_tool_use`. */
export function isUse({ type }: BlockHead): boolean {
  return type === 'tool_use' || (type.length >= '_tool_use'.length && type.endsWith('_tool_use'));
}

function isResult({ type }: BlockHead): boolean {
  return type === 'tool_result' || (type.length >= '_tool_result'.length && type.endsWith('_tool_result'));
}

/** Whether pairing looks at an assistant line: of very many lines the others need not be kept. */
export function tellsOfTools({ head }: Entry): boolean {
  return head.interruptedMessageId !== undefined || head.blocks.some((block) => isUse(block) || isResult(block));
}

/** The same line again, or the same block of the same message as it grew (E4, E12). */
function isSameLine(a: Entry, b: Entry): boolean {
  const id = a.head.message?.id;
  return (a.head.uuid !== undefined && a.head.uuid === b.head.uuid) || (id !== undefined && id === b.head.message?.id);
}

function addResult({ pairs, issues }: Collected, entry: Entry, block: BlockHead): void {
  const id = block.toolUseId ?? '';
  const pair = pairFor(pairs, id);
  const known = pair.result;
  if (known === undefined) pair.result = { entry, block };
  else if (known.entry.head.uuid !== entry.head.uuid) {
    issues.push(issue('E5', entry, `a second result for ${id}; the first is used`));
  } else if (known.entry.source === entry.source) Object.assign(known, { entry, block });
}

/** Calls without a result that a marker of the same turn says were interrupted. Prompts are read only while one is open. */
function usesCutOff(entries: readonly Entry[], unanswered: readonly Use[]): Set<Use> {
  const cutOff = new Set<Use>();
  const starts = Map.groupBy(unanswered, (use) => use.entry);
  if (starts.size === 0) return cutOff;
  let main: Use[] = [];
  let side: Use[] = [];
  for (const entry of entries) {
    if (entry.kind === 'assistant') {
      for (const use of starts.get(entry) ?? []) (entry.head.isSidechain ? side : main).push(use);
    }
    if (entry.kind !== 'user' || main.length + side.length === 0) continue;
    const kind = inputKind(entry);
    if (kind === 'interrupt') for (const use of [...main, ...side]) cutOff.add(use);
    const over = kind === 'interrupt' || isHumanTurnStart(kind);
    if (over) main = [];
    if (over || kind === 'agent_prompt') side = [];
  }
  return cutOff;
}

function unansweredStatus(cutOff: boolean): ToolStatus {
  return cutOff ? 'interrupted' : 'pending';
}

function toCall(use: Use, result: Result | undefined, status: ToolStatus, agent: string | undefined): ToolCall {
  const { head } = use.entry;
  const answer = result?.entry;
  const from = millisOf(head.timestamp);
  const to = millisOf(answer?.head.timestamp);
  return {
    id: use.id,
    name: use.name,
    status,
    use: use.entry,
    input: use.input,
    result: answer,
    useUuid: head.uuid,
    resultUuid: answer?.head.uuid,
    started: from === undefined ? undefined : head.timestamp,
    ended: to === undefined ? undefined : answer?.head.timestamp,
    durationMs: answer?.head.result?.durationMs ?? millisBetween(from, to),
    agentId: answer?.head.result?.agentId ?? agent,
  };
}

function statusOf({ entry, block }: Result, use: Use, stopped: ReadonlySet<string>): ToolStatus {
  const { result, toolDenialKind } = entry.head;
  if (toolDenialKind !== undefined) {
    const isStopped = toolDenialKind === 'interrupted' || stopped.has(use.entry.head.message?.id ?? '');
    return isStopped ? 'interrupted' : 'denied';
  }
  if (result?.interrupted) return 'interrupted';
  if (block.isError) return errorStatus(textIn(entry, block.toolUseId));
  const inBackground = result?.backgroundTaskId !== undefined || result?.isAsync || result?.status === 'async_launched';
  return inBackground ? 'background' : 'ok';
}

/** What the client answers in a tool's place when it may not run. */
const DENIED = [
  /^The user doesn't want to (?:proceed with this tool use|take this action)/,
  /^Claude requested permissions? to [\s\S]*, but you haven't granted it yet/,
  /^Permission (?:to use|for) [\s\S]* (?:has been|was) (?:auto-)?denied/,
  /^This command requires approval/,
  /^PreToolUse:\S+ hook error: /,
  /^\S+ operation blocked by hook/,
  /^Hook PreToolUse:\S+ denied this tool/,
  /^User (?:rejected|declined) /,
];
const INTERRUPTED = [
  /(?:^|\n)\[Request interrupted by user(?: for tool use)?\]\s*$/,
  /^\[Tool call interrupted: /,
  /^\[Tool use interrupted\]/,
];

function errorStatus(text: string): ToolStatus {
  const said = text.replace(/^<tool_use_error>|^Error: /, '');
  if (INTERRUPTED.some((pattern) => pattern.test(said))) return 'interrupted';
  return DENIED.some((pattern) => pattern.test(said)) ? 'denied' : 'error';
}

function textIn(entry: Entry, id: string | undefined): string {
  return plainText(resultBlock(entry, id)?.content);
}

function resultBlock(entry: Entry, id: string | undefined): (ToolResultBlock & { raw: Block['raw'] }) | undefined {
  const json = jsonOf(entry);
  const blocks = json === undefined ? [] : blocksOf(json);
  for (const block of blocks) if (block.type === 'tool_result' && block.toolUseId === (id ?? '')) return block;
  return undefined;
}

function issue(rule: string, entry: Entry, what: string): Issue {
  return { rule, severity: 'warning', line: entry.line.number, uuid: entry.head.uuid, what };
}

/** Loads what the model gave the tool. */
export function inputOfCall(call: ToolCall): Json | undefined {
  const json = jsonOf(call.input);
  const blocks = json === undefined ? [] : blocksOf(json);
  // A growing block is written more than once: the last is complete.
  return blocks.findLast((block) => asString(block.raw.id) === call.id)?.raw.input;
}

/** Loads what the tool gave back to the model, as written; undefined while there is no result. */
export function contentOfCall(call: ToolCall): Json | undefined {
  if (call.result === undefined) return undefined;
  const own = resultBlock(call.result, call.id);
  if (own) return own.content;
  const json = jsonOf(call.result);
  const blocks = json === undefined ? [] : blocksOf(json);
  return blocks.find((block) => asString(block.raw.tool_use_id) === call.id)?.raw.content;
}

/** Loads the client's own structured record of the result (E6). */
export function toolResultOf(call: ToolCall): ToolResult {
  return toToolResult(call.name, call.result && jsonOf(call.result)?.toolUseResult);
}

/** Reads a file of `tool-results/` by the path the transcript names (L4); undefined when it is gone. */
export type Resolve = (path: string) => string | undefined;

/** The text of a result; a large output that was saved to a file is read from there. */
export function textOfCall(call: ToolCall, resolve?: Resolve): string | undefined {
  if (call.result === undefined) return undefined;
  const text = plainText(contentOfCall(call));
  const path = persistedPath(text, call.result);
  return (path === undefined ? undefined : resolve?.(path)) ?? text;
}

const PERSISTED = /^<persisted-output>\n[^\n]*saved to: ([^\n]+)/;

function persistedPath(text: string, result: Entry): string | undefined {
  if (!text.startsWith('<persisted-output>')) return undefined;
  return PERSISTED.exec(text)?.[1] ?? asString(at(jsonOf(result), 'toolUseResult', 'persistedOutputPath'));
}
