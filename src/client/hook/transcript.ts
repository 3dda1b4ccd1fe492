/** Is what the client names a session's transcript? Whatever else lies there is neither kept nor sent. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import { parentSessionOf } from '../../disk/parent.ts';
import { fileSource } from '../../disk/source.ts';
import { asObject, asString, parseJson } from '../../format/json.ts';
import { decode } from '../../format/text.ts';
import type { HookInput } from './input.ts';

const PEEK_BYTES = 64 << 10;

/** Why it is none; undefined where it is one, has nothing in it, or is not there yet. Throws DiskError. */
export function notTranscript(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!stat.isFile()) return 'it is no file';
  if (!file.endsWith('.jsonl')) return 'its name does not end in .jsonl';
  return stat.size === 0 || isLikeOne(file) ? undefined : 'no line of it is like those of a transcript';
}

/** Some line at its beginning is one; the only line may be torn, or longer than what is looked at. */
function isLikeOne(file: string): boolean {
  const source = fileSource(file);
  try {
    const lines = decode(source.read(0, PEEK_BYTES)).split('\n');
    return lines.some(isLine) || (lines.length === 1 && lines[0]?.trimStart().startsWith('{') === true);
  } finally {
    source.close();
  }
}

/** Other writers leave out the type (E15). */
function isLine(line: string): boolean {
  const { type, message, content, role } = asObject(parseJson(line)) ?? {};
  return (
    asString(type) !== undefined || asObject(message) !== undefined || (content !== undefined && role !== undefined)
  );
}

/**
 * An agent's file is part of its session: that one is looked at (L3). undefined where it is not there. That the agent has stopped does not
 * say that the session has.
 */
export function sessionOfAgent(input: HookInput): HookInput | undefined {
  const { transcript } = input;
  const folder = dirname(transcript);
  const isBelow = basename(folder) === 'subagents';
  const named = parentOf(transcript);
  const session = [
    ...(isBelow ? [`${dirname(folder)}.jsonl`] : []),
    ...(named === undefined ? [] : [join(isBelow ? dirname(folder) : folder, `${named}.jsonl`)]),
  ].find((file) => existsSync(file));
  return session === undefined
    ? undefined
    : { ...input, event: 'SubagentStop', transcript: session, sessionId: basename(session, '.jsonl') };
}

function parentOf(file: string): string | undefined {
  try {
    const id = parentSessionOf(file);
    return id !== undefined && /^[\w-]+$/.test(id) ? id : undefined;
  } catch (error) {
    if (error instanceof DiskError) return undefined;
    throw error;
  }
}
