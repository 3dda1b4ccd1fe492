/** Asks a model and keeps all it tells. */
import { afterEach } from 'vitest';

import { type AnthropicModel, createModel, type ModelOptions } from '../../../src/agent/model/anthropic.ts';
import type { Clock } from '../../../src/agent/model/clock.ts';
import type { ModelEvent, ModelOutcome, ModelRequest } from '../../../src/agent/ports.ts';
import {
  type Script,
  type ScriptedModel,
  type ScriptedOptions,
  startScriptedModel,
} from '../../support/scripted-model.ts';

export interface Heard {
  readonly events: ModelEvent[];
  readonly outcome: ModelOutcome;
}

export const MODEL = 'claude-sonnet-4-5-20250929';

export function requestOf(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: MODEL,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    system: ['Be brief.'],
    tools: [],
    maxTokens: 4096,
    signal: new AbortController().signal,
    ...more,
  };
}

/** Does not sleep, but says how long it would have. */
export function fakeClock(): Clock & { readonly slept: number[] } {
  let time = Date.parse('2026-11-15T12:00:00Z');
  const slept: number[] = [];
  return {
    slept,
    now: () => time,
    random: () => 0,
    sleep: async (ms) => {
      slept.push(ms);
      time += ms;
    },
  };
}

export function modelOf(server: Pick<ScriptedModel, 'env'>, options: Partial<ModelOptions> = {}): AnthropicModel {
  return createModel({ clock: fakeClock(), ...options, env: { ...server.env, ...options.env } });
}

export async function hear(
  answer: AsyncGenerator<ModelEvent, ModelOutcome>,
  watch: (event: ModelEvent) => void = () => {},
): Promise<Heard> {
  const events: ModelEvent[] = [];
  for (;;) {
    const next = await answer.next();
    if (next.done) return { events, outcome: next.value };
    events.push(next.value);
    watch(next.value);
  }
}

export function ofKind<K extends ModelEvent['kind']>(events: readonly ModelEvent[], kind: K) {
  return events.filter((event): event is Extract<ModelEvent, { kind: K }> => event.kind === kind);
}

export function blocksIn(events: readonly ModelEvent[]) {
  return ofKind(events, 'block').map(({ block }) => block);
}

/** Starts servers that are gone when the test is over. */
export function serving(): (script: Script, options?: ScriptedOptions) => Promise<ScriptedModel> {
  const servers: ScriptedModel[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
  return async (script, options) => {
    const server = await startScriptedModel(script, options);
    servers.push(server);
    return server;
  };
}
