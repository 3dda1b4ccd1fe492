/** TodoWrite: the model's list of what is to do. */
import { z } from 'zod';
import { defineTool } from './define.ts';
import type { Tool } from './tool.ts';

const input = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: z.string().min(1).describe('What is to do, e.g. "Run the tests"'),
        status: z.enum(['pending', 'in_progress', 'completed']),
        activeForm: z.string().min(1).describe('The same while it is being done, e.g. "Running the tests"'),
      }),
    )
    .describe('The whole list as it should be now'),
});

export const todoWrite: Tool = defineTool({
  name: 'TodoWrite',
  description:
    'Keeps a list of steps for work that has several, and shows it to the person. Each call replaces the whole list. Set one step in_progress before you begin it and completed as soon as it is done.',
  input,
  acts: 'notes',
  run: async ({ todos }, { session }) => {
    const oldTodos = [...session.todos];
    session.todos = todos;
    const count = (status: string) => todos.filter((todo) => todo.status === status).length;
    return {
      content: `The list is kept: ${count('completed')} done, ${count('in_progress')} in progress, ${count('pending')} to do.`,
      result: { oldTodos, newTodos: todos },
    };
  },
});
