/** What a person calls that is about servers: `/mcp`, and their prompts. */
import type { Understood } from '../commands/commands.ts';
import { type Called, calledText } from '../commands/parse.ts';
import type { TurnPrompt } from '../ports.ts';
import { mcpCommand } from './command.ts';
import type { SessionMcp } from './session.ts';

/** Undefined where it is neither. */
export async function calledOfServer(
  called: Called,
  { source }: TurnPrompt,
  mcp: SessionMcp,
  signal: AbortSignal,
): Promise<Understood | undefined> {
  const failure = (text: string) => ({ kind: 'local' as const, called, text, failed: true });
  if (called.name === 'mcp') return { ...failure(''), failed: false, ...(await mcpCommand(called.args, mcp)) };
  if (!called.name.startsWith('mcp__')) return undefined;
  try {
    const content = await mcp.promptBlocks(called, signal);
    if (content === undefined) return undefined;
    if (content.length === 0) return failure(`/${called.name} came to nothing: the server gave no words.`);
    const typed = `/${called.name}${called.args === '' ? '' : ` ${called.args}`}`;
    return {
      kind: 'prompt',
      prompt: { content: calledText(called), source, typed, follow: [{ kind: 'meta', content }] },
    };
  } catch (error) {
    return failure(error instanceof Error ? error.message : String(error));
  }
}
