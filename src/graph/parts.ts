/** A turn while it is gathered. */
import type { Entry } from '../format/entry.ts';
import type { InputKind } from '../format/prompt.ts';
import { millisOf } from './time.ts';

/** The entries of a turn, each with what it is. */
export interface Draft {
  readonly kind: InputKind;
  prompt?: Entry;
  readonly parts: Part[];
}
export interface Part {
  readonly entry: Entry;
  readonly kind: InputKind;
  /** When it was written, in milliseconds: asked for so often that it is read once. */
  readonly time: number | undefined;
  /** Of a sub-agent whose entries stand in the same file (L3, 1.0.x). */
  readonly inline: boolean;
}

export function partOf(entry: Entry, kind: InputKind, inline = false): Part {
  return { entry, kind, time: millisOf(entry.head.timestamp), inline };
}

/** Kinds that may be written long after the turn was over. */
const AFTERWARDS = new Set<InputKind>(['none', 'enqueued', 'compact_summary', 'caveat', 'meta']);

/** Something of the turn itself. When it resumes, the client closes an unfinished turn with entries of its own (R13). */
export function isActivity({ entry, kind, inline }: Part): boolean {
  if (entry.kind === 'assistant') return !inline && !isClosing(entry);
  return !AFTERWARDS.has(kind) && entry.head.toolDenialKind !== 'interrupted';
}

/** The part with the latest time among these. */
export function lastActivity(parts: readonly Part[]): Part | undefined {
  let last: Part | undefined;
  for (const part of parts) {
    if (part.time !== undefined && part.time >= (last?.time ?? part.time) && isActivity(part)) last = part;
  }
  return last;
}

/** "No response requested." and the like (E13); an API error is an answer. */
export function isClosing({ kind, head }: Entry): boolean {
  return kind === 'assistant' && head.message?.model === '<synthetic>' && !head.isApiErrorMessage;
}

/** What the model is given. */
export function isInput(kind: InputKind): boolean {
  return kind !== 'none' && kind !== 'enqueued';
}

/** The transcript of a sub-agent: its prompts come from a model and start turns all the same. */
export function isAgentTranscript(entries: readonly Entry[]): boolean {
  let spoken = false;
  for (const { kind, head } of entries) {
    if (kind !== 'user' && kind !== 'assistant') continue;
    if (!head.isSidechain) return false;
    spoken = true;
  }
  return spoken;
}
