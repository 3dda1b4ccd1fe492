/** One call of a tool: asked for, run, and its outcome written. */
import { DiskError } from '../../disk/errors.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import type { Decision, HookAnswer, ResultNotes } from '../ports.ts';
import { failed, type Tool, type ToolHost, type ToolOutcome } from '../tools/tool.ts';
import { REJECTED } from '../transcript/shapes.ts';
import { orInstead } from './abort.ts';
import type { Call } from './answer.ts';
import { runHooks, type Turn, toolNamed, writeFollow, writeHooks, wrote } from './turn.ts';

/** Allowed, and ready to start; or settled already. */
export type Prepared =
  | {
      readonly go: true;
      readonly call: Call;
      readonly tool: Tool;
      readonly input: JsonObject;
      readonly notes: ResultNotes;
    }
  /** `interrupt`: the person wants the turn to end here. */
  | { readonly go: false; readonly interrupt: boolean };

/** Asks whoever has a say. What may not run gets its result here. */
export async function prepare(turn: Turn, call: Call): Promise<Prepared> {
  const tool = toolNamed(turn, call.name);
  if (tool === undefined) return refuse(turn, call, `There is no tool named ${call.name || '(nothing)'}.`);
  const wrong = tool.refuse(call.input);
  if (wrong !== undefined) return refuse(turn, call, wrong);
  const fields = { tool_name: call.name, tool_input: call.input, tool_use_id: call.toolUseId };
  const hook = await runHooks(turn, 'PreToolUse', fields);
  writeHooks(turn, 'PreToolUse', hook, call.toolUseId);
  if (hook.block !== undefined) return deny(turn, call, { allow: false, message: hook.block });
  if (hook.decision?.allow === false) return deny(turn, call, hook.decision);
  const input = hook.input ?? call.input;
  const decision = await decide(turn, call, tool, input, hook);
  if (!decision.allow) return deny(turn, call, decision);
  const changed = decision.input ?? input;
  const unfit = changed === call.input ? undefined : tool.refuse(changed);
  if (unfit !== undefined) return refuse(turn, call, unfit);
  const notes = decision.record === undefined ? {} : { decision: decision.record };
  return { go: true, call, tool, input: changed, notes };
}

/** Whoever is asked may never answer. */
const STOPPED: Decision = { allow: false, message: REJECTED, interrupt: true };

async function decide(turn: Turn, call: Call, tool: Tool, input: JsonObject, hook: HookAnswer): Promise<Decision> {
  const { signal } = turn;
  // A hook that allows is no more than a voice: what is forbidden stays so.
  const says = hook.says ?? (hook.decision?.allow ? ({ what: 'allow' } as const) : undefined);
  const asked = turn.gate.decide({ id: call.toolUseId, tool, input, signal, ...(says && { hook: says }) });
  const decision = await orInstead(signal, asked, STOPPED, 0);
  return signal.aborted && !decision.allow ? { ...decision, interrupt: true } : decision;
}

function refuse(turn: Turn, call: Call, why: string): Prepared {
  writeResult(turn, call, failed(why));
  return { go: false, interrupt: false };
}

function deny(turn: Turn, call: Call, decision: Extract<Decision, { allow: false }>): Prepared {
  const { message, interrupt = false, record } = decision;
  const { toolUseId: id, name, input } = call;
  turn.denials.push({ tool_name: name, tool_use_id: id, tool_input: input });
  const source = asString(record?.source);
  turn.emit({ kind: 'denied', id, name, input, message, ...(source !== undefined && { source }) });
  const outcome = interrupt ? rejected() : failed(message);
  writeResult(turn, call, outcome, {
    ...(record && { decision: record }),
    denial: interrupt ? 'user-rejected' : (decision.denial ?? 'permission-rule'),
  });
  return { go: false, interrupt };
}

/** Runs it to its end. Never throws but for the disk. */
export async function run(turn: Turn, prepared: Extract<Prepared, { go: true }>): Promise<void> {
  const { call, input, notes } = prepared;
  const { toolUseId: id, name } = call;
  turn.emit({ kind: 'tool-start', id, name, input });
  const began = performance.now();
  let isOver = false;
  const progress = (data: JsonObject): void => {
    // Of a call that was given up nothing more is told.
    if (isOver) return;
    try {
      turn.transcript.progress(call, data);
    } catch (error) {
      // Told from timers, where nobody would catch it: the next line of the turn fails as this one did.
      if (!(error instanceof DiskError)) throw error;
    }
    turn.emit({ kind: 'tool-progress', id, data });
  };
  const outcome = await orInstead(turn.signal, outcomeOf(turn, prepared, progress), undefined, GRACE_MS);
  isOver = true;
  const duration_ms = Math.round(performance.now() - began);
  if (outcome === undefined) return writeResult(turn, call, rejected(), { ...notes, denial: 'user-rejected' });
  const event = outcome.isError ? 'PostToolUseFailure' : 'PostToolUse';
  const told = outcome.isError
    ? { error: wordsOf(outcome), is_interrupt: turn.signal.aborted }
    : { tool_response: outcome.result };
  const fields = { tool_name: name, tool_input: input, tool_use_id: id, ...told, duration_ms };
  const hook = turn.signal.aborted ? {} : await runHooks(turn, event, fields);
  writeResult(turn, call, outcome, notes);
  writeFollow(turn, outcome.follow);
  if (outcome.ends !== undefined) {
    turn.output = outcome.ends.value;
    turn.stopped ??= outcome.ends.words;
  }
  writeHooks(
    turn,
    event,
    hook.block === undefined ? hook : { ...hook, context: [hook.block, ...(hook.context ?? [])] },
    id,
  );
  for (const line of outcome.isError ? [] : (turn.linesAfter?.(name, input, outcome) ?? [])) turn.transcript.line(line);
}

async function outcomeOf(
  turn: Turn,
  { call, tool, input }: Extract<Prepared, { go: true }>,
  progress: ToolHost['progress'],
): Promise<ToolOutcome> {
  try {
    const { signal, session } = turn;
    return await tool.run(input, { id: call.toolUseId, signal, progress, session, turn });
  } catch (error) {
    return failed(`${call.name} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** How long a tool may take to end after an interrupt. */
const GRACE_MS = 2000;

/** A call that the person stopped before it ran. */
export function reject(turn: Turn, call: Call): void {
  writeResult(turn, call, rejected(), { denial: 'user-rejected' });
}

function rejected(): ToolOutcome {
  return { content: REJECTED, result: 'User rejected tool use', isError: true };
}

export function writeResult(turn: Turn, call: Call, outcome: ToolOutcome, notes: ResultNotes = {}): void {
  wrote(turn, turn.transcript.result(call, outcome, notes));
  turn.emit({ kind: 'tool-end', id: call.toolUseId, name: call.name, outcome });
}

function wordsOf({ content }: ToolOutcome): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
