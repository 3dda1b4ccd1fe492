/** The questions of the model as a form, and what was filled in. */
import type { CreateElicitationResponse, ElicitationPropertySchema, ElicitationSchema } from '@agentclientprotocol/sdk';
import { asArray, asString, isObject, type JsonObject } from '../../format/json.ts';
import { safeLine } from '../../views/safe.ts';

interface Question {
  readonly question: string;
  readonly several: boolean;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

export function formOf(input: JsonObject): ElicitationSchema {
  const fields = questionsOf(input).flatMap((question, i): [string, ElicitationPropertySchema][] => [
    [`answer${i}`, choiceOf(question)],
    [`own${i}`, { type: 'string', title: 'Or in your own words' }],
  ]);
  return { type: 'object', properties: Object.fromEntries(fields) };
}

function choiceOf({ question, several, options }: Question): ElicitationPropertySchema {
  const title = safeLine(question);
  const anyOf = options.map(({ label, description }) => ({
    const: label,
    title: safeLine(label),
    description: safeLine(description),
  }));
  return several ? { type: 'array', title, items: { anyOf } } : { type: 'string', title, oneOf: anyOf };
}

/** By question; undefined when they were not answered. Own words count more than a choice. */
export function answersIn(input: JsonObject, response: CreateElicitationResponse): JsonObject | undefined {
  if (response.action !== 'accept' || !('content' in response)) return undefined;
  const filled = new Map<string, unknown>(Object.entries(response.content ?? {}));
  const answers: JsonObject = {};
  for (const [i, { question }] of questionsOf(input).entries()) {
    const said = [`own${i}`, `answer${i}`].map((name) => textOf(filled.get(name))).find((text) => text !== '');
    if (said !== undefined) answers[question] = said;
  }
  return Object.keys(answers).length === 0 ? undefined : answers;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string').join(', ');
  return typeof value === 'string' ? value.trim() : '';
}

export function questionsOf(input: JsonObject): Question[] {
  return (asArray(input.questions)?.filter(isObject) ?? []).map((each) => ({
    question: asString(each.question) ?? '',
    several: each.multiSelect === true,
    options: (asArray(each.options)?.filter(isObject) ?? []).map(({ label, description }) => ({
      label: asString(label) ?? '',
      description: asString(description) ?? '',
    })),
  }));
}
