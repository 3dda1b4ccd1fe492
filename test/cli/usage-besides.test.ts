/** What the service did besides a message in the same request: an adviser's answers, summaries made on the way. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asArray, asNumber, asObject, at, type JsonObject } from '../../src/format/json.ts';
import { agentProgress, assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';

const SESSION = '11111111-1111-4111-8111-111111111111';
const SONNET = 'claude-sonnet-4-6';
const OPUS = 'claude-opus-4-7';

const round = (type: string, input: number, output: number, more: JsonObject = {}) => ({
  type,
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  ...more,
});
/** As the client writes it: the counts of the message are those of its own rounds. */
const ADVISED = {
  input_tokens: 2,
  output_tokens: 500,
  cache_read_input_tokens: 100_000,
  cache_creation_input_tokens: 8000,
  service_tier: 'standard',
  iterations: [
    round('message', 1, 50, { cache_read_input_tokens: 50_000, cache_creation_input_tokens: 8000 }),
    round('advisor_message', 100_000, 8000, { model: OPUS }),
    round('message', 1, 450, { cache_read_input_tokens: 50_000 }),
    round('advisor_message', 1000, 20, { model: OPUS }),
  ],
};

function machineWith(lines: readonly JsonObject[]) {
  const root = tempFolder();
  const folder = join(root, 'projects', '-work-app');
  mkdirSync(folder, { recursive: true });
  const envelope = { cwd: '/work/app', sessionId: SESSION };
  writeFileSync(join(folder, `${SESSION}.jsonl`), toJsonl(chain(lines, envelope)));
  return machine(root);
}

/** [model, messages, input, output, dollars], the same from the archive. */
async function byModel(...lines: JsonObject[]) {
  const { run } = machineWith(lines);
  const ask = async () =>
    (asArray(at((await run('usage', '--by', 'model', '--json')).json(), 'rows')) ?? []).map((row) => [
      at(row, 'key', 'model'),
      at(row, 'messages'),
      at(row, 'input'),
      at(row, 'output'),
      at(row, 'costUSD'),
    ]);
  const raw = await ask();
  await run('archive', 'sync');
  expect(await ask()).toEqual(raw);
  return raw;
}

const said = (usage: JsonObject, parts: object = {}) =>
  assistant('ok', { id: 'm1', requestId: 'r1', model: SONNET, usage, ...parts });

const EXPECTED = [
  [OPUS, 2, 101_000, 8020, 0.7055],
  [SONNET, 1, 2, 500, 0.067506],
];

test('an adviser is counted under its own model, once for all lines and copies of the message', async () => {
  expect(await byModel(user('go'), said(ADVISED))).toEqual(EXPECTED);
  const early = said({ ...ADVISED, output_tokens: 1, iterations: [] }, { stop: null });
  const copy = agentProgress({ ...said(ADVISED), uuid: 'u9', timestamp: '2026-01-31T10:00:00.000Z' });
  expect(await byModel(user('go'), early, said(ADVISED), said(ADVISED), copy)).toEqual(EXPECTED);
});

test('also where only the request or nothing tells of the message', async () => {
  expect(await byModel(user('go'), said(ADVISED, { id: undefined }), said(ADVISED))).toEqual(EXPECTED);
  const unknown = said(ADVISED, { id: undefined, requestId: undefined });
  expect(await byModel(user('go'), unknown, { ...unknown })).toEqual(EXPECTED);
});

test('two requests that claim one id have their own advisers', async () => {
  const rows = await byModel(user('go'), said(ADVISED), user('on'), said(ADVISED, { requestId: 'r2' }));
  expect(rows.map(([model, messages]) => [model, messages])).toEqual([
    [OPUS, 4],
    [SONNET, 2],
  ]);
});

test('a summary made on the way is of the same model; attempts that another model stood in for are not charged', async () => {
  const usage = {
    input_tokens: 23_000,
    output_tokens: 1000,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const own = round('message', 23_000, 1000);
  const compacted = { ...usage, iterations: [round('compaction', 180_000, 3500), own] };
  expect(await byModel(user('go'), said(compacted))).toEqual([[SONNET, 2, 203_000, 4500, 0.6765]]);
  const fallen = {
    ...usage,
    iterations: [round('message', 5, 578, { model: OPUS }), { ...own, type: 'fallback_message' }],
  };
  expect(await byModel(user('go'), said(fallen))).toEqual([[SONNET, 1, 23_000, 1000, 0.084]]);
});

test('rounds that are none are passed over', async () => {
  const { iterations: _, ...usage } = ADVISED;
  const none = [SONNET, 1, 2, 500, 0.067506];
  for (const iterations of [null, 'x', {}, [null, 7, 'advisor_message', [], { type: 'other', output_tokens: 5 }]])
    expect(await byModel(user('go'), said({ ...usage, iterations }))).toEqual([none]);
  const odd = [
    { type: 'advisor_message', input_tokens: -1, output_tokens: 1e30, iterations: [round('compaction', 5, 5)] },
  ];
  expect(await byModel(user('go'), said({ ...usage, iterations: odd }))).toEqual([[SONNET, 2, 2, 500, 0.067506]]);
});

test('--explain tells them as messages of their own, and tree counts the same tokens', async () => {
  const { run } = machineWith([user('go'), said(ADVISED), said(ADVISED)]);
  const { messages } = asObject((await run('usage', '--explain', '--json')).json()) ?? {};
  const told = (asArray(messages) ?? []).map((each) => [
    at(each, 'id'),
    at(each, 'model'),
    asArray(at(each, 'lines'))?.length,
  ]);
  expect(told).toEqual([
    ['m1', SONNET, 2],
    ['m1-advisor1', OPUS, 2],
    ['m1-advisor2', OPUS, 2],
  ]);
  const [chat] = asArray(at((await run('tree', '--json')).json(), 'chats')) ?? [];
  expect(at(chat, 'usage')).toMatchObject({ messages: 3, input: 101_002, output: 8520 });
});

/** Sonnet 4.5 costs twice as much, its output half as much again, above 200,000 tokens of input. */
const STEPPED = 'claude-sonnet-4-5-20250929';
const stepped = (...iterations: readonly JsonObject[]) => {
  const sum = (name: string) => iterations.reduce((all, each) => all + (asNumber(each[name]) ?? 0), 0);
  const names = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  const usage = { ...Object.fromEntries(names.map((name) => [name, sum(name)])), iterations: [...iterations] };
  return said(usage, { model: STEPPED });
};

test('each round of a message is priced by its own size, not by that of all together', async () => {
  const small = round('message', 150_000, 1000);
  const large = round('message', 250_000, 1000);
  expect(await byModel(user('x'), stepped(small, small))).toEqual([[STEPPED, 1, 300_000, 2000, 0.93]]);
  expect(await byModel(user('x'), stepped(small, large))).toEqual([[STEPPED, 1, 400_000, 2000, 0.465 + 1.5225]]);
  // Rounds that do not come to what the message counts tell nothing.
  const line = stepped(small, small);
  const usage = { ...asObject(at(line, 'message', 'usage')), input_tokens: 300_001 };
  const other = { ...line, message: { ...asObject(line.message), usage } };
  expect(await byModel(user('x'), other)).toEqual([[STEPPED, 1, 300_001, 2000, 1.845006]]);
});
