/** What every request of a session is made with. */
import type { AgentOptions } from './agenttypes.ts';
import { factsOf } from './model/models.ts';
import type { LoopParts } from './ports.ts';
import { environmentText } from './prompt/environment.ts';
import { memoryText, readMemory } from './prompt/memory.ts';
import { systemPrompt } from './prompt/system.ts';
import { shellOf } from './tools/shell/script.ts';

/** `prompt`: of an agent, instead of the session's own words. `extras`: what is told of skills and servers. */
export function askWith(
  options: AgentOptions,
  model: string,
  extras: readonly string[],
  prompt?: string,
): LoopParts['ask'] {
  return {
    model,
    system: systemOf(options, model, extras, prompt),
    maxTokens: maxTokensOf(options.env, model),
    ...thinkingOf(options, model),
  };
}

function systemOf(options: AgentOptions, model: string, extras: readonly string[], prompt?: string): string[] {
  const { cwd, folders, home, config, env, sources } = options;
  const replaced = prompt ?? options.systemPrompt;
  const appended = prompt === undefined ? options.appendSystemPrompt : undefined;
  return systemPrompt({
    ...(replaced !== undefined && { replaced }),
    ...(appended !== undefined && { appended }),
    environment: environmentText({
      cwd,
      folders,
      model,
      now: options.now(),
      shell: shellOf(env),
      sandbox: options.sandbox?.words,
    }),
    memory: memoryText(readMemory({ cwd, home, config, folders, ...(sources && { sources }) })),
    extras,
  });
}

function maxTokensOf(env: AgentOptions['env'], model: string): number {
  const told = Number(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS);
  return Number.isInteger(told) && told > 0 ? told : factsOf(model).maxOutput;
}

function thinkingOf({ thinking }: AgentOptions, model: string): { thinking?: number } {
  const tokens = thinking ?? (factsOf(model).thinking === 'adaptive' ? 1 : 0);
  return tokens > 0 ? { thinking: tokens } : {};
}
