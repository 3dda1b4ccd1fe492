/** One span that shows that the way to an endpoint is open. */
import { randomBytes } from 'node:crypto';
import type { Endpoint } from '../../export/otlp/endpoint.ts';
import { createPost } from '../../export/otlp/post.ts';
import { otlpRequest } from '../../views/spans/otlp.ts';

export const TEST_SPAN = 'skein hook test';

/** undefined: it was taken; otherwise why not. */
export async function sendTestSpan(
  endpoint: Endpoint,
  version: string,
  now: number,
  timeoutMs = 5000,
): Promise<string | undefined> {
  const time = `${now}000000`;
  const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
  const span = {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: TEST_SPAN,
    kind: 1,
    startTimeUnixNano: time,
    endTimeUnixNano: time,
    attributes: [attribute('langfuse.trace.name', TEST_SPAN), attribute('langfuse.observation.type', 'event')],
    status: {},
  };
  const answer = await createPost(endpoint, { timeoutMs })(JSON.stringify(otlpRequest([span], { version })));
  if (answer.type === 'accepted') return undefined;
  return answer.words === '' ? 'the span was not taken' : answer.words;
}

/** How far the clock here is from the server's, in milliseconds; undefined where it does not say. */
export async function clockSkew({ url }: Endpoint, timeoutMs = 5000): Promise<number | undefined> {
  try {
    const before = Date.now();
    const response = await fetch(new URL('/', url), { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    const told = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(told) ? undefined : (before + Date.now()) / 2 - told;
  } catch {
    return undefined;
  }
}
