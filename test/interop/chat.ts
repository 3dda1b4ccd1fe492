/** `skein chat` in the home and folder of a judge, and what stands in the sessions that it wrote there. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { NO_RESPONSE } from '../../src/graph/context/close.ts';
import { type Chat, type ChatOptions, type ChatRun, chatWith } from '../support/chat.ts';
import { runHere } from '../support/inprocess.ts';
import { type Message, mapBlocks, PROMPT } from '../support/resume-cases.ts';
import type { Script } from '../support/scripted-model.ts';
import { NEWEST } from './clients.ts';
import { historyOf, ours } from './history.ts';
import type { Judge, Verdict } from './judge.ts';

/** Nobody is there to be asked. */
export const UNASKED = ['--permission-mode', 'bypassPermissions'];
export const STREAM = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json'];

/** Our client where the published one is at home. */
export function chatBeside({ config, workspace }: Judge, script: Script): Promise<Chat> {
  return chatWith(script, { home: dirname(config), cwd: workspace, config });
}

export interface OneSession {
  readonly id: string;
  readonly chat: Chat;
  /** Begins it, and later goes on with it. */
  say(prompt: string, flags?: readonly string[], options?: ChatOptions): Promise<ChatRun>;
}

export async function oneSession(judge: Judge, script: Script, id: string = randomUUID()): Promise<OneSession> {
  const chat = await chatBeside(judge, script);
  return {
    id,
    chat,
    say: (prompt, flags = [], options = {}) => {
      const args = ['-p', prompt, ...sessionFlags(judge, id), '--output-format', 'json', ...UNASKED, ...flags];
      return chat.run(args, options);
    },
  };
}

function sessionFlags({ project }: Judge, id: string): string[] {
  return [existsSync(join(project, `${id}.jsonl`)) ? '--resume' : '--session-id', id];
}

export function promptLine(content: Json): string {
  return `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`;
}

/** What our own readers say of it: nothing is wrong, these were its turns, so much was used, it is of this folder. */
export async function expectTold(
  judge: Judge,
  id: string,
  told: { readonly prompts: readonly string[]; readonly tokens?: readonly [number, number] },
): Promise<void> {
  expect(await wrongIn(judge, id)).toEqual([]);
  const verb = async (...argv: string[]) => asObject((await runHere([...argv, '--json'], envOf(judge))).json());
  const { turns } = (await verb('show', id)) ?? {};
  expect(objects(turns).map(({ prompt }) => prompt)).toEqual(told.prompts);
  const totals = asObject((await verb('usage', id))?.totals);
  if (told.tokens) expect([totals?.input, totals?.output]).toEqual(told.tokens);
  const chats = objects((await verb('list'))?.chats);
  const chat = chats.find(({ sessions }) => objects(sessions).some((session) => session.id === id));
  expect(chat?.project).toBe(judge.workspace);
}

/** What `skein check` calls an error. */
export async function wrongIn(judge: Judge, id: string): Promise<JsonObject[]> {
  const { json } = await runHere(['check', id, '--json'], envOf(judge));
  const report = asObject(json());
  expect(objects(report?.inventory)).toHaveLength(1);
  return objects(report?.issues).filter(({ severity }) => severity === 'error');
}

export function envOf({ config }: Judge): Record<string, string> {
  return { HOME: dirname(config), CLAUDE_CONFIG_DIR: config };
}

function objects(value: Json | undefined): JsonObject[] {
  return (asArray(value) ?? []).filter(isObject);
}

/** The published client goes on with it: nothing is refused, and the history it sends is ours. */
export async function expectResumed(judge: Judge, version: string, id: string): Promise<void> {
  const transcript = judge.transcriptOf(id);
  expectHistory(version, await judge.resume(id, PROMPT), transcript);
}

export function expectHistory(version: string, verdict: Verdict, transcript: string): void {
  expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
  const [theirs, own] = [historyOf(verdict) ?? [], ours(transcript)];
  if (version === NEWEST) expect(theirs).toEqual(own);
  else expect(inOldWords(theirs)).toEqual(inOldWords(own));
}

/**
 * The old client does not say "No response requested." for us, knows no line ends between texts that it merges, leaves out
 * calls without an outcome, and tells what was said while the model worked in its own words, in the result before it.
 */
export function inOldWords(messages: readonly Message[]): JsonObject[] {
  const blocks = withoutOpenCalls(messages).flatMap(({ role, content }) =>
    content.map((block): JsonObject => ({ role, ...block })),
  );
  return blocks.flatMap(inOneWay).filter(({ text }) => text !== NO_RESPONSE);
}

function withoutOpenCalls(messages: readonly Message[]): Message[] {
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  const open = new Set(
    results.flatMap(({ content, tool_use_id: id }) => (content === '[Tool call interrupted]' ? [id] : [])),
  );
  const kept = mapBlocks(messages, (block) => (open.has(block.id) || open.has(block.tool_use_id) ? [] : [block]));
  return kept.filter(({ content }, i) => {
    const isEmptied = content.length < (messages[i]?.content.length ?? 0);
    return !isEmptied || content.some(({ type }) => type !== 'thinking');
  });
}

const SAID_MEANWHILE =
  /\s*(?:<system-reminder>\s*)?The user sent (?:this|a new message) while you were working:\n(.*?)\n\n.*$/s;

function inOneWay(block: JsonObject): JsonObject[] {
  const key = block.type === 'tool_result' ? 'content' : 'text';
  const words = asString(block[key]);
  if (words === undefined) return [block];
  const meanwhile = SAID_MEANWHILE.exec(words)?.[1];
  const own = words.replace(SAID_MEANWHILE, '').trim();
  return [
    ...(own === '' && meanwhile !== undefined ? [] : [{ ...block, [key]: own }]),
    ...(meanwhile === undefined ? [] : [{ role: 'user', type: 'text', text: meanwhile }]),
  ];
}
