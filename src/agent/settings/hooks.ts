/** The `hooks` of a settings file: by event, groups with a matcher and what to run. What is odd is left out, the rest holds. */
import { asArray, asBoolean, asNumber, asObject, asString, type Json, type JsonObject } from '../../format/json.ts';
import type { Found } from './check.ts';
import type { HookSetting, Path, Source } from './types.ts';

/** What we run hooks for. The client knows more events; their hooks wait for it. */
export const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Notification',
  'Stop',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'SessionEnd',
] as const;

/** Those that can be made something of. */
export function checkHooks(hooks: Json, found: Found[]): JsonObject {
  const events = asObject(hooks);
  if (events === undefined) {
    found.push({ what: 'hooks is not an object; none of them is run.', at: ['hooks'] });
    return {};
  }
  const kept: JsonObject = {};
  for (const [event, groups] of Object.entries(events)) {
    const at = ['hooks', event];
    if (!EVENTS.some((each) => each === event)) {
      found.push({ what: `${event} is no event that happens here; its hooks are not run.`, at, quiet: true });
    }
    const list = asArray(groups);
    if (list === undefined) found.push({ what: `hooks.${event} is not a list; it is left out.`, at });
    else
      kept[event] = list.map((group, i) => keptGroup(group, [...at, i], found)).filter((group) => group !== undefined);
  }
  return kept;
}

function keptGroup(group: Json, at: Path, found: Found[]): JsonObject | undefined {
  const value = asObject(group);
  const hooks = asArray(value?.hooks);
  if (value === undefined || hooks === undefined) {
    found.push({ what: 'A group of hooks needs a list "hooks"; it is left out.', at });
    return undefined;
  }
  if (value.matcher !== undefined && asString(value.matcher) === undefined) {
    found.push({ what: 'A matcher is a text; the group is left out.', at: [...at, 'matcher'] });
    return undefined;
  }
  const fine = hooks.filter((hook, i) => {
    const what = oddHook(asObject(hook));
    if (what === undefined) return true;
    found.push({ ...what, at: [...at, 'hooks', i] });
    return false;
  });
  return { ...value, hooks: fine };
}

function oddHook(hook: JsonObject | undefined): Omit<Found, 'at'> | undefined {
  const type = asString(hook?.type);
  if (type === 'command') {
    return asString(hook?.command) ? undefined : { what: 'A hook of type command needs a "command"; it is left out.' };
  }
  if (type === undefined) return { what: 'A hook needs a "type"; it is left out.' };
  return { what: `Hooks of type ${type} are not run here.` };
}

/** As they are run, from a checked file. */
export function hooksOf(settings: JsonObject, from: Source): HookSetting[] {
  return Object.entries(asObject(settings.hooks) ?? {}).flatMap(([event, groups]) =>
    (asArray(groups) ?? []).flatMap((group) => {
      const value = asObject(group);
      const matcher = asString(value?.matcher) ?? '';
      return (asArray(value?.hooks) ?? []).flatMap((hook) => settingOf(asObject(hook) ?? {}, event, matcher, from));
    }),
  );
}

function settingOf(hook: JsonObject, event: string, matcher: string, from: Source): HookSetting[] {
  const command = asString(hook.command);
  if (command === undefined) return [];
  const seconds = asNumber(hook.timeout);
  const timeout = seconds !== undefined && seconds > 0 ? { timeoutMs: seconds * 1000 } : {};
  return [{ event, matcher, command, ...timeout, isAsync: asBoolean(hook.async) === true, from }];
}
