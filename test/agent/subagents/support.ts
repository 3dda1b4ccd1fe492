/** What agents wrote, and what our own verbs tell of it. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asArray, asObject, isObject, type JsonObject, parseJson } from '../../../src/format/json.ts';
import { transcriptsBelow } from '../../support/files.ts';
import { runHere } from '../../support/inprocess.ts';
import type { TalkWith } from '../talkwith.ts';
import { linesOf } from '../world.ts';

export const task = (prompt: string, more: JsonObject = {}) => ({ description: 'A task', prompt, ...more });

export interface Written {
  readonly file: string;
  readonly main: JsonObject[];
  readonly agents: readonly { readonly file: string; readonly lines: JsonObject[]; readonly meta: JsonObject }[];
}

export function written({ home }: TalkWith): Written {
  const files = transcriptsBelow(join(home, '.claude', 'projects'));
  const isAgent = (file: string) => basename(dirname(file)) === 'subagents';
  const file = files.find((each) => !isAgent(each)) ?? '';
  const agents = files.filter(isAgent).map((each) => ({
    file: each,
    lines: linesOf(each),
    meta: asObject(parseJson(readFileSync(each.replace('.jsonl', '.meta.json'), 'utf8'))) ?? {},
  }));
  return { file, main: linesOf(file), agents };
}

export function results(lines: readonly JsonObject[]): { block: JsonObject; entry: JsonObject }[] {
  return lines.flatMap((entry) =>
    (asArray(asObject(entry.message)?.content) ?? [])
      .filter(isObject)
      .filter(({ type }) => type === 'tool_result')
      .map((block) => ({ block, entry })),
  );
}

export async function told(it: TalkWith, ...argv: string[]): Promise<JsonObject> {
  const env = { HOME: it.home, CLAUDE_CONFIG_DIR: join(it.home, '.claude') };
  return asObject((await runHere([...argv, '--json'], env)).json()) ?? {};
}
