/** EnterPlanMode and ExitPlanMode: the person says yes to both. */
import { z } from 'zod';
import { defineTool } from '../tools/define.ts';
import type { Tool } from '../tools/tool.ts';
import type { Planning } from './planning.ts';
import { approved, ENTERED, LEFT } from './words.ts';

export function createPlanTools(planning: Planning): { readonly enter: Tool; readonly exit: Tool } {
  const enter = defineTool({
    name: 'EnterPlanMode',
    description:
      'Asks the user to plan first: until the plan is approved nothing can be changed. For work of several steps whose way is open, where a wrong start would cost much. Not for questions, nor for small or clear tasks.',
    input: z.object({}),
    acts: 'notes',
    parallel: false,
    run: async () => {
      const follow = [planning.enter()];
      return { content: `${ENTERED} Nothing can be changed meanwhile.`, result: { message: ENTERED }, follow };
    },
  });
  const exit = defineTool({
    name: 'ExitPlanMode',
    description:
      'In plan mode: shows the plan to the user and asks for approval; with it plan mode ends and you may begin. Call it when the plan is ready, in the plan file or given here. Only for work that changes something, never to answer a question.',
    input: z.object({
      plan: z.string().optional().describe('The plan, as Markdown; left out where it stands in the plan file'),
    }),
    acts: 'notes',
    parallel: false,
    run: async ({ plan: given }) => {
      if (given !== undefined && given.trim() !== '') planning.write(given);
      const plan = planning.read() ?? null;
      const content = plan === null || plan.trim() === '' ? LEFT : approved(plan, planning.file);
      const follow = [planning.leave()];
      return { content, result: { plan, isAgent: false, filePath: planning.file }, follow };
    },
  });
  return {
    enter: only(enter, 'There is nobody to approve plan mode. Go on without it.', () =>
      planning.mode === 'plan' ? 'Plan mode is on already.' : undefined,
    ),
    exit: only(
      exit,
      'There is nobody to approve the plan, so plan mode stays on and nothing may be changed. Give the whole plan as your answer and end here; the user can let it be carried out by going on with the session in another mode.',
      () => (planning.mode === 'plan' ? undefined : 'Plan mode is not on: there is nothing to leave. Go on.'),
    ),
  };
}

/** `unfit`: why it makes no sense now; nobody is asked then. */
function only(tool: Tool, alone: string, unfit: () => string | undefined): Tool {
  return { ...tool, question: { alone }, refuse: (input) => tool.refuse(input) ?? unfit() };
}
