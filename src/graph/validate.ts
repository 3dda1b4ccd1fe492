/** What the API refuses in a list of messages (A1–A8), found by looking at the messages alone. */
import type { Issue } from '../format/issue.ts';
import { asArray, asString, isObject, type Json, type JsonObject } from '../format/json.ts';
import { flawOf, isServerUse, unpairedAtServer } from './shapes.ts';

/** A message as anyone may have built it. */
export interface AnyMessage {
  readonly role: string;
  readonly content: string | readonly Json[];
}

export interface MessageIssue extends Issue {
  /** A path such as `messages.3.content.0`. */
  readonly where: string;
}

export interface ValidateOptions {
  /** The request asks the model to think: an open tool loop must then begin with thinking (A6). */
  readonly thinking?: boolean;
  /** Names of the tools in the request: a result may refer to no others (A4). */
  readonly tools?: readonly string[];
}

interface Message {
  readonly role: string;
  /** What is no block at all stands as an empty one, so that places stay right. */
  readonly content: readonly JsonObject[];
  readonly where: string;
  /** What makes it no message. */
  readonly flaw?: string;
}

const LONGEST_NAME = 200;

/** Takes anything that may have been meant as messages, and never throws. */
export function validate(messages: readonly (AnyMessage | Json)[], options: ValidateOptions = {}): MessageIssue[] {
  const issues: MessageIssue[] = [];
  const report = (rule: string, where: string, what: string): void => {
    issues.push({ rule, severity: 'error', where, what });
  };
  const read = messages.map(readMessage).filter(({ role }) => role !== 'system');
  if (read[0]?.role !== 'user') report('A8', 'messages.0', 'the first message is not a user message');
  checkIds(read, report);
  for (const [i, message] of read.entries()) {
    checkContent(message, i === read.length - 1, report);
    if (message.role === 'assistant') {
      checkCalls(message, read[i + 1], report);
      checkAtServer(message, i === read.length - 1, report);
    } else checkResults(message, read[i - 1], report);
  }
  if (options.thinking === true) checkOpenLoop(read, report);
  if (options.tools !== undefined) checkReferences(read, new Set(options.tools), report);
  return issues;
}

type Report = (rule: string, where: string, what: string) => void;

function readMessage(message: AnyMessage | Json, i: number): Message {
  const where = `messages.${i}`;
  if (typeof message !== 'object' || message === null || isList(message)) {
    return { role: '', content: [], where, flaw: 'the message is not an object' };
  }
  const { role, content } = message;
  const read = { role: asString(role) ?? '', where };
  if (typeof content === 'string') return { ...read, content: [{ type: 'text', text: content }] };
  if (!isList(content)) return { ...read, content: [], flaw: 'the content is neither text nor a list of blocks' };
  return { ...read, content: content.map((block) => (isObject(block) ? block : {})) };
}

function isList(value: Json | readonly Json[] | AnyMessage | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A3 */
function checkIds(messages: readonly Message[], report: Report): void {
  const seen = new Set<string>();
  for (const { content, where } of messages) {
    for (const [i, block] of content.entries()) {
      if (block.type !== 'tool_use') continue;
      const id = idOf(block.id);
      if (seen.has(id)) report('A3', `${where}.content.${i}`, `tool_use id ${id} occurs twice`);
      seen.add(id);
    }
  }
}

/** A4, A5, A7 */
function checkContent({ role, content, where, flaw }: Message, last: boolean, report: Report): void {
  if (flaw !== undefined) report('A4', where, flaw);
  else if (role !== 'user' && role !== 'assistant') report('A4', where, `there is no role "${role}"`);
  else if (content.length === 0 && !(last && role === 'assistant')) report('A4', where, 'the content is empty');
  for (const [i, block] of content.entries()) checkBlock(role, block, `${where}.content.${i}`, report);
}

function checkBlock(role: string, block: JsonObject, where: string, report: Report): void {
  const flaw = isMisplaced(role, block) ? undefined : flawOf(role === 'assistant' ? role : 'user', block);
  if (flaw !== undefined) report('A4', where, flaw);
  else if (isBlank(block)) report('A4', where, 'the text block is empty or holds only whitespace');
  else if (block.type === 'tool_result' && (asArray(block.content) ?? []).some(isBlank)) {
    report('A4', where, 'the result holds a text block that is empty or only whitespace');
  }
  if (block.type === 'thinking' && !(isFilled(block.signature) && typeof block.thinking === 'string')) {
    report('A5', where, 'the thinking block has no signature');
  }
  if (block.type === 'redacted_thinking' && !isFilled(block.data)) {
    report('A5', where, 'the redacted thinking block is empty');
  }
  if (block.type === 'tool_use' && (asString(block.name) ?? '').length > LONGEST_NAME) {
    report('A7', where, `the tool name has more than ${LONGEST_NAME} characters`);
  }
}

/** A call of the user or a result of the model: reported as A1 and A2. */
function isMisplaced(role: string, { type }: JsonObject): boolean {
  return type === (role === 'assistant' ? 'tool_result' : 'tool_use');
}

function isBlank(block: Json): boolean {
  return isObject(block) && block.type === 'text' && (asString(block.text) ?? '').trim() === '';
}

/** A1: every call is answered in the next message, before anything else is said there. */
function checkCalls({ content, where }: Message, next: Message | undefined, report: Report): void {
  const answers = next?.role === 'user' ? next.content : [];
  const others = answers.findIndex((block) => block.type !== 'tool_result');
  const first = others < 0 ? answers : answers.slice(0, others);
  const answered = new Set(first.map((block) => idOf(block.tool_use_id)));
  for (const [i, block] of content.entries()) {
    if (block.type === 'tool_result')
      report('A2', `${where}.content.${i}`, 'a tool_result stands in an assistant message');
    if (block.type !== 'tool_use') continue;
    const id = idOf(block.id);
    if (id === '') report('A1', `${where}.content.${i}`, 'the tool_use has no id');
    else if (!answered.has(id))
      report('A1', `${where}.content.${i}`, `tool_use ${id} has no tool_result right after it`);
  }
}

/** A1, A2: what the API answers itself is answered in the same message. */
function checkAtServer({ content, where }: Message, last: boolean, report: Report): void {
  const unpaired = unpairedAtServer(content, last);
  for (const [i, block] of unpaired.size === 0 ? [] : content.entries()) {
    if (!unpaired.has(block)) continue;
    const type = asString(block.type);
    if (isServerUse(block)) report('A1', `${where}.content.${i}`, `${type} ${idOf(block.id)} has no result after it`);
    else report('A2', `${where}.content.${i}`, `${type} ${idOf(block.tool_use_id)} answers no call before it`);
  }
}

/** A2: every result answers a call of the message before, once. */
function checkResults({ content, where }: Message, before: Message | undefined, report: Report): void {
  const calls = before?.role === 'assistant' ? before.content.filter((block) => block.type === 'tool_use') : [];
  const open = new Set(calls.map((block) => idOf(block.id)));
  for (const [i, block] of content.entries()) {
    if (block.type === 'tool_use') report('A1', `${where}.content.${i}`, 'a tool_use stands in a user message');
    if (block.type !== 'tool_result') continue;
    const id = idOf(block.tool_use_id);
    if (id === '' || !open.delete(id)) {
      report('A2', `${where}.content.${i}`, `tool_result ${id} answers no open call of the message before`);
    }
  }
}

/** A4 */
function checkReferences(messages: readonly Message[], tools: ReadonlySet<string>, report: Report): void {
  for (const { content, where } of messages) {
    for (const [i, block] of content.entries()) {
      const parts = block.type === 'tool_result' ? (asArray(block.content) ?? []).filter(isObject) : [];
      for (const { type, tool_name } of parts) {
        const name = type === 'tool_reference' ? asString(tool_name) : undefined;
        if (name === undefined || tools.has(name)) continue;
        report('A4', `${where}.content.${i}`, `the result refers to the tool ${name}, which is not in the request`);
      }
    }
  }
}

function checkOpenLoop(messages: readonly Message[], report: Report): void {
  const start = messages[unthinkingLoop(messages)];
  if (start !== undefined) report('A6', start.where, 'thinking is missing at the start of an open tool loop');
}

/**
 * A6: when the last message brings results, the first answer since the person spoke must begin with thinking. Where it does
 * not, the place of that answer; else -1. Looks at no more than the last turn.
 */
export function unthinkingLoop(messages: readonly Pick<Message, 'role' | 'content'>[]): number {
  if (!messages.at(-1)?.content.some((block) => block.type === 'tool_result')) return -1;
  let start = -1;
  for (let i = messages.length - 1; i >= 0; i -= 1) {
    const message = messages[i];
    if (message?.role === 'assistant') start = i;
    else if (!message?.content.some((block) => block.type === 'tool_result')) break;
  }
  const first = messages[start]?.content[0]?.type;
  return first === 'thinking' || first === 'redacted_thinking' ? -1 : start;
}

function isFilled(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function idOf(value: Json | undefined): string {
  return asString(value) ?? '';
}
