/**
 * Prompts that were typed while the model was busy (E9). From 2.0.76 to 2.1.45 one that the client took in stands nowhere but in its
 * enqueueing; others have a user entry of their own, or in newer clients an attachment. The only place that decides which are which.
 */
import { type Entry, jsonOf } from './entry.ts';
import { asString, type JsonObject } from './json.ts';
import { type Prompt, promptOf } from './prompt.ts';

/** What an entry does to the queue. Texts that are rarely needed are read when they are. */
export type QueueStep =
  | { readonly does: 'enqueue'; readonly text: string }
  | { readonly does: 'dequeue' | 'popAll' }
  /** Taken in by the running turn: the one with this text, without one the first. */
  | { readonly does: 'remove'; readonly text: string | undefined }
  /** A user entry: what waits and stands in it is shown. */
  | { readonly does: 'show'; readonly text: () => string }
  /** An attachment that shows what was taken in. */
  | { readonly does: 'attach'; readonly text: () => string };

/** `read`: what the entry has of a prompt; `json`: the whole of it where it is at hand. */
export function queueStepOf(entry: Entry, read: (entry: Entry) => Prompt, json?: JsonObject): QueueStep | undefined {
  const { kind, head } = entry;
  if (kind === 'queue-operation') return operationOf(entry, read, json);
  if (kind === 'user') {
    const isResult = head.blocks.some(({ type }) => type === 'tool_result');
    return isResult ? undefined : { does: 'show', text: () => read(entry).text };
  }
  return head.attachmentType === 'queued_command' ? { does: 'attach', text: () => read(entry).text } : undefined;
}

function operationOf(entry: Entry, read: (entry: Entry) => Prompt, json?: JsonObject): QueueStep | undefined {
  const { operation } = entry.head;
  if (operation === 'dequeue' || operation === 'popAll') return { does: operation };
  if (operation === 'remove') return { does: operation, text: asString((json ?? jsonOf(entry))?.content) };
  if (operation !== 'enqueue') return undefined;
  const { kind, text } = read(entry);
  return kind === 'enqueued' ? { does: operation, text } : undefined;
}

/** A prompt that nothing else shows. */
export interface Queued<T> {
  readonly text: string;
  /** What enqueued it. */
  readonly from: T;
  /** What took it in; undefined while it waits. */
  readonly takenBy: T | undefined;
}

export interface Queue<T> {
  /** In the order of the file. */
  add(step: QueueStep, by: T): void;
  /** Then only an operation on the queue changes anything. */
  isEmpty(): boolean;
  result(): readonly Queued<T>[];
}

/** Keeps only what nothing shows yet. `known`: of what came before. */
export function createQueue<T>(known: readonly Queued<T>[] = []): Queue<T> {
  let waiting = known.filter(({ takenBy }) => takenBy === undefined);
  let absorbed = known.filter(({ takenBy }) => takenBy !== undefined);

  function takeIn(text: string | undefined, takenBy: T): void {
    const index = text === undefined ? 0 : waiting.findIndex((item) => item.text === text);
    const [taken] = index < 0 ? [] : waiting.splice(index, 1);
    if (taken) absorbed.push({ ...taken, takenBy });
  }

  return {
    add(step, by) {
      if (step.does === 'enqueue') waiting.push({ text: step.text, from: by, takenBy: undefined });
      else if (step.does === 'dequeue') waiting.shift();
      else if (step.does === 'popAll') waiting = [];
      else if (step.does === 'remove') takeIn(step.text, by);
      else if (step.does === 'show' && waiting.length > 0) {
        const shown = step.text();
        waiting = waiting.filter(({ text }) => !shown.includes(text));
      } else if (step.does === 'attach' && absorbed.length > 0) {
        const shown = step.text();
        const copy = absorbed.find(({ text }) => text === shown);
        absorbed = absorbed.filter((item) => item !== copy);
      }
    },
    isEmpty: () => waiting.length + absorbed.length === 0,
    result: () => [...absorbed, ...waiting],
  };
}

/** Entry by entry: the one at which each was handed over → the enqueueing that holds its text. */
export function createQueuedPrompts(read: (entry: Entry) => Prompt): {
  add(entry: Entry): void;
  result(): Map<Entry, Entry>;
} {
  const queue = createQueue<Entry>();
  return {
    add(entry) {
      if (queue.isEmpty() && entry.kind !== 'queue-operation') return;
      const step = queueStepOf(entry, read);
      if (step) queue.add(step, entry);
    },
    result: () => new Map(queue.result().map(({ from, takenBy }) => [takenBy ?? from, from])),
  };
}

export function queuedPrompts(entries: readonly Entry[]): Map<Entry, Entry> {
  const queue = createQueuedPrompts(promptOf);
  for (const entry of entries) queue.add(entry);
  return queue.result();
}
