/** StructuredOutput: the answer in a form that was asked for, as the last call of a turn. */
import { z } from 'zod';
import type { Json, JsonObject } from '../format/json.ts';
import type { Tool } from './tools/tool.ts';

export const STRUCTURED = 'StructuredOutput';

/** What of a schema cannot be checked is left to the model, and told. */
export function structuredTool(schema: JsonObject, notice: (words: string) => void): Tool {
  const form = formOf(schema, notice);
  const wrong = (input: Json): string | undefined => {
    const error = form?.safeParse(input).error;
    if (error === undefined) return undefined;
    const issues = error.issues.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`);
    return `Output does not match required schema: ${issues.join(', ')}`;
  };
  const description =
    'Hands over the final answer in the form that was asked for. Call it exactly once, at the very end: the turn is over with it.';
  return {
    name: STRUCTURED,
    description,
    acts: 'notes',
    definition: () => ({ name: STRUCTURED, description, input_schema: schema }),
    refuse: wrong,
    parallel: () => false,
    run: async (input) => {
      const told = 'Structured output provided successfully';
      return { content: told, result: told, ends: { value: input, words: JSON.stringify(input) } };
    },
  };
}

function formOf(schema: JsonObject, notice: (words: string) => void): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    notice(`Answers are not checked against the JSON schema, of which nothing can be made here: ${why}`);
    return undefined;
  }
}
