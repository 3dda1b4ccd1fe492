/** At Stop the transcript sometimes lacks the final answer (U1): has it been written? */
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskError } from '../../disk/errors.ts';
import { type FileSource, fileSource } from '../../disk/source.ts';
import { blocksOf } from '../../format/content.ts';
import { splitLines } from '../../format/lines.ts';
import { readParsedEntries } from '../../format/session.ts';
import type { HookInput } from './input.ts';

const POLL_MS = 40;
const TAIL_BYTES = 64 << 10;
const MAX_TAIL_BYTES = 16 << 20;

export interface WaitOptions {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly now?: () => number;
}

/** false when it did not come in time. */
export async function waitForAnswer(
  input: HookInput,
  { waitMs, signal, now = Date.now }: WaitOptions,
): Promise<boolean> {
  if (input.event !== 'Stop') return true;
  const end = now() + waitMs;
  for (let size = -1; ; ) {
    const bytes = sizeOf(input.transcript);
    if (bytes !== size && hasAnswer(input)) return true;
    size = bytes;
    if (signal.aborted || now() >= end) return false;
    await sleep(Math.min(POLL_MS, Math.max(1, end - now())));
  }
}

function sizeOf(file: string): number {
  const source = fileSource(file);
  try {
    return source.size();
  } catch (error) {
    if (error instanceof DiskError) return 0;
    throw error;
  } finally {
    source.close();
  }
}

/** Looks from the end for the last thing said; a larger part where one line is longer than that. */
export function hasAnswer({ transcript, lastAnswer }: Pick<HookInput, 'transcript' | 'lastAnswer'>): boolean {
  const source = fileSource(transcript);
  try {
    const size = source.size();
    for (let length = TAIL_BYTES; ; length *= 4) {
      const start = Math.max(0, size - length);
      const answer = lastSaid(source, start, size);
      if (answer !== undefined) return isAnswer(answer, lastAnswer);
      if (start === 0 || length >= MAX_TAIL_BYTES) return false;
    }
  } catch (error) {
    if (error instanceof DiskError) return false;
    throw error;
  } finally {
    source.close();
  }
}

interface Said {
  readonly role: 'user' | 'assistant';
  readonly texts: readonly string[];
  readonly calls: boolean;
}

function isAnswer({ role, texts, calls }: Said, told: string | undefined): boolean {
  if (role === 'user' || calls) return false;
  if (told?.trim() === '') return true;
  // Thinking is written before the text that follows it.
  return texts.some((text) => text.trim() !== '' && (told === undefined || told.includes(text.trim())));
}

/** The last prompt, result or message; the first line is probably cut, then it says nothing. */
function lastSaid(source: FileSource, start: number, end: number): Said | undefined {
  const lines = [...splitLines([source.read(start, end)], { offset: start, number: 1 })];
  // From the end: those before it need not be parsed.
  for (const { entry, json } of readParsedEntries(source, lines.reverse())) {
    const { kind, head } = entry;
    if ((kind !== 'user' && kind !== 'assistant') || head.isSidechain || head.isMeta || json === undefined) continue;
    const blocks = blocksOf(json);
    const texts = blocks.flatMap((block) => (block.type === 'text' ? block.text : []));
    return { role: kind, texts, calls: blocks.some(({ type }) => type === 'tool_use') };
  }
  return undefined;
}
