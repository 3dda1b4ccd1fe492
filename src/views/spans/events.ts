/** What happened beside messages and calls: compactions, API errors, words of the client. */
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asNumber, asString, at, type Json } from '../../format/json.ts';
import { typedOf } from '../../format/typed.ts';
import { NO_RESPONSE } from '../../graph/context/close.ts';
import type { Message, Turn } from '../../graph/types.ts';
import { usableTime } from './clock.ts';
import { type Contents, textOfMessage } from './content.ts';
import { messageKey, originalUuid } from './ids.ts';
import type { EventFacts, SpanLevel } from './types.ts';

export interface Happening {
  readonly key: string;
  readonly name: string;
  readonly entry: Entry | undefined;
  readonly level: SpanLevel;
  readonly statusMessage: string | null;
  readonly facts: EventFacts;
}

/**
 * `isOwn`: not of a sub-agent whose lines stand between. A compaction after all that was said in a turn is the beginning of
 * the next, when this one may have been sent already.
 */
export function happeningsIn(
  turn: Turn,
  previous: Turn | undefined,
  isOwn: (entry: Entry) => boolean,
  contents: Contents,
): Happening[] {
  const after = new Set(compactionsAfter(turn));
  const entries = [
    ...(previous ? compactionsAfter(previous) : []),
    ...turn.entries.filter((entry) => !after.has(entry)),
  ];
  const seen = new Set<string>();
  const noted = entries.flatMap((entry) => {
    if (entry.kind !== 'system' || !isOwn(entry)) return [];
    const key = originalUuid(entry) ?? `${entry.head.subtype} ${entry.head.timestamp ?? ''}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return systemEvent(entry, key, contents);
  });
  return [...noted, ...turn.messages.flatMap((message) => clientEvent(message, contents))];
}

/** By place, or by time: a fork writes its copies in another order. */
function compactionsAfter({ entries, ended }: Turn): Entry[] {
  const last = entries.findLastIndex(({ kind, head }) => {
    return kind === 'assistant' || (kind === 'user' && !head.isCompactSummary && !head.isMeta);
  });
  const end = usableTime(ended) ?? Number.POSITIVE_INFINITY;
  const isAfter = (entry: Entry, place: number) => place > last || (usableTime(entry.head.timestamp) ?? 0) > end;
  return entries.filter((entry, place) => entry.head.subtype === 'compact_boundary' && isAfter(entry, place));
}

function systemEvent(entry: Entry, key: string, contents: Contents): Happening[] {
  const { subtype } = entry.head;
  if (subtype !== 'compact_boundary' && subtype !== 'api_error') return [];
  const json = jsonOf(entry) ?? {};
  const { compact, error, retryAttempt, maxRetries, retryInMs } = typedOf('system', json);
  if (subtype === 'compact_boundary') {
    const { trigger, preTokens, postTokens } = compact ?? {};
    const why = trigger === undefined ? undefined : contents.name(trigger);
    const details = known({ trigger: why, pre_tokens: preTokens, post_tokens: postTokens });
    return [
      {
        key,
        name: 'context compacted',
        entry,
        level: 'default',
        statusMessage: null,
        facts: { type: 'compaction', details },
      },
    ];
  }
  const details = known({
    status: asNumber(at(error, 'status')),
    retry_attempt: retryAttempt,
    max_retries: maxRetries,
    retry_in_ms: retryInMs,
  });
  const statusMessage = contents.status(() => errorText(error), 'API error, retried');
  return [{ key, name: 'API error', entry, level: 'warning', statusMessage, facts: { type: 'api_error', details } }];
}

function errorText(error: Json | undefined): string {
  return asString(error) ?? asString(at(error, 'message')) ?? asString(at(error, 'error', 'error', 'message')) ?? '';
}

/** A message that the client wrote in the model's place (E13). */
function clientEvent(message: Message, contents: Contents): Happening[] {
  if (!message.synthetic && !message.isApiError) return [];
  const [entry] = message.entries;
  const key = messageKey(message);
  const text = () => textOfMessage(message);
  if (message.isApiError) {
    const statusMessage = contents.status(text, 'API error');
    return [
      { key, name: 'API error', entry, level: 'error', statusMessage, facts: { type: 'api_error', details: {} } },
    ];
  }
  if (text() === NO_RESPONSE) return [];
  const statusMessage = contents.status(text, 'message of the client');
  const facts = { type: 'client_message', details: {} } as const;
  return [{ key, name: 'client message', entry, level: 'default', statusMessage, facts }];
}

function known(values: Record<string, string | number | undefined>): Record<string, string | number> {
  const found: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) found[name] = value;
  return found;
}
