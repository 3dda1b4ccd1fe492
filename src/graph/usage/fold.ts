/** The usage of messages from any number of lines and files, each message once (E4, E18): the only place that counts them. */
import type { Ids } from '../../format/ids.ts';
import type { Usage } from '../../format/usage.ts';
import { createIdIndex } from '../idindex.ts';
import { createPackedClaims, createPackedMessages, type OriginColumns, type PackedMessages } from './packed.ts';

/** What one line says of a message's usage; a message as a whole can be one too. */
export interface Sighting<Origin> {
  /** The message id, else what stands for it: its request, the uuid of its line. Without any the message is its own. */
  readonly key?: string;
  readonly requestId?: string;
  readonly usage: Usage;
  /** A stop reason was recorded. */
  readonly ended: boolean;
  /** Written by the client in the model's place (E13). */
  readonly synthetic: boolean;
  readonly model?: string;
  /** Milliseconds. */
  readonly time?: number;
  /** What 1.0.x wrote down as the cost. */
  readonly costUSD?: number;
  /** Output tokens guessed from the text, where none were recorded (E17). */
  readonly estimate?: number;
  readonly origin: Origin;
}

/** A message and what is known of it from all its lines and copies. */
export interface MessageUsage<Origin> extends Sighting<Origin> {
  /** The first time it was told. */
  readonly time?: number;
  /** The line it is counted under. */
  readonly origin: Origin;
}

export interface Numbered<Origin> {
  readonly number: number;
  readonly message: MessageUsage<Origin>;
}

export type Visit<Origin> = (message: MessageUsage<Origin>, number: number) => void;

export interface UsageFold<Origin> {
  /** The number of the message it belongs to. The first sighting may become the message itself, and change as more come. */
  add(sighting: Sighting<Origin>): number;
  /** A message as known so far. */
  at(number: number): MessageUsage<Origin>;
  /** In the order they were met, without those the client wrote itself. */
  messages(): MessageUsage<Origin>[];
  /** The same one by one, the last time they are asked for: each is forgotten then. */
  drain(visit: Visit<Origin>): void;
  numbered(): Generator<Numbered<Origin>>;
  /** Those to be added up: what they are known by is not told of all. */
  [Symbol.iterator](): Iterator<MessageUsage<Origin>>;
}

/** Where there may be very many messages: beyond so many they are kept as numbers, which takes a third of the memory. */
export interface FoldRoom<Origin> {
  most(): number;
  /** Those of another fold, where both know the same. */
  ids(): Ids;
  origins(): OriginColumns<Origin>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** `isBetter`: whether a message is rather counted under the new origin than under the one it has. */
export function createUsageFold<Origin>(
  isBetter: (now: Origin, before: Origin) => boolean,
  room?: FoldRoom<Origin>,
): UsageFold<Origin> {
  const { all, claims } = createMessages(room);
  const index = createIdIndex<number>(claims);
  /** Made when the first message without an id comes: only its request tells whose it is. */
  let byRequest: Map<string, number> | undefined;

  function noteRequest({ requestId, synthetic }: MessageUsage<Origin>, number: number): void {
    if (requestId === undefined || synthetic) return;
    if (byRequest?.has(requestId) === false) byRequest.set(requestId, number);
  }

  /** The message of the same request, where one of both has no id. Another id in it, or a message of the client's own, is another. */
  function ofRequest(sighting: Sighting<Origin>): number | undefined {
    if (sighting.synthetic || (byRequest === undefined && hasOwnId(sighting))) return undefined;
    if (byRequest === undefined) {
      byRequest = new Map();
      for (let number = 0; number < all.length(); number += 1) noteRequest(all.at(number), number);
    }
    const known = byRequest.get(sighting.requestId ?? '');
    return known === undefined || (hasOwnId(sighting) && hasOwnId(all.at(known))) ? undefined : known;
  }

  function join(known: Mutable<MessageUsage<Origin>>, now: Sighting<Origin>): void {
    if (isLarger(now.usage, known.usage)) known.usage = now.usage;
    known.ended ||= now.ended;
    known.synthetic ||= now.synthetic;
    known.requestId ??= now.requestId;
    if (!hasOwnId(known)) known.key = now.key;
    known.model ??= now.model;
    known.time = least(known.time, now.time);
    known.costUSD = most(known.costUSD, now.costUSD);
    known.estimate = most(known.estimate, now.estimate);
    if (isBetter(now.origin, known.origin)) known.origin = now.origin;
  }

  function* numbered(): Generator<Numbered<Origin>> {
    for (let number = 0; number < all.length(); number += 1) {
      const message = all.at(number);
      if (!message.synthetic) yield { number, message };
    }
  }

  function* each(): Generator<MessageUsage<Origin>> {
    for (let number = 0; number < all.length(); number += 1) {
      const message = all.counted(number);
      if (!message.synthetic) yield message;
    }
  }

  return {
    add(sighting) {
      const { key, requestId } = sighting;
      const known = key === undefined ? undefined : (index.find(key, requestId) ?? ofRequest(sighting));
      const number = known ?? all.push(sighting);
      if (known !== undefined) all.change(known, (message) => join(message, sighting));
      if (byRequest !== undefined) noteRequest(all.at(number), number);
      if (key !== undefined) index.add(key, requestId, number);
      return number;
    },
    at: all.at,
    messages: () => Array.from(numbered(), ({ message }) => message),
    drain(visit) {
      for (let number = 0; number < all.length(); number += 1) {
        if (number % DROPPED_AT_ONCE === 0) all.dropBefore(number);
        const message = all.at(number);
        if (!message.synthetic) visit(message, number);
      }
    },
    numbered,
    [Symbol.iterator]: each,
  };
}

const DROPPED_AT_ONCE = 4096;
/** Once there are very many: so few that they are gone before V8 takes them for what stays. */
const FEW = 256;

/** Messages by number, in the order they came, and who claims an id: all at hand, or most of them packed. */
function createMessages<Origin>(room: FoldRoom<Origin> | undefined) {
  const claims = createPackedClaims();
  let live: Mutable<MessageUsage<Origin>>[] = [];
  let packed: PackedMessages<Origin> | undefined;
  /** So many are packed: the first. */
  let count = 0;

  function pack({ ids, origins }: FoldRoom<Origin>): void {
    packed ??= createPackedMessages(ids(), origins());
    for (const [place, message] of live.entries()) packed.set(count + place, message);
    const from = count;
    claims.pack(ids(), packed, (row) => live[row - from]?.key);
    count += live.length;
    live = [];
  }

  const there = (message: MessageUsage<Origin> | undefined, number: number): Mutable<MessageUsage<Origin>> => {
    if (message === undefined) throw new RangeError(`there is no message ${number}`);
    return message;
  };
  const at = (number: number) => there(number < count ? packed?.get(number) : live[number - count], number);

  const all = {
    length: () => count + live.length,
    at,
    counted: (number: number) => there(number < count ? packed?.counted(number) : live[number - count], number),
    push(message: MessageUsage<Origin>): number {
      if (room !== undefined && live.length >= (packed === undefined ? Math.max(room.most(), FEW) : FEW)) pack(room);
      return count + live.push(message) - 1;
    },
    change(number: number, by: (message: Mutable<MessageUsage<Origin>>) => void): void {
      const message = at(number);
      by(message);
      if (number < count) packed?.set(number, message);
    },
    dropBefore(number: number): void {
      if (number < count) packed?.dropBefore(number);
    },
  };
  return { all, claims };
}

/** Else its request stands for it. */
function hasOwnId({ key, requestId }: Sighting<unknown>): boolean {
  return requestId === undefined || key !== requestId;
}

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}

function most(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

/** What was done besides in the request of a line: messages of their own, known by the ids of the one they are part of. */
export function besidesOf<Told extends Sighting<unknown>>(told: Told): Told[] {
  const { besides } = told.usage;
  if (besides === undefined) return [];
  return besides.map(({ what, model = told.model, usage }, place) => {
    const named = (id: string | undefined) => (id === undefined ? undefined : `${id}-${what}${place + 1}`);
    const { key, requestId } = told;
    const counted = { usage, model, ended: true, costUSD: undefined, estimate: undefined };
    return { ...told, ...counted, key: named(key), requestId: named(requestId) };
  });
}

/** Usage is that of the whole message; early lines of a stream hold partial counts. */
export function largestUsage(usages: Iterable<Usage | undefined>): Usage | undefined {
  let largest: Usage | undefined;
  for (const usage of usages) {
    if (usage && (largest === undefined || isLarger(usage, largest))) largest = usage;
  }
  return largest;
}

/** By output; where that is equal by all the rest, so that the order of files makes no difference; else the earlier one stays. */
export function isLarger(now: Usage, before: Usage): boolean {
  return now.output === before.output ? weight(now) > weight(before) : now.output > before.output;
}

function weight({ input, cacheCreation, cacheRead, besides }: Usage): number {
  return input + cacheCreation + cacheRead + (besides?.length ?? 0);
}

/** No output was recorded (E17): totals over such messages are too small. */
export function isIncomplete({ ended, usage }: { readonly ended: boolean; readonly usage: Usage }): boolean {
  return !ended && usage.output <= 1;
}
