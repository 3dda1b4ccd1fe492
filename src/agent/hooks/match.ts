/** Which hooks an event is for. */
import { asString, type JsonObject } from '../../format/json.ts';
import type { HookCall, HookSetting } from '../settings/types.ts';

/** The field that a matcher looks at; events without one run every hook. */
const MATCHED: Readonly<Record<string, string>> = {
  PreToolUse: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PermissionRequest: 'tool_name',
  SessionStart: 'source',
  SessionEnd: 'reason',
  PreCompact: 'trigger',
  PostCompact: 'trigger',
  Notification: 'notification_type',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
};

export function matchedValue(event: string, fields: JsonObject): string | undefined {
  const field = MATCHED[event];
  return field === undefined ? undefined : asString(fields[field]);
}

/** `PreToolUse:Bash`, as the client names a run. */
export function hookName(event: string, fields: JsonObject): string {
  const value = matchedValue(event, fields);
  return value === undefined || value === '' ? event : `${event}:${value}`;
}

/** The same command once, however often it is written down. */
export function hooksFor(settings: readonly HookSetting[], event: string, fields: JsonObject): HookSetting[] {
  const value = matchedValue(event, fields);
  const found = new Map<string | HookCall, HookSetting>();
  for (const hook of settings) {
    if (hook.event !== event || (value !== undefined && !isMatch(hook.matcher, value))) continue;
    const key = hook.call ?? hook.command;
    if (!found.has(key)) found.set(key, hook);
  }
  return [...found.values()];
}

/** Names with `|` or commas between them are meant exactly; anything else is a regular expression, found anywhere. */
export function isMatch(matcher: string, value: string): boolean {
  const text = matcher.trim();
  if (text === '' || text === '*') return true;
  const names = NAMES_OF.get(value) ?? [value];
  if (/^[\w\s|,-]+$/.test(text)) {
    const listed = text.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => listed.includes(name));
  }
  try {
    const pattern = new RegExp(text);
    return names.some((name) => pattern.test(name));
  } catch {
    return false;
  }
}

/** A tool has had two names. */
const NAMES_OF: ReadonlyMap<string, readonly string[]> = new Map([
  ['Agent', ['Agent', 'Task']],
  ['Task', ['Agent', 'Task']],
]);
