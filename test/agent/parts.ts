/** A loop with a model that answers by a list, and tools that are functions. */

import type { Gate, LoopEvent, LoopParts, ModelRequest } from '../../src/agent/ports.ts';
import { newSession, type Session } from '../../src/agent/session.ts';
import { failed, type Tool, type ToolHost, type ToolOutcome, type ToolSession } from '../../src/agent/tools/tool.ts';
import type { JsonObject } from '../../src/format/json.ts';
import type { Answer, Script } from './model-script.ts';
import { scripted } from './model-script.ts';
import { createWorld, type World } from './world.ts';

export type { Answer } from './model-script.ts';

export interface Bench {
  readonly world: World;
  readonly session: Session;
  readonly parts: LoopParts;
  readonly requests: ModelRequest[];
  readonly events: LoopEvent[];
}

export function bench(script: Script, more: Partial<LoopParts> = {}, open?: { world: World; session: Session }): Bench {
  const world = open?.world ?? createWorld();
  const session = open?.session ?? newSession(world.options);
  const requests: ModelRequest[] = [];
  const events: LoopEvent[] = [];
  const parts: LoopParts = {
    model: scripted(script, requests),
    transcript: session.transcript,
    tools: toolsOf(echo, slow, broken, write),
    gate: ALLOW,
    session: toolSession(world.cwd),
    ask: { model: 'claude-opus-5-5', system: ['Be brief.'], maxTokens: 1000 },
    emit: (event) => events.push(event),
    ...more,
  };
  return { world, session, parts, requests, events };
}

export const ALLOW: Gate = {
  mode: 'bypassPermissions',
  decide: async () => ({ allow: true, record: { decision: 'accept', source: 'config', reasonType: 'mode' } }),
};

export function toolsOf(...tools: readonly Tool[]): Map<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

export function tool(name: string, run: Tool['run'], more: Partial<Tool> = {}): Tool {
  const description = `The tool ${name}.`;
  return {
    name,
    description,
    definition: () => ({ name, description, input_schema: { type: 'object' } }),
    refuse: (input) => (input.bad === true ? 'bad is not allowed.' : undefined),
    acts: 'reads',
    parallel: () => true,
    run,
    ...more,
  };
}

export const echo = tool('Echo', async (input) => done(String(input.text ?? '')));
/** Ends when it is told to, or after `ms`. */
export const slow = tool('Slow', (input, host) => wait(Number(input.ms ?? 60_000), host));
export const broken = tool('Broken', async () => {
  throw new Error('it broke');
});
export const write = tool('Write', async () => done('written'), { acts: 'writes', parallel: () => false });

export function done(content: string): ToolOutcome {
  return { content, result: { stdout: content } };
}

function wait(ms: number, { signal, progress }: ToolHost): Promise<ToolOutcome> {
  progress({ type: 'bash_progress', output: 'waiting' });
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(done(`after ${ms}`)), ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(failed('stopped'));
    });
  });
}

const NO_SHELLS: ToolSession['shells'] = {
  run: () => Promise.reject(new Error('no shell')),
  start: () => Promise.reject(new Error('no shell')),
  get: () => undefined,
  list: () => [],
  close: async () => {},
};

function toolSession(cwd: string): ToolSession {
  return {
    cwd,
    root: cwd,
    folders: [],
    env: {},
    files: { get: () => undefined, set: () => {} },
    shells: NO_SHELLS,
    todos: [],
    spill: () => '',
    backup: () => {},
    limits: { bashTimeoutMs: 1, bashMaxTimeoutMs: 1, outputChars: 1, privateAddresses: false },
  };
}

export function text(words: string): JsonObject {
  return { type: 'text', text: words };
}

export function thinking(words = 'Hm.'): JsonObject {
  return { type: 'thinking', thinking: words, signature: 'c2ln' };
}

let calls = 0;

export function call(name: string, input: JsonObject = {}, id = `toolu_${++calls}`): JsonObject {
  return { type: 'tool_use', id, name, input };
}

export function says(...blocks: readonly (JsonObject | string)[]): Answer {
  return { blocks: blocks.map((block) => (typeof block === 'string' ? text(block) : block)) };
}
