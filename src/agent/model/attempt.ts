/** One request and its answer, told as it comes. What goes wrong is a value. */
import type { IncomingMessage } from 'node:http';
import type { ModelEvent, ModelOutcome } from '../ports.ts';
import type { Access } from './access.ts';
import { type AnswerFold, createAnswerFold } from './answer.ts';
import type { Clock } from './clock.ts';
import { encodeBody } from './encode.ts';
import { connectionFailure, eventFailure, type Failed, isPassing, reasonOf, statusFailure } from './failure.ts';
import { type HttpAnswer, post, textOf } from './http.ts';
import type { Body } from './request.ts';
import { askedWait, shouldRetry } from './retry.ts';
import { eventsIn } from './sse.ts';
import { createWatch, type Limits, type Watch } from './watch.ts';

export type AttemptEnd = Exclude<ModelOutcome, { kind: 'failed' }> | Failed;

export interface Attempt {
  readonly access: Access;
  readonly body: Body;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  readonly clock: Clock;
}

export async function* attempt(asked: Attempt): AsyncGenerator<ModelEvent, AttemptEnd> {
  const { access, signal, limits, clock } = asked;
  const watch = createWatch(limits, signal);
  let fold = createAnswerFold();
  let what = `no answer from ${access.host}`;
  try {
    const body = encodeBody(asked.body);
    const answer = await post(access.messages, { ...access, body, signal: watch.signal });
    watch.headersCame();
    what = `the answer from ${access.host} broke off`;
    if (answer.status !== 200) return await refusal(answer, clock);
    const requestId = answer.header('request-id');
    if (!isStream(answer)) return await notTheApi(answer, access);
    fold = createAnswerFold(requestId);
    const end = yield* readStream(answer.body, watch, fold, requestId);
    return end.kind === 'failed' && signal.aborted ? abortedWith(fold) : end;
  } catch (error) {
    if (fold.complete) return { kind: 'answer', ...fold.end() };
    if (signal.aborted) return abortedWith(fold);
    return connectionFailure(watch.expired ?? `${what}: ${reasonOf(error)}`);
  } finally {
    // Also when whoever reads has turned away: the connection goes with him.
    watch.close();
  }
}

async function* readStream(
  body: IncomingMessage,
  watch: Watch,
  fold: AnswerFold,
  requestId: string | undefined,
): AsyncGenerator<ModelEvent, AttemptEnd> {
  for await (const event of eventsIn(watched(body, watch))) {
    if (event === undefined)
      return connectionFailure('the answer holds something that is no event of the Messages API');
    if (event.type === 'error') {
      const failure = eventFailure(event, requestId);
      return { kind: 'failed', failure, retry: isPassing(failure) };
    }
    yield* fold.take(event);
    if (event.type === 'message_stop') watch.lastCame();
  }
  if (fold.complete) return { kind: 'answer', ...fold.end() };
  return connectionFailure('the answer ended before it was complete');
}

async function* watched(body: IncomingMessage, watch: Watch): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    watch.bytesCame();
    yield chunk;
  }
}

function abortedWith(fold: AnswerFold): AttemptEnd {
  const partial = fold.partial();
  return { kind: 'aborted', ...(partial && { partial }) };
}

async function refusal(answer: HttpAnswer, clock: Clock): Promise<Failed> {
  const { status, header, body } = answer;
  const failure = statusFailure(status, await textOf(body), header('request-id'));
  const afterMs = askedWait(header, clock);
  const retry = shouldRetry(header, isPassing(failure));
  return { kind: 'failed', failure, retry, ...(afterMs !== undefined && { afterMs }) };
}

function isStream(answer: HttpAnswer): boolean {
  return /^text\/event-stream\b/i.test(answer.header('content-type') ?? '');
}

/** A login page, or the wrong address: asking again would not help. */
async function notTheApi(answer: HttpAnswer, { host }: Access): Promise<Failed> {
  const type = answer.header('content-type') ?? 'no content type';
  const message = `${host} did not answer as the Messages API does (${type}, not a stream of events). Check ANTHROPIC_BASE_URL.`;
  return { kind: 'failed', failure: { status: 200, type: 'invalid_response', message }, retry: false };
}
