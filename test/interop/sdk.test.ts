/** The Agent SDK drives `skein` as its executable: the same messages in the same order as from the published client. */
import { beforeAll, describe, expect, test } from 'vitest';
import { asObject, type JsonObject } from '../../src/format/json.ts';
import { says } from '../support/scripted-model.ts';
import { executable, installSdk, onStage } from './sdk.ts';
import { ASKING } from './sdk-asking.ts';
import { PARTS } from './sdk-parts.ts';
import { bash, scriptOf } from './sdk-scene.ts';
import { TURNS } from './sdk-turns.ts';

const SCENES = { ...TURNS, ...ASKING, ...PARTS };

beforeAll(() => installSdk(), 120_000);

/** Messages that are not compared. */
const PASSED_OVER: Readonly<Record<string, string>> = {
  'stream_event/ping': 'comes from the server, and may be passed on or not',
};

/** Fields of results that differ, by scene. */
const DIFFERENT: Readonly<Record<string, { readonly fields: readonly string[]; readonly why: string }>> = {
  'an error of the API': { fields: ['result'], why: 'the words for it are our own' },
  'fork a session': {
    fields: ['cost', 'models'],
    why: 'a fork of ours counts what it cost itself, theirs goes on from the sum',
  },
  'agents of the program': { fields: ['cost'], why: 'our table of prices has another one for the small model' },
};

/** Of results, what does not depend on who makes them. The most tokens of an answer are each one's own choice. */
const RESULT = [
  'subtype',
  'is_error',
  'num_turns',
  'stop_reason',
  'terminal_reason',
  'structured_output',
  'user_message_uuid',
  'user_message_uuids',
  'result',
];

function nameOf({ type, subtype, event }: JsonObject): string {
  return [type, subtype, asObject(event)?.type].filter((part) => typeof part === 'string').join('/');
}

/** Apart for the session and each of its agents: how those that run side by side take turns is chance. */
function sequences(messages: readonly JsonObject[]): Record<string, string[]> {
  const told: Record<string, string[]> = {};
  for (const message of messages) {
    const name = nameOf(message);
    if (name in PASSED_OVER) continue;
    const about = message.parent_tool_use_id ?? (/task_|background_tasks/.test(name) ? 'tasks' : null);
    const key = about === null ? 'session' : about === 'tasks' ? 'tasks' : 'agent';
    told[key] = [...(told[key] ?? []), name];
  }
  return told;
}

function resultsOf(messages: readonly JsonObject[], scene: string): JsonObject[] {
  const without = DIFFERENT[scene]?.fields ?? [];
  const results = messages.filter(({ type }) => type === 'result');
  return results.map((result) => {
    const told = {
      ...Object.fromEntries(RESULT.map((key) => [key, result[key] ?? null])),
      denials: result.permission_denials ?? null,
      cost: Number(result.total_cost_usd).toFixed(8),
      usage: usageOf(asObject(result.usage)),
      models: Object.entries(asObject(result.modelUsage) ?? {}).map(([model, used]) => {
        return [model, modelUsageOf(asObject(used))];
      }),
    };
    return Object.fromEntries(Object.entries(told).filter(([key]) => !without.includes(key)));
  });
}

function usageOf(usage: JsonObject = {}): JsonObject {
  const { input_tokens = 0, output_tokens = 0 } = usage;
  return { input_tokens, output_tokens };
}

function modelUsageOf(used: JsonObject = {}): JsonObject {
  const { inputTokens = 0, outputTokens = 0, contextWindow = 0 } = used;
  return { inputTokens, outputTokens, contextWindow };
}

describe.each(Object.keys(SCENES))('%s', (name) => {
  test('is the same with both', async () => {
    const scene = SCENES[name];
    if (scene === undefined) throw new Error(`there is no scene ${name}`);
    const theirs = await onStage('claude', scriptOf(scene), scene.play);
    const ours = await onStage('skein', scriptOf(scene), scene.play);
    expect(sequences(ours.messages)).toEqual(sequences(theirs.messages));
    expect(resultsOf(ours.messages, name)).toEqual(resultsOf(theirs.messages, name));
    expect(ours.facts).toEqual(theirs.facts);
    expect(ours.requests.map(({ refused }) => refused)).toEqual(ours.requests.map(() => undefined));
  }, 60_000);
});

test('a session that a program began in one goes on in the other, with all that was said', async () => {
  const script = [bash('echo one'), says('first'), says('second'), bash('echo two'), says('third')];
  const hook = async () => ({ hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'by a hook' } });
  const hooks = { PostToolUse: [{ hooks: [hook] }] };
  const { messages, requests } = await onStage('skein', script, async ({ query, drain, seen }) => {
    await drain(query('one', { allowedTools: ['Bash'], hooks }));
    const resume = seen[0]?.session_id;
    await drain(query('two', { resume, pathToClaudeCodeExecutable: executable('claude') }));
    await drain(query('three', { resume, allowedTools: ['Bash'], hooks }));
  });
  expect(messages.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual([
    'first',
    'second',
    'third',
  ]);
  expect(new Set(messages.map(({ session_id }) => session_id)).size).toBe(1);
  expect(requests.map(({ refused }) => refused)).toEqual(requests.map(() => undefined));
  const last = JSON.stringify(requests.at(-1)?.messages);
  for (const words of ['one', 'first', 'two', 'second', 'three', 'by a hook']) expect(last).toContain(words);
}, 60_000);
