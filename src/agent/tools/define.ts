/** A tool from its specification: the schema tells the model what to send and checks what it sent. */
import { z } from 'zod';
import { asObject, type Json, type JsonObject } from '../../format/json.ts';
import { failed, type Tool, type ToolSpec } from './tool.ts';

export function defineTool<Input>(spec: ToolSpec<Input>): Tool {
  const { name, description, acts, input: schema } = spec;
  const parallel = spec.parallel ?? acts === 'reads';
  const read = (input: JsonObject): Input | undefined => schema.safeParse(input).data;
  const path = spec.path;
  return {
    name,
    description,
    acts,
    definition: () => ({ name, description, input_schema: jsonSchema(schema) }),
    refuse: (input) => {
      const { error } = schema.safeParse(input);
      return error && `The input of ${name} is not right. ${z.prettifyError(error)}`;
    },
    parallel: (input) => {
      if (typeof parallel === 'boolean') return parallel;
      const parsed = read(input);
      return parsed !== undefined && parallel(parsed);
    },
    ...(path && {
      path: (input: JsonObject) => {
        const parsed = read(input);
        return parsed === undefined ? undefined : path(parsed);
      },
    }),
    run: async (input, host) => {
      const { data, error } = schema.safeParse(input);
      if (error) return failed(`The input of ${name} is not right. ${z.prettifyError(error)}`);
      return spec.run(data, host);
    },
  };
}

function jsonSchema(schema: z.ZodType): JsonObject {
  const made: Json = JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
  return asObject(made) ?? {};
}
