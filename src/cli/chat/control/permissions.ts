/** `can_use_tool`: the program is asked before a tool is used, and may change what holds for the rest of the session. */
import type { Consent } from '../../../agent/gate.ts';
import { hostOf } from '../../../agent/permissions/domains.ts';
import type { Asked } from '../../../agent/ports.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../../format/json.ts';
import type { Channel, Reply } from './channel.ts';

export interface AskingParts {
  readonly channel: Channel;
  /** Told when somebody is waited for, and when no more. */
  waits(isWaiting: boolean): void;
  /** `updatedPermissions` of an answer. */
  update(updates: readonly JsonObject[]): void;
}

export function askProgram({ channel, waits, update }: AskingParts): (asked: Asked, why: string) => Promise<Consent> {
  return async (asked, why) => {
    waits(true);
    const reply = await channel.ask(requestOf(asked, why), { signal: asked.signal });
    waits(false);
    return consentOf(reply, update);
  };
}

function requestOf({ id, tool, input, agent }: Asked, why: string): JsonObject {
  const path = tool.path?.(input);
  const about = asString(input.description) ?? asString(input.command) ?? path ?? asString(input.url);
  return {
    subtype: 'can_use_tool',
    tool_name: tool.name,
    display_name: tool.name,
    input,
    ...(about !== undefined && { description: about }),
    permission_suggestions: suggestionsFor(tool, input),
    ...(path !== undefined && { blocked_path: path }),
    decision_reason: why,
    tool_use_id: id,
    ...(agent && { agent_id: agent.id, agent_type: agent.type }),
  };
}

/** What would save the next question of this kind, in the client's words. */
function suggestionsFor({ name, acts }: Asked['tool'], input: JsonObject): JsonObject[] {
  if (acts === 'writes') return [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  const host = hostOf(asString(input.url) ?? '');
  const ruleContent = asString(input.command) ?? (host === undefined ? undefined : `domain:${host}`);
  const rule = { toolName: name, ...(ruleContent !== undefined && { ruleContent }) };
  return [{ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'localSettings' }];
}

/** Only a clear yes is one. */
function consentOf(reply: Reply, update: AskingParts['update']): Consent {
  if (reply.kind === 'gone') return GONE;
  if (reply.kind === 'error') return { deny: reply.error, interrupt: false };
  const said = reply.response;
  if (said.behavior !== 'allow') {
    return { deny: asString(said.message) || 'It was denied without a word.', interrupt: said.interrupt === true };
  }
  update(asArray(said.updatedPermissions)?.filter(isObject) ?? []);
  const input = asObject(said.updatedInput);
  return input === undefined ? 'once' : { input };
}

const GONE: Consent = { deny: 'The program that decides did not answer, so it was not run.', interrupt: true };
