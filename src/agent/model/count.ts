/** How many tokens a request would take up, by the API's own count. */
import { asNumber, asObject, parseJson } from '../../format/json.ts';
import type { ApiFailure } from '../ports.ts';
import type { Access } from './access.ts';
import { encodeBody } from './encode.ts';
import { connectionFailure, reasonOf, statusFailure } from './failure.ts';
import { post, textOf } from './http.ts';
import type { Body } from './request.ts';
import { createWatch, type Limits } from './watch.ts';

export type Counted = { readonly tokens: number } | { readonly failure: ApiFailure };

export interface Count {
  readonly access: Access;
  readonly body: Body;
  readonly signal: AbortSignal;
  readonly limits: Limits;
}

/** Once, and never throws: whoever counts can do without. */
export async function countTokens({ access, body, signal, limits }: Count): Promise<Counted> {
  const watch = createWatch(limits, signal);
  try {
    const answer = await post(access.countTokens, { ...access, body: encodeBody(body), signal: watch.signal });
    const text = await textOf(answer.body);
    if (answer.status !== 200) return { failure: statusFailure(answer.status, text, answer.header('request-id')) };
    const tokens = asNumber(asObject(parseJson(text))?.input_tokens);
    if (tokens !== undefined) return { tokens };
    return { failure: { status: 200, type: 'invalid_response', message: `${access.host} did not tell a count` } };
  } catch (error) {
    return connectionFailure(watch.expired ?? `no answer from ${access.host}: ${reasonOf(error)}`);
  } finally {
    watch.close();
  }
}
