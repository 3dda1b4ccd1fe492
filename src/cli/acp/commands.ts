/** The commands that can be typed in a session, with a word on each. */
import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { Agent } from '../../agent/agenttypes.ts';
import { safeLine } from '../../views/safe.ts';

/** An editor begins and opens sessions itself. */
const LEFT_OUT = new Set(['clear', 'resume']);

export function commandsOf({ commandList, mcp }: Pick<Agent, 'commandList' | 'mcp'>): AvailableCommand[] {
  // Servers may tell of their prompts later on.
  const prompts = mcp.commands.map(({ name, description, argumentHint: hint }) => ({ name, description, hint }));
  const byName = new Map([...commandList, ...prompts].map((each) => [each.name, each]));
  return [...byName.values()].flatMap(({ name, description, hint }) => {
    if (LEFT_OUT.has(name)) return [];
    const input = hint ? { input: { hint: safeLine(hint) } } : {};
    return [{ name, description: safeLine(description) || name, ...input }];
  });
}
