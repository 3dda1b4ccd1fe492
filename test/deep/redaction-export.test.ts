/** No secret that a rule knows is in any export, wherever in an entry it stands; without its rule it would be. The recordings: test/deep/redaction.test.ts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { RULES } from '../../src/redact/rules.ts';
import { survivors } from '../redact/planted.ts';
import { SAMPLES, type Sample } from '../redact/samples.ts';
import { assistant, attachment, chain, result, toJsonl, toolUse, user } from '../support/build.ts';
import { exported, FORMATS } from '../support/exported.ts';
import { tempFolder } from '../support/files.ts';

/** Turns that hold a text in one place each, as the client writes it. */
const PLACES: Readonly<Record<string, (secret: string, nth: number) => JsonObject[]>> = {
  prompt: (secret, nth) => [user(secret), assistant('fine', { id: `n${nth}` })],
  answer: (secret, nth) => [user('go'), assistant(secret, { id: `n${nth}` })],
  'tool input': (secret, nth) => called(nth, { input: { command: secret } }),
  'tool result': (secret, nth) => called(nth, { result: secret }),
  toolUseResult: (secret, nth) => called(nth, { record: { stdout: secret, stderr: '', interrupted: false } }),
  attachment: (secret, nth) => [
    user('go'),
    attachment('queued_command', { prompt: secret }),
    attachment('hook_additional_context', { content: [secret] }),
    assistant('fine', { id: `n${nth}` }),
  ],
  snapshot: (secret, nth) => [
    {
      type: 'file-history-snapshot',
      messageId: `s${nth}`,
      snapshot: { messageId: `s${nth}`, trackedFileBackups: { [secret]: { backupFileName: secret, version: 1 } } },
    },
    user('go'),
    assistant('fine', { id: `n${nth}` }),
  ],
  'sub-agent': () => [],
};

function called(nth: number, call: { input?: JsonObject; result?: string; record?: JsonObject }): JsonObject[] {
  const { input = { command: 'x' }, result: said = 'done', record } = call;
  return [
    user('go'),
    assistant(toolUse(`t${nth}`, 'Bash', input), { id: `m${nth}`, stop: 'tool_use' }),
    result(`t${nth}`, said, record && { toolUseResult: record }),
    assistant('fine', { id: `n${nth}` }),
  ];
}

const SESSION = '11111111-1111-4111-8111-111111111111';

/** A chat that says each sample once in that place. */
function sayingIn(place: string): string {
  const root = tempFolder();
  const folder = join(root, 'projects', '-w');
  mkdirSync(join(folder, SESSION, 'subagents'), { recursive: true });
  const task = [
    user('go'),
    assistant(toolUse('task', 'Task', { description: 'd', prompt: 'p' }), { id: 'task', stop: 'tool_use' }),
    result('task', 'done', { toolUseResult: { agentId: 'a1', status: 'completed' } }),
    assistant('fine', { id: 'end' }),
  ];
  const lines = SAMPLES.flatMap(({ text }, nth) => PLACES[place]?.(text, nth) ?? []);
  const write = (file: string, some: readonly JsonObject[], more: JsonObject = {}) =>
    writeFileSync(join(folder, file), toJsonl(chain(some, { sessionId: SESSION, ...more })));
  write(`${SESSION}.jsonl`, place === 'sub-agent' ? task : lines);
  if (place === 'sub-agent') {
    const inner = SAMPLES.flatMap(({ text }, nth) => Object.values(PLACES)[nth % 5]?.(text, nth) ?? []);
    const own = [user('p'), ...inner].map((line, nth) => ({ ...line, uuid: `a${nth}` }));
    write(`${SESSION}/subagents/agent-a1.jsonl`, own, { isSidechain: true, agentId: 'a1' });
  }
  return root;
}

describe('every kind of secret in every place', () => {
  const kinds = new Set(SAMPLES.map(({ rule }) => rule));

  test.each(Object.keys(PLACES))('%s', async (place) => {
    const root = sayingIn(place);
    const outputs = await exported(root);
    for (const [name, output] of Object.entries(outputs)) expect([name, survivors(output)]).toEqual([name, []]);
    // Without rules all of them would be there; snapshots are in no export at all.
    const open = Object.values(await exported(root, { rules: [] })).flatMap(survivors);
    expect(new Set(open)).toEqual(place === 'snapshot' ? new Set() : kinds);
    expect(kinds.size).toBeGreaterThanOrEqual(30);
  });
});

/** A chat that says each sample once, in a prompt or in the output of a tool. */
function saying(samples: readonly Sample[]): string {
  const root = tempFolder();
  const lines = samples.flatMap(({ text }, index) => [
    user(index % 2 === 0 ? text : 'go on'),
    assistant(toolUse(`t${index}`, 'Bash', { command: 'x' }), { id: `m${index}`, stop: 'tool_use' }),
    result(`t${index}`, index % 2 === 0 ? 'done' : text),
    assistant('fine', { id: `n${index}` }),
  ]);
  const folder = join(root, 'projects', '-w');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '11111111-1111-4111-8111-111111111111.jsonl'), toJsonl(chain(lines)));
  return root;
}

describe('the test would notice', () => {
  test('with all rules nothing is left', async () => {
    const outputs = await exported(saying(SAMPLES));
    expect(Object.values(outputs).flatMap(survivors)).toEqual([]);
  });

  test.each(RULES.map(({ id }) => id))('without %s its secret is left', async (id) => {
    const root = saying(SAMPLES.filter(({ rule }) => rule === id));
    const outputs = await exported(root, { rules: RULES.filter((rule) => rule.id !== id) });
    for (const name of Object.keys(FORMATS)) expect([name, survivors(outputs[name] ?? '')]).toEqual([name, [id]]);
  });
});
