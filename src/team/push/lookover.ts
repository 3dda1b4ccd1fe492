/** The first pass over a session: what has to be known of all of it before the first of its lines is made ready. */
import { readLinesOf } from '../../disk/read.ts';
import { blocksOf } from '../../format/content.ts';
import { toParsedEntry } from '../../format/entry.ts';
import { asString, at, type JsonObject } from '../../format/json.ts';
import { passingPrompt } from '../../format/prompt.ts';
import { createQueuedPrompts } from '../../format/queue.ts';
import { millisOf } from '../../graph/time.ts';
import { isUse } from '../../graph/toolcalls.ts';
import { fileOf } from '../../views/search/parts.ts';
import type { PushFile } from './sessions.ts';

/** What a result is about is told by its call. */
export interface CallLabel {
  readonly tool: string;
  readonly file: string | undefined;
}

export interface FileFacts {
  /** Of the first line that tells its time. */
  readonly firstTime: number | undefined;
  /** The project's folder for every line that tells one, in their order: counted. */
  readonly cwds: ReadonlyMap<string, number>;
  /** The lines of prompts that stand only in the queue (E9). */
  readonly queued?: ReadonlySet<number>;
}

export interface SessionFacts {
  readonly files: ReadonlyMap<PushFile, FileFacts>;
  readonly calls: ReadonlyMap<string, CallLabel>;
  /** All folders that any line of the session, its agents included, was in. */
  readonly cwds: ReadonlySet<string>;
}

export interface LookOptions {
  /** Where the bytes of a file are read from. */
  readonly pathOf: (file: PushFile) => string;
  readonly learn: (value: JsonObject | string) => void;
  readonly onPart?: () => void;
}

const PART_BYTES = 4 << 20;

export function lookOver(files: readonly PushFile[], { pathOf, learn, onPart }: LookOptions): SessionFacts {
  const calls = new Map<string, CallLabel>();
  const cwds = new Set<string>();
  const facts = new Map<PushFile, FileFacts>();
  for (const file of files) {
    if (!file.isTranscript) continue;
    let firstTime: number | undefined;
    const counted = new Map<string, number>();
    const queue = createQueuedPrompts(passingPrompt);
    let part = PART_BYTES;
    readLinesOf(pathOf(file), {}, (source, lines) => {
      for (const { line, bytes } of lines) {
        if (line.end >= part) {
          part = line.end + PART_BYTES;
          onPart?.();
        }
        const { entry, json } = toParsedEntry(source, line, bytes);
        if (json === undefined) continue;
        learn(json);
        queue.add(entry);
        firstTime ??= millisOf(entry.head.timestamp);
        for (const cwd of cwdsIn(json)) {
          cwds.add(cwd);
          counted.set(cwd, (counted.get(cwd) ?? 0) + 1);
        }
        if (entry.kind !== 'assistant' || !entry.head.blocks.some(isUse)) continue;
        for (const { raw } of blocksOf(json)) {
          const id = asString(raw.id);
          if (id !== undefined && id !== '') calls.set(id, { tool: asString(raw.name) ?? '', file: fileOf(raw.input) });
        }
      }
    });
    const queued = new Set([...queue.result().values()].map(({ line }) => line.number));
    facts.set(file, { firstTime, cwds: counted, queued });
  }
  return { files: facts, calls, cwds };
}

/** Where a line was made, and where the entry of a sub-agent was that it may hold (E18). */
export function cwdsIn(json: JsonObject): string[] {
  return [json.cwd, at(json.data, 'message', 'cwd')].flatMap((each) =>
    typeof each === 'string' && each !== '' ? [each] : [],
  );
}
