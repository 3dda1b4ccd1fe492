/** What the user says: as arguments, as text on standard input, or as messages a line. */
import { fstatSync } from 'node:fs';
import { asArray, asObject, asString, isObject, type JsonObject, parseJson } from '../../format/json.ts';
import { CommandError } from '../errors.ts';

export type Prompt = string | readonly JsonObject[];

/** What one line of stream-json input asks for. */
export type InputMessage =
  | { readonly kind: 'prompt'; readonly prompt: Prompt; readonly uuid?: string }
  | { readonly kind: 'control'; readonly id: string; readonly request: JsonObject }
  /** To a question of ours. */
  | { readonly kind: 'answer'; readonly response: JsonObject }
  /** The answer to a request is not wanted any more. */
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'other' };

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Throws for what is no message: a program that sends it has to be told. */
export function parseInputLine(line: string, number: number): InputMessage {
  const message = asObject(parseJson(line));
  if (message === undefined) throw bad('It is not a JSON object.', number, line);
  if (message.type === 'control_request') {
    const [id, request] = [asString(message.request_id), asObject(message.request)];
    if (id === undefined || request === undefined)
      throw bad('A control_request needs request_id and request.', number, line);
    return { kind: 'control', id, request };
  }
  const response = message.type === 'control_response' ? asObject(message.response) : undefined;
  if (response !== undefined) return { kind: 'answer', response };
  if (message.type === 'control_cancel_request') return { kind: 'cancel', id: asString(message.request_id) ?? '' };
  if (message.type !== 'user') {
    if (asString(message.type) === undefined) throw bad('It has no type.', number, line);
    return { kind: 'other' };
  }
  const inner = asObject(message.message);
  if (inner?.role !== 'user') throw bad('A user message needs message.role "user".', number, line);
  const text = asString(inner.content);
  const blocks = asArray(inner.content)?.filter(isObject);
  const prompt = text ?? blocks;
  if (prompt === undefined || prompt.length === 0)
    throw bad('message.content is neither text nor blocks.', number, line);
  const uuid = asString(message.uuid);
  // It becomes the name of a line in the transcript.
  return { kind: 'prompt', prompt, ...(uuid !== undefined && UUID.test(uuid) && { uuid }) };
}

function bad(what: string, number: number, line: string): CommandError {
  const shown = line.length > 80 ? `${line.slice(0, 80)}…` : line;
  return new CommandError(
    `Line ${number} of the input is not a message: ${what}`,
    shown,
    'Send lines like {"type":"user","message":{"role":"user","content":"…"}}.',
  );
}

/** The words of the arguments, then what was piped in. */
export function joinPrompt(words: readonly string[], piped: string): string {
  return [words.join(' '), piped].filter((part) => part.trim() !== '').join('\n');
}

/** Who holds a pipe open and writes nothing has nothing to say. */
const FIRST_BYTE_MS = 3000;

/** All of standard input; nothing when it is a terminal or not open. With `optional`, it is not waited for. */
export async function readPiped(optional: boolean, signal: AbortSignal): Promise<string> {
  if (!isPiped()) return '';
  const { stdin } = process;
  const chunks: Buffer[] = [];
  const stop = () => stdin.destroy();
  const waiting = optional ? setTimeout(stop, FIRST_BYTE_MS) : undefined;
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin) {
      clearTimeout(waiting);
      chunks.push(Buffer.from(chunk));
    }
  } catch {
    // It cannot be read, a folder for example, or was not waited for: there is nothing.
  }
  clearTimeout(waiting);
  signal.removeEventListener('abort', stop);
  return Buffer.concat(chunks).toString('utf8');
}

function isPiped(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    return false;
  }
}
