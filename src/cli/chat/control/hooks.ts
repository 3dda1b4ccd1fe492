/** `hook_callback`: hooks that are functions of the program, beside the commands of the settings. */
import { EVENTS } from '../../../agent/settings/hooks.ts';
import type { HookCall, HookSetting } from '../../../agent/settings/types.ts';
import { asArray, asNumber, asObject, asString, isObject, type Json, type JsonObject } from '../../../format/json.ts';
import type { Channel } from './channel.ts';

export interface CallbackParts {
  readonly channel: Channel;
  /** Tells the program that one of its hooks failed. */
  warn(words: string, tag: string): void;
}

/** Hooks of events that do not happen here are left out, as are groups that nothing can be made of. */
export function callbackHooks(hooks: Json | undefined, parts: CallbackParts): HookSetting[] {
  const events = asObject(hooks) ?? {};
  return EVENTS.flatMap((event) =>
    (asArray(events[event])?.filter(isObject) ?? []).flatMap((group) => {
      const ids = asArray(group.hookCallbackIds)?.flatMap((id) => asString(id) ?? []) ?? [];
      const seconds = asNumber(group.timeout);
      const timeout = seconds !== undefined && seconds > 0 ? { timeoutMs: seconds * 1000 } : {};
      const blocks = group.onFailure === 'block' && !UNBLOCKED.has(event);
      return ids.map((id): HookSetting => {
        const call = callOf(id, blocks, parts);
        const matcher = asString(group.matcher) ?? '';
        return { event, matcher, command: 'callback', isAsync: false, from: 'flag', ...timeout, call };
      });
    }),
  );
}

/** A failure there would hold up the end of the work for ever. */
const UNBLOCKED: ReadonlySet<string> = new Set(['Stop', 'SubagentStop']);

/** The exit code that says no. */
const BLOCKS = 2;

function callOf(id: string, blocks: boolean, { channel, warn }: CallbackParts): HookCall {
  return async ({ name, input, toolUseId }, timeoutMs, signal) => {
    const request: JsonObject = { subtype: 'hook_callback', callback_id: id, input, tool_use_id: toolUseId };
    const reply = await channel.ask(request, { signal, timeoutMs });
    const nothing = { stdout: '', stderr: '', code: 0, why: 'exit' } as const;
    // Whoever says `async` has nothing to say now.
    if (reply.kind === 'answer') {
      return reply.response.async === true ? nothing : { ...nothing, stdout: JSON.stringify(reply.response) };
    }
    if (reply.kind === 'gone' && reply.why !== 'closed') {
      return { ...nothing, code: 1, why: reply.why === 'timeout' ? 'timeout' : 'interrupt' };
    }
    const why = reply.kind === 'error' ? reply.error : 'the program does not listen any more';
    if (blocks) return { ...nothing, code: BLOCKS, stderr: why };
    if (reply.kind === 'error') {
      warn(`${name}: Hook callback ${id} failed: ${why}. Its answer was treated as empty.`, 'hook_callback_failed');
    }
    return nothing;
  };
}
