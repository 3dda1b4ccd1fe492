/** Prompts of servers, called like commands: `/mcp__server__prompt arguments`. */
import type { JsonObject } from '../../format/json.ts';
import { wordsOf } from '../commands/expand.ts';
import type { Connection } from './connection.ts';
import { blockOf } from './content.ts';
import { keepBytes } from './keep.ts';
import { safeName } from './names.ts';
import type { ToolParts } from './tools.ts';
import type { AgentMcp } from './types.ts';

export function commandsOf(connections: Iterable<Connection>): AgentMcp['commands'] {
  return [...connections].flatMap(({ name, prompts }) =>
    prompts.map((prompt) => {
      const hint = (prompt.arguments ?? [])
        .map((each) => (each.required ? `<${each.name}>` : `[${each.name}]`))
        .join(' ');
      return {
        name: commandName(name, prompt.name),
        description: prompt.description ?? prompt.title ?? '',
        ...(hint !== '' && { argumentHint: hint }),
      };
    }),
  );
}

function commandName(server: string, prompt: string): string {
  return `mcp__${safeName(server)}__${safeName(prompt)}`;
}

/** What the server makes of it, as blocks to be told to the model. Undefined where there is no such prompt; throws an Error in words. */
export async function promptBlocks(
  connections: Iterable<Connection>,
  called: { readonly name: string; readonly args: string },
  parts: ToolParts,
  signal: AbortSignal,
): Promise<JsonObject[] | undefined> {
  for (const connection of connections) {
    const prompt = connection.prompts.find((each) => commandName(connection.name, each.name) === called.name);
    if (prompt === undefined) continue;
    const names = prompt.arguments ?? [];
    const words = wordsOf(called.args);
    // The last takes what is left.
    const values = names.map((_, i) => (i === names.length - 1 ? words.slice(i).join(' ') : (words[i] ?? '')));
    const missing = names.find(({ required }, i) => required && values[i] === '');
    if (missing !== undefined) throw new Error(`/${called.name} lacks ${missing.name}.`);
    const given = Object.fromEntries(names.flatMap(({ name }, i) => (values[i] ? [[name, values[i]]] : [])));
    const { messages } = await connection.use((client) =>
      client.getPrompt({ name: prompt.name, arguments: given }, { signal }),
    );
    const keep = (bytes: Uint8Array, type: string) => keepBytes(parts.folder(), 'prompt', bytes, type);
    const blocks = messages.flatMap(({ content }) => blockOf(content, { server: connection.name, keep }));
    return blocks.filter(({ type, text }) => type !== 'text' || String(text).trim() !== '');
  }
  return undefined;
}
