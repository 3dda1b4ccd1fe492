/** Turns that are run and held against the rules, and what they left in the file. */
import { expect } from 'vitest';
import { runTurn } from '../../src/agent/loop.ts';
import type { TurnEnd } from '../../src/agent/ports.ts';
import { asObject, asString, at, type JsonObject } from '../../src/format/json.ts';
import type { Bench } from './parts.ts';
import { contextOf, linesOf, wrongIn } from './world.ts';

export const NEVER = new AbortController().signal;

export async function turn(it: Bench, content = 'Go', signal: AbortSignal = NEVER): Promise<TurnEnd> {
  const end = await runTurn(it.parts, { content, source: 'typed' }, signal);
  expect(wrongIn(it.session.transcript.file)).toEqual([]);
  expect(it.session.transcript.messages()).toEqual(contextOf(it.session.transcript.file).messages);
  it.session.close();
  return end;
}

/** The lines of the conversation in short: `user Go`, `tool_use Echo`, `tool_result x`. */
export function story({ session }: Bench): string[] {
  return linesOf(session.transcript.file).flatMap((line) => {
    if (line.type === 'system') return [`system ${String(line.subtype)}`];
    if (line.type === 'attachment') return [`attachment ${String(at(line.attachment, 'type'))}`];
    if (line.type !== 'user' && line.type !== 'assistant') return [];
    const content = asObject(line.message)?.content;
    if (typeof content === 'string') return [`${String(line.type)} ${content.slice(0, 40)}`];
    return (Array.isArray(content) ? content : []).map((item) => {
      const block = asObject(item) ?? {};
      return `${String(block.type)} ${String(block.text ?? block.name ?? block.content ?? '').slice(0, 40)}`.trim();
    });
  });
}

/** The call that a result answers. */
export function idOf(line: JsonObject): string {
  const content = at(line, 'message', 'content');
  return asString(at(Array.isArray(content) ? content[0] : undefined, 'tool_use_id')) ?? '';
}

/** The line that makes a call. */
export function lineOf(it: Bench, id: string): string | undefined {
  const made = linesWith(it, 'assistant').find((line) => JSON.stringify(line.message).includes(`"id":"${id}"`));
  return asString(made?.uuid);
}

export function linesWith(it: Bench, type: string): JsonObject[] {
  return linesOf(it.session.transcript.file).filter((line) => line.type === type);
}
