/**
 * Prompts that survive only in `history.jsonl` (L4), folded into logs: one user entry per prompt, as a transcript that
 * lost everything else would be. Lines without a session id are joined by project, as long as no long pause lies between.
 */
import { asNumber, asObject, asString, type Json, type JsonObject } from '../../format/json.ts';
import { nodeCrypto } from '../builtins.ts';

export interface TypedPrompt {
  readonly text: string;
  /** Milliseconds. */
  readonly time: number | undefined;
  readonly project: string | undefined;
  readonly sessionId: string | undefined;
}

/** undefined for what is no prompt. */
export function toPrompt(json: JsonObject | undefined): TypedPrompt | undefined {
  const display = asString(json?.display);
  if (json === undefined || display === undefined || display.trim() === '') return undefined;
  const time = asNumber(json.timestamp);
  return {
    text: withPastes(display, asObject(json.pastedContents)),
    time: time === undefined || Number.isNaN(new Date(time).getTime()) ? undefined : time,
    project: asString(json.project),
    sessionId: sessionIdIn(json),
  };
}

/** The session a line names. A path is none: the chat is read from where its transcript would lie. */
export function sessionIdIn(json: JsonObject | undefined): string | undefined {
  const id = asString(json?.sessionId);
  return id === undefined || id === '' || /[/\\]/.test(id) ? undefined : id;
}

/** What was pasted stands apart, where it was not too long to be kept. */
function withPastes(display: string, pasted: JsonObject | undefined): string {
  if (pasted === undefined) return display;
  return display.replace(/\[Pasted text #(\d+)[^\]]*\]/g, (mark, number: string) => {
    const paste = Object.hasOwn(pasted, number) ? asObject(pasted[number]) : undefined;
    return asString(paste?.content) ?? mark;
  });
}

/** A prompt and its entry are written at the same moment, as nearly as clocks can tell. */
export const NEAR_MS = 10_000;

export interface RecoveredChat {
  readonly sessionId: string;
  readonly project: string | undefined;
  readonly prompts: readonly TypedPrompt[];
}

/** Longer than this between two prompts of a project, and a new chat has begun. */
const PAUSE_MS = 2 * 3_600_000;

/** Each prompt once, however many copies of the history hold it. In the order of their first prompts. */
export function recoverChats(prompts: Iterable<TypedPrompt>): RecoveredChat[] {
  const sorted = [...once(prompts)].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  const chats = new Map<string, TypedPrompt[]>();
  const last = new Map<string, { readonly time: number; readonly chat: TypedPrompt[] }>();
  for (const prompt of sorted) {
    const time = prompt.time ?? 0;
    const before = last.get(prompt.project ?? '');
    const chat =
      prompt.sessionId !== undefined
        ? chats.get(prompt.sessionId)
        : before && time - before.time <= PAUSE_MS
          ? before.chat
          : undefined;
    const grown = chat ?? [];
    grown.push(prompt);
    if (chat === undefined) chats.set(prompt.sessionId ?? madeId(prompt.project, time), grown);
    if (prompt.sessionId === undefined) last.set(prompt.project ?? '', { time, chat: grown });
  }
  return [...chats].map(([sessionId, own]) => ({ sessionId, project: own[0]?.project, prompts: own }));
}

/** The id of a chat whose prompts name none: of where and when the first was typed. */
export function madeId(project: string | undefined, time: number): string {
  return idFrom('chat', project ?? '', String(time));
}

function* once(prompts: Iterable<TypedPrompt>): Generator<TypedPrompt> {
  const seen = new Set<string>();
  for (const prompt of prompts) {
    // With a session and a moment the words need not be compared: a scrubbed copy has others.
    const isNamed = prompt.time !== undefined && prompt.sessionId !== undefined;
    const words = isNamed ? '' : prompt.text;
    const key = JSON.stringify([prompt.time, prompt.sessionId, prompt.project, words]);
    if (!seen.has(key)) yield prompt;
    seen.add(key);
  }
}

/** The chat as lines of a transcript, each prompt after the one before it. */
export function logOf({ sessionId, prompts }: RecoveredChat): Buffer {
  let parentUuid: string | null = null;
  let lines = '';
  for (const [place, { text, time, project }] of prompts.entries()) {
    const uuid = idFrom(sessionId, String(place), String(time), text);
    const entry: JsonObject = {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      ...(project !== undefined && { cwd: project }),
      sessionId,
      type: 'user',
      message: { role: 'user', content: asTyped(text) },
      uuid,
      ...(time !== undefined && { timestamp: new Date(time).toISOString() }),
      promptSource: 'typed',
      recoveredFrom: 'history.jsonl',
    };
    lines += `${JSON.stringify(entry)}\n`;
    parentUuid = uuid;
  }
  return Buffer.from(lines);
}

/** Commands as the client writes them down (E7). */
function asTyped(text: string): Json {
  const [, name, args = ''] = /^(\/[\w:.-]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name !== undefined) {
    const message = `<command-message>${name.slice(1)}</command-message>`;
    return `<command-name>${name}</command-name>\n${message}\n<command-args>${args}</command-args>`;
  }
  return text.startsWith('!') ? `<bash-input>${text.slice(1)}</bash-input>` : text;
}

/** The same for the same parts, in the form of a uuid. */
function idFrom(...parts: string[]): string {
  const hex = nodeCrypto().createHash('sha256').update(parts.join('\0')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
