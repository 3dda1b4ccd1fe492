/** `--permission-prompt-tool`: a tool of a server decides in a person's stead. What it does not clearly allow is denied. */
import { asObject, asString, parseJson } from '../../format/json.ts';
import type { Consent } from '../gate.ts';
import type { Asked } from '../ports.ts';
import type { AgentMcp } from './types.ts';

export function askTool(name: string, mcp: Pick<AgentMcp, 'call'>): (asked: Asked) => Promise<Consent> {
  return async ({ id, tool, input, signal }) => {
    const { text, isError } = await mcp.call(name, { tool_name: tool.name, input, tool_use_id: id }, signal);
    return isError ? denied(`${name}, which decides what may run, failed: ${text}`) : consentOf(text, name);
  };
}

export function consentOf(text: string, name: string): Consent {
  const said = asObject(parseJson(text));
  if (said?.behavior === 'allow') {
    if (said.updatedInput === undefined || said.updatedInput === null) return 'once';
    const input = asObject(said.updatedInput);
    if (input !== undefined) return { input };
  }
  const message = asString(said?.message);
  if (said?.behavior === 'deny' && message !== undefined) return denied(message, said.interrupt === true);
  return denied(`${name}, which decides what may run, gave an answer that is neither a yes nor a no.`);
}

function denied(deny: string, interrupt = false): Consent {
  return { deny, interrupt };
}
