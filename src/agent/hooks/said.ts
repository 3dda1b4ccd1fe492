/** What one hook said: its exit code, its words, or the JSON it printed. */
import { asBoolean, asObject, asString, type JsonObject, parseJson } from '../../format/json.ts';
import type { HookRan } from './command.ts';

export interface Said {
  readonly ran: HookRan;
  /** Why it may not go on. `isJson`: it said so in JSON, not by its exit code. */
  readonly block?: { readonly reason: string; readonly isJson: boolean };
  /** `continue: false`, with its reason. */
  readonly stop?: string;
  readonly permission?: { readonly says: 'allow' | 'ask' | 'deny'; readonly reason?: string };
  readonly input?: JsonObject;
  readonly context?: string;
  readonly systemMessage?: string;
  /** Plain words on standard output. */
  readonly words?: string;
  /** It went wrong without stopping anything. */
  readonly error?: string;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
}

export function saidBy(ran: HookRan, event: string): Said {
  const plain = { ran, isQuiet: false, isJson: false };
  if (ran.why === 'failed') return { ...plain, error: `It could not be started: ${ran.stderr}` };
  if (ran.why !== 'exit') return plain;
  const text = ran.stdout.trim();
  const json = text.startsWith('{') ? asObject(parseJson(text)) : undefined;
  if (json !== undefined) {
    const said = fromJson(ran, json, event);
    return ran.code === BLOCKS ? { ...said, block: blockOf(ran) } : said;
  }
  if (ran.code === BLOCKS) return { ...plain, block: blockOf(ran) };
  if (ran.code !== 0)
    return { ...plain, error: `Failed with non-blocking status code: ${ran.stderr.trim() || 'No stderr output'}` };
  return text === '' ? plain : { ...plain, words: text };
}

const BLOCKS = 2;

function blockOf({ command, stderr }: HookRan): NonNullable<Said['block']> {
  return { reason: `[${command}]: ${stderr || 'No stderr output'}`, isJson: false };
}

function fromJson(ran: HookRan, json: JsonObject, event: string): Said {
  const inner = asObject(json.hookSpecificOutput);
  const reason = asString(json.reason);
  const permission = permissionOf(json, inner, event);
  const wrong = inner === undefined ? undefined : problemOf(inner, event);
  const blocks = json.decision === 'block' && event !== 'PreToolUse';
  const systemMessage = asString(json.systemMessage);
  const base = {
    ran,
    isQuiet: asBoolean(json.suppressOutput) === true,
    isJson: true,
    ...(blocks && { block: { reason: reason ?? 'Blocked by hook', isJson: true } }),
    ...(json.continue === false && { stop: asString(json.stopReason) ?? 'Stopped by hook' }),
    ...(systemMessage && { systemMessage }),
  };
  // Whoever says no is heard, however badly he says it.
  if (wrong !== undefined) return { ...base, error: wrong, ...(permission?.says === 'deny' && { permission }) };
  const input = asObject(inner?.updatedInput) ?? asObject(asObject(inner?.decision)?.updatedInput);
  const context = asString(inner?.additionalContext);
  return { ...base, ...(permission && { permission }), ...(input && { input }), ...(context && { context }) };
}

function permissionOf(json: JsonObject, inner: JsonObject | undefined, event: string): Said['permission'] {
  if (event === 'PermissionRequest') {
    const decision = asObject(inner?.decision);
    const says = (['allow', 'deny'] as const).find((each) => each === decision?.behavior);
    return says && { says, ...reasonOf(asString(decision?.message)) };
  }
  if (event !== 'PreToolUse') return undefined;
  const says = (['allow', 'ask', 'deny'] as const).find((each) => each === inner?.permissionDecision);
  if (says !== undefined) return { says, ...reasonOf(asString(inner?.permissionDecisionReason)) };
  // The older words for it.
  if (json.decision === 'block') return { says: 'deny', ...reasonOf(asString(json.reason)) };
  return json.decision === 'approve' ? { says: 'allow', ...reasonOf(asString(json.reason)) } : undefined;
}

function reasonOf(reason: string | undefined): { reason?: string } {
  return reason ? { reason } : {};
}

function problemOf(inner: JsonObject, event: string): string | undefined {
  const named = asString(inner.hookEventName);
  const failed = 'Hook JSON output validation failed';
  if (named === undefined) return `${failed} — hookSpecificOutput is missing required field "hookEventName"`;
  if (named !== event) return `${failed} — hookSpecificOutput is for ${named}, not ${event}`;
  const decision = inner.permissionDecision;
  const isKnown = decision === undefined || ['allow', 'ask', 'deny', 'defer'].some((each) => each === decision);
  return isKnown ? undefined : `${failed} — permissionDecision is none of allow, ask, deny, defer`;
}
