/** The usage of messages from any number of lines and files, each message once (E4, E18): the only place that counts them. */
import type { Usage } from '../../format/usage.ts';
import { createIdIndex } from '../idindex.ts';

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

export interface UsageFold<Origin> {
  /** The message it belongs to, as known so far; it changes as more come. The first sighting becomes the message itself. */
  add(sighting: Sighting<Origin>): MessageUsage<Origin>;
  /** In the order they were met, without those the client wrote itself. */
  messages(): MessageUsage<Origin>[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** `isBetter`: whether a message is rather counted under the new origin than under the one it has. */
export function createUsageFold<Origin>(isBetter: (now: Origin, before: Origin) => boolean): UsageFold<Origin> {
  const all: Mutable<MessageUsage<Origin>>[] = [];
  const index = createIdIndex<Mutable<MessageUsage<Origin>>>();
  /** Made when the first message without an id comes: only its request tells whose it is. */
  let byRequest: Map<string, Mutable<MessageUsage<Origin>>> | undefined;

  function noteRequest(message: Mutable<MessageUsage<Origin>>): void {
    const { requestId } = message;
    if (requestId === undefined || message.synthetic) return;
    if (byRequest?.has(requestId) === false) byRequest.set(requestId, message);
  }

  /** The message of the same request, where one of both has no id. Another id in it, or a message of the client's own, is another. */
  function ofRequest(sighting: Sighting<Origin>): Mutable<MessageUsage<Origin>> | undefined {
    if (sighting.synthetic || (byRequest === undefined && hasOwnId(sighting))) return undefined;
    if (byRequest === undefined) {
      byRequest = new Map();
      for (const message of all) noteRequest(message);
    }
    const known = byRequest.get(sighting.requestId ?? '');
    return known === undefined || (hasOwnId(known) && hasOwnId(sighting)) ? undefined : known;
  }

  function join(known: Mutable<MessageUsage<Origin>>, now: Sighting<Origin>): void {
    known.usage = largerUsage(known.usage, now.usage);
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

  return {
    add(sighting) {
      const { key, requestId } = sighting;
      const known = key === undefined ? undefined : (index.find(key, requestId) ?? ofRequest(sighting));
      if (known !== undefined) join(known, sighting);
      const message: Mutable<MessageUsage<Origin>> = known ?? sighting;
      if (known === undefined) all.push(message);
      noteRequest(message);
      if (key !== undefined) index.add(key, requestId, message);
      return message;
    },
    messages: () => all.filter(({ synthetic }) => !synthetic),
  };
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
    if (usage) largest = largest === undefined ? usage : largerUsage(largest, usage);
  }
  return largest;
}

/** By output; where that is equal by all the rest, so that the order of files makes no difference; else the earlier. */
function largerUsage(a: Usage, b: Usage): Usage {
  if (a.output !== b.output) return a.output > b.output ? a : b;
  return weight(b) > weight(a) ? b : a;
}

function weight({ input, cacheCreation, cacheRead, besides }: Usage): number {
  return input + cacheCreation + cacheRead + (besides?.length ?? 0);
}

/** No output was recorded (E17): totals over such messages are too small. */
export function isIncomplete({ ended, usage }: { readonly ended: boolean; readonly usage: Usage }): boolean {
  return !ended && usage.output <= 1;
}
