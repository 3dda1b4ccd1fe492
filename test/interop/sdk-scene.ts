/** What scenes with the Agent SDK are made of. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../src/format/json.ts';
import { hold, type Script, says, toolUse } from '../support/scripted-model.ts';
import type { Stage } from './sdk.ts';

export interface Scene {
  /** Made anew for each run. */
  readonly script: () => Script;
  play(stage: Stage): Promise<JsonObject>;
}

/** The same ids in each run. */
let count = 0;
export const bash = (command: string) => says([toolUse('Bash', { command }, `toolu_${count++}`)]);

export function scriptOf({ script }: Scene): Script {
  count = 0;
  return script();
}
export const ONE = '11111111-1111-4111-8111-111111111111';
export const TWO = '22222222-2222-4222-8222-222222222222';
export const held = new Map<string, ReturnType<typeof hold>>();

/** A place where the model waits; the same for the script and the play of one run. */
export function gate(name: string): ReturnType<typeof hold> {
  const made = hold();
  held.set(name, made);
  return made;
}

export function made({ cwd }: Pick<Stage, 'cwd'>, ...names: string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, existsSync(join(cwd, name))]));
}

/** What results tell the model, of its calls in the session itself. */
export function results({ seen }: Stage): JsonObject[] {
  return seen
    .filter(({ type, parent_tool_use_id }) => type === 'user' && parent_tool_use_id === null)
    .flatMap(({ message }) => asArray(asObject(message)?.content)?.filter(isObject) ?? [])
    .filter(({ type }) => type === 'tool_result')
    .map(({ content, is_error = false }) => ({ content: asString(content) ?? '(blocks)', is_error }));
}

/** Which results are of the session that was begun first. */
export function idsOf({ seen }: Stage): boolean[] {
  const results = seen.filter(({ type }) => type === 'result');
  return results.map(({ session_id }) => session_id === seen[0]?.session_id);
}

/** How many answers of before each request tells of. */
export function answersSent({ api }: Stage): number[] {
  return api.turns.map(({ messages }) => messages.filter(({ role }) => role === 'assistant').length);
}

export function models({ api }: Stage): string[] {
  return api.turns.map(({ body }) => asString(body.model) ?? '');
}
