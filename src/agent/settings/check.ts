/** Whether the values that mean something to us are of the right kind; keys we do not know are left alone. */
import { asObject, asString, type Json, type JsonObject } from '../../format/json.ts';
import { checkHooks } from './hooks.ts';
import type { Path, Source } from './types.ts';

/** A wrong one of these makes the published client leave the whole file out; so do we. */
const KINDS: Readonly<Record<string, Kind>> = {
  model: 'text',
  outputStyle: 'text',
  cleanupPeriodDays: 'number',
  includeCoAuthoredBy: 'boolean',
  disableAllHooks: 'boolean',
  allowManagedHooksOnly: 'boolean',
  allowManagedPermissionRulesOnly: 'boolean',
  env: 'object',
  sandbox: 'object',
  'sandbox.enabled': 'boolean',
  'sandbox.failIfUnavailable': 'boolean',
  'sandbox.allowUnsandboxedCommands': 'boolean',
  permissions: 'object',
  'permissions.allow': 'list',
  'permissions.ask': 'list',
  'permissions.deny': 'list',
  'permissions.additionalDirectories': 'list',
  'permissions.defaultMode': ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto', 'delegate'],
  'permissions.disableBypassPermissionsMode': ['disable'],
};

type Kind = 'text' | 'number' | 'boolean' | 'object' | 'list' | readonly string[];

/** Keys that only whoever manages the machine may set. */
const MANAGED_ONLY = ['allowManagedHooksOnly', 'allowManagedPermissionRulesOnly'] as const;

export interface Found {
  readonly what: string;
  readonly at: Path;
  readonly quiet?: boolean;
}

export interface Checked {
  /** What can be taken; undefined when the file is left out. */
  readonly kept: JsonObject | undefined;
  readonly found: readonly Found[];
}

export function checkSettings(value: JsonObject, source: Source): Checked {
  const wrong = Object.entries(KINDS).flatMap(([key, kind]) => {
    const at = key.split('.');
    const there = valueAt(value, at);
    const what = there === undefined ? undefined : mismatch(there, kind);
    return what === undefined ? [] : [{ what: `${key} ${what}; the file is left out, but what it forbids holds.`, at }];
  });
  if (wrong.length > 0) return { kept: undefined, found: wrong };
  const found: Found[] = [];
  const kept: JsonObject = { ...value };
  const permissions = asObject(value.permissions);
  if (permissions !== undefined) kept.permissions = withoutOdd(permissions, found);
  const env = asObject(value.env);
  if (env !== undefined) kept.env = textsOf(env, found);
  if (value.hooks !== undefined) kept.hooks = checkHooks(value.hooks, found);
  for (const key of source === 'managed' ? [] : MANAGED_ONLY) {
    if (kept[key] === undefined) continue;
    found.push({ what: `${key} counts in managed settings only.`, at: [key] });
    delete kept[key];
  }
  return { kept, found };
}

function mismatch(value: Json, kind: Kind): string | undefined {
  if (typeof kind === 'object') {
    return kind.some((each) => each === value) ? undefined : `is none of ${kind.join(', ')}`;
  }
  const words = { text: 'a text', number: 'a number', boolean: 'true or false', object: 'an object', list: 'a list' };
  return kindOf(value) === kind ? undefined : `is not ${words[kind]}`;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return value === null ? 'null' : typeof value;
}

/** Items that are no text are left out one by one. */
function withoutOdd(permissions: JsonObject, found: Found[]): JsonObject {
  const kept: JsonObject = { ...permissions };
  for (const key of ['allow', 'ask', 'deny', 'additionalDirectories']) {
    const list = permissions[key];
    if (!Array.isArray(list)) continue;
    kept[key] = list.filter((item, i) => {
      if (asString(item) !== undefined) return true;
      found.push({
        what: `permissions.${key} holds something that is no text; it is left out.`,
        at: ['permissions', key, i],
      });
      return false;
    });
  }
  return kept;
}

function textsOf(env: JsonObject, found: Found[]): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(env)) {
    if (typeof value === 'string') kept[name] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') kept[name] = String(value);
    else found.push({ what: `env.${name} is no text; it is left out.`, at: ['env', name] });
  }
  return kept;
}

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let there = value;
  for (const key of path) {
    if (Array.isArray(there) && typeof key === 'number') there = there[key];
    else there = Object.hasOwn(asObject(there) ?? {}, key) ? asObject(there)?.[key] : undefined;
  }
  return there;
}
