/** Sessions together with what client 2.1.325 sent when it resumed them, and how the two sides are compared. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../../src/format/entry.ts';
import { asArray, asObject, asString, isObject, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { encode } from '../../src/format/text.ts';
import { FIXTURES } from './files.ts';

export const PROMPT = 'ORACLE-PROMPT';

export interface Message {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

export interface ResumeCase {
  readonly name: string;
  readonly input: string;
  /** Undefined where the client refused the file. */
  readonly expected: readonly Message[] | undefined;
  /** The client itself would have been refused by the API. */
  readonly refused: boolean;
}

export function entriesOf(text: string): readonly Entry[] {
  return readSession(encode(text)).entries;
}

export function toMessages(value: Json | undefined): Message[] {
  return (asArray(value) ?? []).filter(isObject).map((message) => {
    const { content } = message;
    const blocks: Json[] = typeof content === 'string' ? [{ type: 'text', text: content }] : (asArray(content) ?? []);
    return { role: asString(message.role) ?? '', content: blocks.filter(isObject) };
  });
}

function toCase(name: string, input: string, expected: Json | undefined, refused: boolean): ResumeCase {
  const fails = asObject(expected)?.fails === true;
  return { name, input, expected: fails ? undefined : toMessages(expected), refused };
}

export function resumeCases(): ResumeCase[] {
  const folder = join(FIXTURES, 'resume');
  return readdirSync(folder).map((name) => {
    const expected = parseJson(readFileSync(join(folder, name, 'expected-2.1.325.json'), 'utf8'));
    return toCase(name, readFileSync(join(folder, name, 'input.jsonl'), 'utf8'), expected, false);
  });
}

/** `fuzz.jsonl` or `probes.jsonl`: one case a line. */
export function listedCases(file: string): ResumeCase[] {
  const lines = readFileSync(join(FIXTURES, file), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const { name, input, expected, refused } = asObject(parseJson(line)) ?? {};
    return toCase(asString(name) ?? '', asString(input) ?? '', expected, refused !== undefined);
  });
}

const isReminder = (block: JsonObject): boolean => (asString(block.text) ?? '').startsWith('<system-reminder>');

/** The client's words for a call whose outcome is unknown may differ from ours; nothing else may. */
export function withoutInventedWords(messages: readonly Message[]): Message[] {
  return mapBlocks(messages, (block) => {
    const invented = block.is_error === true && (asString(block.content) ?? '').startsWith('[Tool call interrupted');
    return [invented ? { ...block, content: '[Tool call interrupted]' } : block];
  });
}

/** For sessions with attachments that the client puts into words of its own. */
export function withoutReminderWords(messages: readonly Message[]): Message[] {
  const words = /^<system-reminder>.*<\/system-reminder>/s;
  return mapBlocks(messages, (block) => [
    isReminder(block) ? { ...block, text: (asString(block.text) ?? '').replace(words, '<reminder>') } : block,
  ]);
}

/** Reminders and texts that were left out of the recordings. */
export function withoutReminders(messages: readonly Message[]): Message[] {
  const leftOut = (block: JsonObject): boolean => (asString(block.text) ?? '').startsWith('(text left out: ');
  return mapBlocks(messages, (block) => (isReminder(block) || leftOut(block) ? [] : [block]));
}

export function mapBlocks(messages: readonly Message[], change: (block: JsonObject) => JsonObject[]): Message[] {
  return messages.map(({ role, content }) => ({ role, content: content.flatMap(change) }));
}

const isResult = (block: JsonObject): boolean => block.type === 'tool_result';

/** What the client sent, without what the API refuses: where R and A disagree, A wins. */
export function mended(messages: readonly Message[]): Message[] {
  const sendable = mapBlocks(messages, (block) => {
    const blank = block.type === 'text' && (asString(block.text) ?? '').trim() === '';
    const unsigned = block.type === 'thinking' && !block.signature;
    const mute =
      isResult(block) && block.is_error === true && !asString(block.content) && !asArray(block.content)?.length;
    return blank || unsigned ? [] : [mute ? { ...block, content: '(no content)' } : block];
  }).filter(({ content }) => content.length > 0);
  const start = sendable.findIndex(({ role }) => role === 'user');
  const [first, ...rest] = sendable.slice(start);
  if (first === undefined || start === 0) return sendable;
  const content = first.content.filter((block) => !isResult(block));
  const orphaned = [{ type: 'text', text: '[Orphaned tool result removed due to conversation resume]' }];
  return [{ role: 'user', content: content.length > 0 ? content : orphaned }, ...rest];
}
