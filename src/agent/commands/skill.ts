/** Skill: the model calls a skill or command by its name and is told what it says. */
import { z } from 'zod';
import { defineTool } from '../tools/define.ts';
import { failed, type Tool, type ToolHost, type ToolOutcome } from '../tools/tool.ts';
import { CommandTrouble, expand, type RunShell } from './expand.ts';
import type { Command } from './find.ts';

export interface SkillParts {
  readonly commands: ReadonlyMap<string, Command>;
  readonly sessionId: () => string;
  readonly shell: (allowed: readonly string[], signal: AbortSignal) => RunShell;
  /** What the skill lets run unasked, for the rest of the turn. */
  readonly grant: (rules: readonly string[]) => void;
}

const input = z.object({
  skill: z.string().min(1).describe('The name of the skill, as listed'),
  args: z.string().optional().describe('What it is to be told'),
});

export function createSkillTool(parts: SkillParts): Tool {
  return defineTool({
    name: 'Skill',
    description:
      'Loads a skill: instructions that the user or the project keeps for a kind of work. Those that there are stand in the system prompt. Call it before you begin when a skill fits the task, then follow what it says. Do not call names that are not listed.',
    input,
    acts: 'notes',
    parallel: false,
    run: (request, host) => runSkill(request, host, parts),
  });
}

async function runSkill(
  { skill, args = '' }: z.infer<typeof input>,
  host: ToolHost,
  parts: SkillParts,
): Promise<ToolOutcome> {
  const name = skill.replace(/^\//, '');
  const command = parts.commands.get(name);
  if (command === undefined || command.isForPeople) {
    const names = callable(parts.commands).map((each) => each.name);
    return failed(
      `There is no skill named ${name}. ${names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}`}`,
    );
  }
  try {
    const allowed = command.isStrange ? [] : command.allowedTools;
    const run = parts.shell(allowed, host.signal);
    const text = await expand(command, args, parts.sessionId(), run);
    parts.grant(allowed);
    return {
      content: `Launching skill: ${name}`,
      result: { success: true, commandName: name },
      follow: [{ kind: 'meta', content: [{ type: 'text', text }], sourceToolUseID: host.id }, permissionsOf(allowed)],
    };
  } catch (error) {
    if (error instanceof CommandTrouble) return failed(error.message);
    throw error;
  }
}

export function permissionsOf(allowedTools: readonly string[]) {
  const attachment = { type: 'command_permissions', allowedTools: [...allowedTools] };
  return { kind: 'attachment' as const, attachment, rendered: [] };
}

export function callable(commands: ReadonlyMap<string, Command>): Command[] {
  return [...commands.values()].filter(({ isForPeople }) => !isForPeople);
}

const MOST_WORDS = 500;
const MOST_CHARS = 15_000;

/** What the model is told there is; empty when there is nothing. */
export function skillsText(commands: ReadonlyMap<string, Command>): string {
  const lines = callable(commands).map(({ name, description }) => `- ${name}: ${description.slice(0, MOST_WORDS)}`);
  if (lines.length === 0) return '';
  const text = lines.join('\n');
  const cut = text.length <= MOST_CHARS ? text : `${text.slice(0, text.lastIndexOf('\n', MOST_CHARS))}\n- … and more`;
  return `# Skills\nLoad one with the Skill tool when it fits the task:\n${cut}`;
}
