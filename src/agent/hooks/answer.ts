/** What all hooks of one event come to: whoever says no wins over who wants to ask, and he over who allows. */
import { asString, type JsonObject } from '../../format/json.ts';
import type { HookAnswer } from '../ports.ts';
import { contextEntry, entriesOf, type HookRun, permissionEntry, promptEnding, stopSummary } from './entries.ts';
import type { Said } from './said.ts';

export function answerOf(run: HookRun, fields: JsonObject, all: readonly Said[]): HookAnswer {
  const context = all.flatMap((said) => said.context ?? []);
  const stop = all.find((said) => said.stop !== undefined)?.stop;
  const input = all.findLast((said) => said.input !== undefined)?.input;
  const entries: JsonObject[] = all.flatMap((said) => entriesOf(run, said));
  const block = all.find((said) => said.block !== undefined)?.block?.reason;
  if (context.length > 0 && run.event !== 'Stop') entries.push(contextEntry(run, context));
  const common: HookAnswer = { ...(stop !== undefined && { stop }), ...(input && { input }) };
  switch (run.event) {
    case 'PreToolUse':
      return { ...common, ...toolDecision(run, all, block), entries };
    case 'PermissionRequest':
      return { ...common, ...permission(run, all, block, entries) };
    case 'UserPromptSubmit':
      return promptAnswer(asString(fields.prompt) ?? '', block, stop, entries);
    case 'Stop':
    case 'SubagentStop': {
      const feedback = all.flatMap((said) => said.block?.reason ?? []).join('\n');
      if (run.event === 'Stop') entries.push(stopSummary(run, all));
      return { ...common, ...(feedback !== '' && { block: feedback }), entries };
    }
    case 'PreCompact': {
      // What it prints are wishes about the summary; it leaves no lines.
      const words = all.flatMap((said) => said.words ?? []);
      return { ...common, ...(block !== undefined && { block }), context: [...words, ...context] };
    }
    case 'PostCompact':
      return common;
    default:
      return { ...common, entries };
  }
}

/** As the client records it. */
function refusal(event: string, message: string): HookAnswer {
  const record = { decision: 'reject', source: 'hook', reasonType: 'hook', reasonCode: `hook:${event}` };
  return { decision: { allow: false, message, record, denial: 'permission-rule' } };
}

function toolDecision(run: HookRun, all: readonly Said[], block: string | undefined): HookAnswer {
  const error = (reason: string) => refusal(run.event, `${run.name} hook error: ${reason}`);
  if (block !== undefined) return error(block);
  const says = (what: string) => all.find((said) => said.permission?.says === what)?.permission;
  const denied = says('deny');
  if (denied) return error(denied.reason ?? 'Blocked by hook');
  const stop = all.find((said) => said.stop !== undefined)?.stop;
  // Whoever wants everything to end does not want the call to run first.
  if (stop !== undefined) return error(stop);
  const asks = says('ask');
  if (asks) return { says: { what: 'ask', reason: asks.reason ?? `${run.name} hook wants a person to decide.` } };
  return says('allow') ? { says: { what: 'allow' } } : {};
}

function permission(run: HookRun, all: readonly Said[], block: string | undefined, entries: JsonObject[]): HookAnswer {
  const denied = all.find((said) => said.permission?.says === 'deny')?.permission;
  if (block !== undefined || denied) {
    const message = denied?.reason ?? block ?? 'Denied by a PermissionRequest hook';
    return { ...refusal(run.event, message), entries: [...entries, permissionEntry(run, 'deny')] };
  }
  if (!all.some((said) => said.permission?.says === 'allow')) return { entries };
  const record = { decision: 'accept', source: 'hook', reasonType: 'hook', reasonCode: 'unknown' };
  return { decision: { allow: true, record }, entries: [...entries, permissionEntry(run, 'allow')] };
}

function promptAnswer(
  prompt: string,
  block: string | undefined,
  stop: string | undefined,
  entries: JsonObject[],
): HookAnswer {
  if (block !== undefined) {
    const words = `UserPromptSubmit operation blocked by hook:\n${block}\n\nOriginal prompt: ${prompt}`;
    return { block: words, entries: [promptEnding(words, 'blocked_by_hook', block)] };
  }
  if (stop === undefined) return { entries };
  const words = `Operation stopped by hook: ${stop}`;
  const told = { type: 'user', message: { role: 'user', content: words }, isMeta: true };
  return { stop: words, entries: [...entries, told, promptEnding(words, 'stopped_by_hook', stop)] };
}
