/** What hooks leave in the transcript, in the client's shapes. */
import type { JsonObject } from '../../format/json.ts';
import type { Said } from './said.ts';

export interface HookRun {
  readonly event: string;
  /** `PreToolUse:Bash` */
  readonly name: string;
  /** The call it is about, or an id of the run. */
  readonly toolUseID: string;
}

/** Of these events plain words are for the model. */
const HEARD = new Set(['SessionStart', 'UserPromptSubmit']);

export function entriesOf(run: HookRun, said: Said): JsonObject[] {
  return [systemMessage(run, said), outcome(run, said), blockingError(run, said), stopped(run, said)].filter(
    (entry) => entry !== undefined,
  );
}

function systemMessage(run: HookRun, { systemMessage: content }: Said): JsonObject | undefined {
  return content === undefined ? undefined : attachment({ type: 'hook_system_message', content, ...about(run) });
}

/** A hook that says nothing leaves nothing. */
function outcome(run: HookRun, said: Said): JsonObject | undefined {
  const { ran, words, error } = said;
  const { command, durationMs, timeoutMs, stdout, stderr, code: exitCode } = ran;
  if (ran.why === 'timeout' || ran.why === 'interrupt') {
    const timedOut = ran.why === 'timeout' && { timedOut: true, timeoutMs };
    return attachment({ type: 'hook_cancelled', ...about(run), command, durationMs, ...timedOut });
  }
  const rest = { exitCode, command, durationMs };
  if (error !== undefined) {
    return attachment({ type: 'hook_non_blocking_error', ...about(run), stderr: error, stdout, ...rest });
  }
  if (words !== undefined) {
    const told = HEARD.has(run.event) ? `${run.name} hook success: ${words}` : undefined;
    return attachment({ type: 'hook_success', ...about(run), content: words, stdout, stderr, ...rest }, told);
  }
  const isTold = said.isJson && !said.isQuiet && !ran.isCall && run.event !== 'UserPromptSubmit';
  if (!isTold || said.block !== undefined || said.permission?.says === 'deny') return undefined;
  return attachment({ type: 'hook_success', ...about(run), content: '', stdout, stderr, ...rest });
}

function blockingError(run: HookRun, { block, ran }: Said): JsonObject | undefined {
  const isAfter = run.event === 'PostToolUse' || run.event === 'PostToolUseFailure';
  if (block === undefined || !(isAfter || (run.event === 'Stop' && block.isJson))) return undefined;
  const { command } = ran;
  const error = { blockingError: block.reason, command };
  const told = `${run.name} hook blocking error from command: "${command}": ${block.reason}`;
  return attachment({ type: 'hook_blocking_error', ...about(run), blockingError: error }, told);
}

function stopped(run: HookRun, { stop: message }: Said): JsonObject | undefined {
  if (message === undefined || !/ToolUse/.test(run.event)) return undefined;
  const told = `${run.name} hook stopped continuation: ${message}`;
  return attachment({ type: 'hook_stopped_continuation', message, ...about(run) }, told);
}

/** Of all hooks of a run together. */
export function contextEntry(run: HookRun, content: readonly string[]): JsonObject {
  const isCall = /ToolUse/.test(run.event);
  const name = isCall ? run.name : run.event;
  const toolUseID = isCall ? run.toolUseID : run.event === 'SessionStart' ? run.event : `hook-${run.toolUseID}`;
  const told = `${name} hook additional context: ${content.join('\n')}`;
  return attachment(
    { type: 'hook_additional_context', content: [...content], ...about({ ...run, name, toolUseID }) },
    told,
  );
}

export function permissionEntry({ toolUseID, event: hookEvent }: HookRun, decision: 'allow' | 'deny'): JsonObject {
  return attachment({ type: 'hook_permission_decision', decision, toolUseID, hookEvent });
}

/** At the end of every turn that has Stop hooks. */
export function stopSummary(run: HookRun, all: readonly Said[]): JsonObject {
  const stop = all.find((said) => said.stop !== undefined)?.stop;
  const hookErrors = all.flatMap(({ block, error }) => block?.reason ?? error ?? []);
  return {
    type: 'system',
    subtype: 'stop_hook_summary',
    hookCount: all.length,
    hookInfos: all.map(({ ran, block }) => ({ command: ran.command, ...(!block && { durationMs: ran.durationMs }) })),
    hookErrors,
    hookAdditionalContext: all.flatMap(({ context }) => context ?? []),
    preventedContinuation: stop !== undefined,
    stopReason: stop ?? '',
    hasOutput: hookErrors.length > 0 || all.some(({ words, isJson }) => words !== undefined || isJson),
    level: 'suggestion',
    toolUseID: run.toolUseID,
  };
}

/** A prompt that a hook did not let through, or that it ended the work at. */
export function promptEnding(content: string, kind: 'blocked_by_hook' | 'stopped_by_hook', reason: string): JsonObject {
  return {
    type: 'system',
    subtype: 'informational',
    content,
    isMeta: false,
    level: 'warning',
    preventContinuation: true,
    promptSubmitEnding: { ending: { kind, reason }, promptKept: kind === 'stopped_by_hook' },
  };
}

function about({ name, toolUseID, event }: HookRun): JsonObject {
  return { hookName: name, toolUseID, hookEvent: event };
}

function attachment(value: JsonObject, told?: string): JsonObject {
  const rendered = told !== undefined && {
    rendered: [{ content: `<system-reminder>\n${told}\n</system-reminder>` }],
    renderedRole: 'system',
  };
  return { attachment: value, type: 'attachment', ...rendered };
}
