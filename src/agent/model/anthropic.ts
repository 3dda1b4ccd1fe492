/** The Messages API as the loop's model: asks, retries, falls back, and tells what came. */
import type { Model, ModelEvent, ModelOutcome, ModelRequest } from '../ports.ts';
import { accessOf, type Env } from './access.ts';
import { attempt } from './attempt.ts';
import { CLOCK, type Clock } from './clock.ts';
import { createCosts } from './cost.ts';
import { type Counted, countTokens } from './count.ts';
import { isOverloaded, withoutKeys } from './failure.ts';
import { modelId } from './models.ts';
import { type Asked, askedOf, bodyOf, countBodyOf } from './request.ts';
import { countOf, maxRetriesOf, waitBefore } from './retry.ts';
import type { Limits } from './watch.ts';

export interface ModelOptions {
  /** ANTHROPIC_API_KEY and the like. */
  readonly env: Env;
  /** As it names itself to the server: `skein/0.1.0`. */
  readonly program?: string;
  /** Asked when the other is overloaded. */
  readonly fallbackModel?: string;
  /** Else CLAUDE_CODE_MAX_RETRIES, else 10. */
  readonly maxRetries?: number;
  /** For one request in all; else API_TIMEOUT_MS, else no limit but ten minutes until it begins to answer. */
  readonly timeoutMs?: number;
  /** Without a byte while it answers; else CLAUDE_STREAM_IDLE_TIMEOUT_MS, else five minutes. */
  readonly idleMs?: number;
  readonly clock?: Clock;
}

export interface AnthropicModel extends Model {
  countTokens(request: ModelRequest): Promise<Counted>;
}

const ANSWER_MS = 600_000;
const IDLE_MS = 300_000;
const LONGEST_MS = 2 ** 31 - 1;
/** So often in a row a model must be overloaded before the other is asked. */
const OVERLOADED_IN_A_ROW = 3;
/** So long the other is then asked at once. */
const FALLEN_BACK_MS = 600_000;

export function createModel(options: ModelOptions): AnthropicModel {
  const { env, program = 'skein', clock = CLOCK } = options;
  const access = accessOf(env, program);
  const maxRetries = options.maxRetries ?? maxRetriesOf(env);
  const limits = limitsOf(options);
  const fallback = options.fallbackModel === undefined ? undefined : modelId(options.fallbackModel);
  const caching = !/^(1|true)$/i.test(env.DISABLE_PROMPT_CACHING ?? '');
  const costs = createCosts(clock.now);
  const patience = Math.min(OVERLOADED_IN_A_ROW, maxRetries + 1);
  let fallenBackUntil = 0;

  const otherThan = (model: string): string | undefined => (modelId(model) === fallback ? undefined : fallback);

  async function* ask({ signal, ...request }: ModelRequest): AsyncGenerator<ModelEvent, ModelOutcome> {
    if ('failure' in access) return { kind: 'failed', failure: access.failure };
    let asked: Asked = request;
    let overloaded = clock.now() < fallenBackUntil ? patience : 0;
    for (let retries = 0; ; ) {
      if (signal.aborted) return { kind: 'aborted' };
      const other = overloaded >= patience ? otherThan(asked.model) : undefined;
      if (other !== undefined) {
        yield { kind: 'fallback', from: modelId(asked.model), to: other };
        asked = askedOf(asked, other);
        overloaded = 0;
      }
      const end = yield* attempt({ access, body: bodyOf(asked, { caching }), signal, limits, clock });
      if (end.kind !== 'failed') {
        await costs.load();
        return end;
      }
      const failure = withoutKeys(end.failure, access.headers);
      overloaded = isOverloaded(failure) ? overloaded + 1 : 0;
      const fallsBack = overloaded >= patience && otherThan(asked.model) !== undefined;
      if (fallsBack) fallenBackUntil = clock.now() + FALLEN_BACK_MS;
      else if (!end.retry || retries >= maxRetries) return { kind: 'failed', failure };
      retries += 1;
      const delayMs = fallsBack ? 0 : waitBefore(retries, end.afterMs, clock);
      yield { kind: 'retry', failure, attempt: retries, maxRetries, delayMs };
      await clock.sleep(delayMs, signal);
    }
  }

  return {
    ask,
    cost: costs.of,
    countTokens: async ({ signal, ...request }) => {
      if ('failure' in access) return access;
      return countTokens({ access, body: countBodyOf(request), signal, limits });
    },
  };
}

function limitsOf({ env, timeoutMs = countOf(env.API_TIMEOUT_MS), idleMs }: ModelOptions): Limits {
  // 0 is no limit; Node's timers hold no more than LONGEST_MS.
  const total = timeoutMs ? Math.min(timeoutMs, LONGEST_MS) : undefined;
  const idle = (idleMs ?? countOf(env.CLAUDE_STREAM_IDLE_TIMEOUT_MS)) || IDLE_MS;
  return {
    answerMs: total ?? ANSWER_MS,
    idleMs: Math.min(idle, LONGEST_MS),
    ...(total !== undefined && { totalMs: total }),
  };
}
