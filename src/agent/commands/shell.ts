/** The `!` commands of a text: run like any other, after the same question. */
import { randomUUID } from 'node:crypto';
import type { Rule } from '../permissions/types.ts';
import type { Gate } from '../ports.ts';
import type { Tool, ToolSession } from '../tools/tool.ts';
import { CommandTrouble, type RunShell } from './expand.ts';

export interface ShellParts {
  readonly gate: Gate;
  readonly bash: Tool | undefined;
  readonly session: ToolSession;
}

const TIMEOUT_MS = 120_000;

/** `granted`: the rules of the command's own head. */
export function createRunShell(
  { gate, bash, session }: ShellParts,
  granted: readonly Rule[],
  signal: AbortSignal,
): RunShell {
  return async (command, pattern) => {
    if (bash === undefined) throw new CommandTrouble(`There is no Bash for ${pattern}.`);
    const decision = await gate.decide({ id: randomUUID(), tool: bash, input: { command }, signal, granted });
    if (!decision.allow) {
      throw new CommandTrouble(`Shell command permission check failed for pattern "${pattern}": ${decision.message}`);
    }
    const { cwd, env } = session;
    const ran = await session.shells.run({ command, cwd, env, signal, timeoutMs: TIMEOUT_MS });
    const text = ran.failure ?? `${ran.output.head}${ran.output.tail}`.trimEnd();
    if (ran.failure === undefined && ran.why === 'exit' && ran.code === 0) return text;
    throw new CommandTrouble(`Shell command failed for pattern "${pattern}": ${text}`);
  };
}
