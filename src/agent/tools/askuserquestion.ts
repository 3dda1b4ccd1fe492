/** AskUserQuestion: the person chooses. The answers come with the permission, as the input of the call. */
import { z } from 'zod';
import { defineTool } from './define.ts';
import { failed, type Tool } from './tool.ts';

const question = z.object({
  question: z.string().min(1).describe('The whole question'),
  header: z.string().describe('A word or two that stand for it (12 characters at most)'),
  options: z
    .array(
      z.object({
        label: z.string().min(1).describe('One to five words'),
        description: z.string().describe('What it means to choose it'),
      }),
    )
    .min(2)
    .max(4)
    .describe('What can be chosen; "other" is always possible and need not be named'),
  multiSelect: z.boolean().default(false).describe('Several may be chosen'),
});

const input = z
  .object({
    questions: z.array(question).min(1).max(4).describe('One to four questions'),
    answers: z.record(z.string(), z.string()).optional().describe('Filled in by the user'),
  })
  .refine(({ questions }) => new Set(questions.map((each) => each.question)).size === questions.length, {
    message: 'Each question must differ from the others.',
  });

export const askUserQuestion: Tool = {
  ...defineTool({
    name: 'AskUserQuestion',
    description:
      'Asks the user to choose, where the work depends on something only they can decide: what is meant, which way to take. Put the option you would take first and say so in its label. Do not ask what you can find out yourself, nor whether a plan is good: that is for ExitPlanMode.',
    input,
    acts: 'notes',
    parallel: false,
    run: async ({ questions, answers = {} }) => {
      const told = Object.entries(answers).map(([asked, answer]) => `"${asked}"="${answer}"`);
      if (told.length === 0) return failed('The user did not answer the questions.');
      const isChosen = questions.every((each) => isOption(each, answers[each.question]));
      const content = isChosen
        ? `Your questions have been answered: ${told.join(', ')}. You can now continue with these answers in mind.`
        : `The user answered: ${told.join(', ')}. Read the answers carefully: they may ask for something else, or want you not to go on.`;
      return { content, result: { questions, answers, annotations: {} } };
    },
  }),
  question: {
    isOpen: true,
    alone: 'There is nobody to ask. Decide yourself, say what you took for granted, and go on.',
  },
};

/** Several that were chosen stand in one text. */
function isOption({ options }: z.infer<typeof question>, answer: string | undefined): boolean {
  const labels = new Set(options.map(({ label }) => label));
  return answer === undefined || labels.has(answer) || answer.split(', ').every((each) => labels.has(each));
}
