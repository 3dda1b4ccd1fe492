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
  for (const unknown of tools?.filter((wanted) => !isOfServer(wanted) && !all.some(({ name }) => name === wanted)) ??
    []) {
    notice(`There is no tool named ${unknown}. There are: ${all.map(({ name }) => name).join(', ')}.`);
  }
  const isDenied = denies(rules);
  // Who may not start agents may not go on with them either.
  const isForbidden = (name: string) => isDenied(name) || (name === 'SendMessage' && isDenied('Agent'));
  const isChosen = (name: string) => tools === undefined || tools.includes(name);
  return new Map(all.filter(({ name }) => isChosen(name) && !isForbidden(name)).map((tool) => [tool.name, tool]));
}

/** Tools of servers come later, and the choice among our own is none among theirs. */
export function isLeftOut({ rules, tools }: AgentOptions): (name: string) => boolean {
  const isDenied = denies(rules);
  return (name) => isDenied(name) || (!name.startsWith('mcp__') && tools !== undefined && !tools.includes(name));
}

function isOfServer(name: string): boolean {
  return /^mcp__|McpResource/.test(name);
}

function denies(rules: AgentOptions['rules']): (name: string) => boolean {
  const denying = rules.filter(
    ({ behaviour, spec, problem }) => behaviour === 'deny' && (spec === undefined || problem !== undefined),
  );
  return (name) => denying.some((rule) => isOfTool(rule, name));
}

type LoopTool = LoopParts['tools'] extends ReadonlyMap<string, infer T> ? T : never;
