/** Bytes of a response as events. Of the SDK only its reader of streams is loaded: the whole client takes 80 ms of CPU, this one. */
import { isObject, type JsonObject, parseJson } from '../../format/json.ts';

/** undefined: something that is no event of the API. */
export async function* eventsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject | undefined> {
  const { Stream } = await import('@anthropic-ai/sdk/core/streaming');
  for await (const { event, data } of Stream.rawEvents(asResponse(body))) {
    if (event === 'ping' || data === '') continue;
    const value = parseJson(data);
    yield isObject(value) ? { ...(event !== null && { type: event }), ...value } : undefined;
  }
}

/** The reader looks at nothing but the body, which may be any iterable; a real Response would load all of `fetch` (40 ms). */
function asResponse(body: AsyncIterable<Uint8Array>): Response {
  const response: Pick<Response, 'ok'> & { body: AsyncIterable<Uint8Array> } = { ok: true, body };
  return response as unknown as Response;
}
