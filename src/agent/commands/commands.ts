/** What a prompt comes to: words for the model, a command that becomes such words, or one that we answer ourselves. */
import { asString, type JsonObject } from '../../format/json.ts';
import { calledOfServer } from '../mcp/called.ts';
import type { SessionMcp } from '../mcp/session.ts';
import type { Gate, TurnPrompt } from '../ports.ts';
import type { Follow, Tool, ToolSession } from '../tools/tool.ts';
import { CommandTrouble, expand, type RunShell } from './expand.ts';
import type { Command } from './find.ts';
import { LOCAL_NAMES, type LocalHost, runLocal } from './local.ts';
import { mentionedFiles, reminder } from './mentions.ts';
import { type Called, calledIn, calledText } from './parse.ts';
import { permissionsOf } from './skill.ts';

export interface CommandParts {
  readonly commands: ReadonlyMap<string, Command>;
  readonly gate: Gate;
  readonly read: Tool | undefined;
  readonly session: ToolSession;
  readonly sessionId: () => string;
  readonly shell: (allowed: readonly string[], signal: AbortSignal) => RunShell;
  readonly local: LocalHost;
  readonly mcp: SessionMcp;
}

export type Understood =
  | { readonly kind: 'prompt'; readonly prompt: TurnPrompt; readonly command?: Command }
  /** Answered; what stands in the transcript and what is printed. */
  | { readonly kind: 'local'; readonly called: Called; readonly text: string; readonly failed: boolean }
  /** What was said so far is to become a summary. */
  | { readonly kind: 'compact'; readonly called: Called };

export async function understand(prompt: TurnPrompt, parts: CommandParts, signal: AbortSignal): Promise<Understood> {
  if (prompt.source === 'notice') return { kind: 'prompt', prompt };
  const typed = wordsIn(prompt.content);
  const called = typed === undefined ? undefined : calledIn(typed);
  if (called === undefined) {
    const files = await mentionedFiles(typed ?? '', parts, signal);
    const resources = typed?.includes('@') ? await parts.mcp.mentioned(typed, signal) : [];
    const follow = [...files, ...resources];
    return { kind: 'prompt', prompt: follow.length === 0 ? prompt : { ...prompt, follow } };
  }
  const command = parts.commands.get(called.name);
  if (command !== undefined && !command.isForModel) return callCommand(command, called, prompt, parts, signal);
  const ofServer = await calledOfServer(called, prompt, parts.mcp, signal);
  if (ofServer !== undefined) return ofServer;
  if (called.name === 'compact') return { kind: 'compact', called };
  const local = runLocal(called.name, called.args, parts.local);
  if (local !== undefined) {
    const { name, text, failed = false } = local;
    return { kind: 'local', called: { name, args: called.args }, text, failed };
  }
  return { kind: 'prompt', prompt: { ...prompt, follow: [unknown(called, parts.commands)] } };
}

/** Only words can be a command. */
function wordsIn(content: TurnPrompt['content']): string | undefined {
  if (typeof content === 'string') return content;
  const [first] = content;
  return content.length === 1 && first?.type === 'text' ? asString(first.text) : undefined;
}

async function callCommand(
  command: Command,
  called: Called,
  prompt: TurnPrompt,
  parts: CommandParts,
  signal: AbortSignal,
): Promise<Understood> {
  try {
    const text = await expand(command, called.args, parts.sessionId(), parts.shell(command.allowedTools, signal));
    const block: JsonObject = { type: 'text', text };
    const follow: Follow[] = [
      // An empty text is what the API refuses (A4).
      ...(text.trim() === '' ? [] : [{ kind: 'meta' as const, content: [block] }]),
      ...(await mentionedFiles(text, parts, signal)),
      permissionsOf(command.allowedTools),
    ];
    const typed = `/${called.name}${called.args === '' ? '' : ` ${called.args}`}`;
    return { kind: 'prompt', command, prompt: { content: calledText(called), source: prompt.source, typed, follow } };
  } catch (error) {
    if (!(error instanceof CommandTrouble)) throw error;
    return { kind: 'local', called, text: error.message, failed: true };
  }
}

function unknown({ name }: Called, commands: ReadonlyMap<string, Command>): Follow {
  const names = [...[...commands.keys()].slice(0, 50), ...LOCAL_NAMES];
  const listed = names.map((each) => `/${each}`).join(', ');
  const words = `The message begins like the slash command /${name}, which there is not here, so nothing was run. There are: ${listed}. Take the message as a plain request; do not say that the command ran.`;
  const attachment = { type: 'unknown_command_fallback', commandName: name, availableCommandNames: names };
  return { kind: 'attachment', attachment, rendered: [reminder(words)] };
}
