/** Which tools are offered. */
import type { AgentOptions } from './agenttypes.ts';
import { isOfTool } from './permissions/rules.ts';
import type { Planning } from './plan/planning.ts';
import type { LoopParts } from './ports.ts';

/** Tools that only a person can answer are not offered where there is none; in plan mode the model is told why. */
export async function questions({ ask, mode }: AgentOptions, planning: Planning): Promise<LoopTool[]> {
  if (ask === undefined && mode !== 'plan') return [];
  const { createPlanTools } = await import('./plan/tools.ts');
  const { enter, exit } = createPlanTools(planning);
  if (ask === undefined) return [exit];
  const { askUserQuestion } = await import('./tools/askuserquestion.ts');
  return [askUserQuestion, enter, exit];
}

/** A tool that is forbidden altogether is not offered. */
export function chosenTools(all: readonly LoopTool[], options: AgentOptions): Map<string, LoopTool> {
  const { rules, notice } = options;
  const tools = options.tools?.map((name) => (name === 'Task' ? 'Agent' : name));
  for (const unknown of tools?.filter((wanted) => !all.some(({ name }) => name === wanted)) ?? []) {
    notice(`There is no tool named ${unknown}. There are: ${all.map(({ name }) => name).join(', ')}.`);
  }
  const denying = rules.filter(
    ({ behaviour, spec, problem }) => behaviour === 'deny' && (spec === undefined || problem !== undefined),
  );
  const isForbidden = (name: string) => denying.some((rule) => isOfTool(rule, name));
  const isChosen = (name: string) => tools === undefined || tools.includes(name);
  return new Map(all.filter(({ name }) => isChosen(name) && !isForbidden(name)).map((tool) => [tool.name, tool]));
}

type LoopTool = LoopParts['tools'] extends ReadonlyMap<string, infer T> ? T : never;
