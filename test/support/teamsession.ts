/** Small sessions made by hand, with something to find in every corner. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../src/format/json.ts';
import { projectSlug } from '../../src/format/slug.ts';

export interface SmallSession {
  readonly id: string;
  readonly cwd: string;
  readonly lines: readonly JsonObject[];
  /** By path below the session's folder: sub-agents, outputs, titles. */
  readonly beside?: Readonly<Record<string, string>>;
  readonly torn?: string;
}

export function uuidOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

export function writeSession(root: string, { id, cwd, lines, beside = {}, torn = '' }: SmallSession): string {
  const folder = join(root, 'projects', projectSlug(cwd));
  const file = join(folder, `${id}.jsonl`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join('') + torn);
  for (const [name, text] of Object.entries(beside)) {
    const path = join(folder, id, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return file;
}

interface Said {
  readonly id: string;
  readonly cwd: string;
  readonly n: number;
  readonly text: string;
}

function common({ id, cwd, n }: Said): JsonObject {
  return {
    parentUuid: n % 100 > 1 ? uuidOf(n - 1) : null,
    isSidechain: false,
    userType: 'external',
    cwd,
    sessionId: id,
    version: '2.1.0',
    gitBranch: 'main',
    uuid: uuidOf(n),
    timestamp: new Date(Date.UTC(2026, 0, 2, 3, 0, n)).toISOString(),
  };
}

export function prompt(said: Said): JsonObject {
  return { ...common(said), type: 'user', message: { role: 'user', content: said.text } };
}

export function answer(said: Said, more: readonly JsonObject[] = []): JsonObject {
  const usage = {
    input_tokens: 3,
    output_tokens: 7 + said.n,
    cache_creation_input_tokens: 11,
    cache_read_input_tokens: 13,
  };
  return {
    ...common(said),
    type: 'assistant',
    requestId: `req_${said.n}`,
    message: {
      id: `msg_${said.n}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-5',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: said.text }, ...more],
      usage,
    },
  };
}

export function call(id: string, input: JsonObject, name = 'Bash'): JsonObject {
  return { type: 'tool_use', id, name, input };
}

export function result(said: Said, id: string): JsonObject {
  const content = [{ type: 'tool_result', tool_use_id: id, content: said.text, is_error: false }];
  const toolUseResult = { stdout: said.text, stderr: '', interrupted: false };
  return { ...common(said), type: 'user', message: { role: 'user', content }, toolUseResult };
}

/** A session of so many turns, each with a tool call. */
export function turns(id: string, cwd: string, count: number, from = 1, word = 'plain'): JsonObject[] {
  return Array.from({ length: count }, (_, turn) => {
    const n = from + turn * 4;
    const say = (place: number, text: string) => ({ id, cwd, n: n + place, text });
    return [
      prompt(say(0, `${word} question ${turn}`)),
      answer(say(1, `${word} answer ${turn}`), [call(`toolu_${n}`, { command: `echo ${word} ${turn}` })]),
      result(say(2, `${word} output ${turn}`), `toolu_${n}`),
      answer(say(3, `${word} done ${turn}`)),
    ];
  }).flat();
}

/** What all rows of a file have. */
export const ROW_COLUMNS = {
  session: 's',
  name: 's.jsonl',
  person: 'p',
  retention: 'r',
  version: 1,
  deleted: 0,
  slug: '',
  agent: '',
} as const;
