/** Kinds of agents as programs hand them in: by name, as JSON. */
import { plainName } from '../../../agent/subagents/find.ts';
import type { AgentType } from '../../../agent/subagents/types.ts';
import { asArray, asObject, asString, type Json, type JsonObject } from '../../../format/json.ts';

/** What lacks a description or a prompt is left out. */
export function agentsIn(value: Json | undefined): AgentType[] {
  return Object.entries(asObject(value) ?? {}).flatMap(([name, definition]) => agentOf(name, asObject(definition)));
}

function agentOf(name: string, definition: JsonObject = {}): AgentType[] {
  const description = asString(definition.description);
  const prompt = asString(definition.prompt);
  if (!description || prompt === undefined) return [];
  const model = asString(definition.model);
  const tools = namesIn(definition.tools);
  return [
    {
      name,
      description,
      prompt,
      ...(tools && !tools.includes('*') && { tools }),
      without: namesIn(definition.disallowedTools) ?? [],
      ...(model && model !== 'inherit' && { model }),
      isBuiltIn: false,
      isReadOnly: false,
    },
  ];
}

function namesIn(value: Json | undefined): string[] | undefined {
  return asArray(value)?.flatMap((each) => {
    const name = asString(each);
    return name === undefined ? [] : [plainName(name)];
  });
}
