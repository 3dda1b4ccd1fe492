/** Copies of messages that lack some of what tells them apart: each message once, and why. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asObject, at, type JsonObject } from '../../src/format/json.ts';
import { agentProgress, assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';

const SESSIONS = ['11111111', '22222222', '33333333'].map((start) => `${start}-1111-4111-8111-111111111111`);
const OPUS = 'claude-opus-4-5-20251101';
const ENVELOPE = { cwd: '/work/app', gitBranch: 'main' };

function rootWith(files: readonly (readonly JsonObject[])[]): string {
  const root = tempFolder();
  const folder = join(root, 'projects', '-work-app');
  mkdirSync(folder, { recursive: true });
  for (const [place, lines] of files.entries()) writeFileSync(join(folder, `${SESSIONS[place]}.jsonl`), toJsonl(lines));
  return root;
}

/** [messages, output], which must be the same in every order of the files, from the archive too, and as `--explain` has it. */
async function counted(...files: (readonly JsonObject[])[]) {
  const found: unknown[] = [];
  for (const order of [files, files.toReversed()]) {
    const { run } = machine(rootWith(order));
    const ask = async () => asObject((await run('usage', '--json')).json())?.totals;
    const raw = await ask();
    const explained = (await run('usage', '--explain', '--json')).json();
    await run('archive', 'sync');
    expect(await ask()).toEqual(raw);
    expect(at(explained, 'total')).toBe(at(raw, 'messages'));
    const lines = (asArray(at(explained, 'messages')) ?? []).map((each) => asArray(at(each, 'lines')) ?? []);
    for (const each of lines) expect(each.filter((line) => at(line, 'counted') === true).length).toBe(1);
    found.push([at(raw, 'messages'), at(raw, 'output'), lines.flat().length]);
  }
  expect(found[1]).toEqual(found[0]);
  return found[0];
}

async function why(...files: (readonly JsonObject[])[]) {
  const { run } = machine(rootWith(files));
  const { messages } = asObject((await run('usage', '--explain', '--json')).json()) ?? {};
  return (asArray(messages) ?? []).map((message) =>
    (asArray(at(message, 'lines')) ?? []).map((each) => at(each, 'why')),
  );
}

function without(lines: readonly JsonObject[], ...names: string[]): JsonObject[] {
  return lines.map((line) => {
    const copy: JsonObject = { ...line };
    for (const name of names) delete copy[name];
    if (names.includes('id')) copy.message = { ...asObject(line.message), id: undefined };
    return copy;
  });
}

const said = (output: number, parts: object = {}) =>
  assistant(`said ${output}`, { id: `m${output}`, requestId: `r${output}`, output, model: OPUS, ...parts });

describe('copies in other files', () => {
  const own = chain([user('a'), said(20), user('b'), said(30)], ENVELOPE);

  test.each([
    ['the uuid', ['uuid']],
    ['the uuid and the request', ['uuid', 'requestId']],
    ['the id of the message', ['id']],
    ['the uuid and the id', ['uuid', 'id']],
  ])('that lost %s', async (_, names) => {
    expect(await counted(own, without(own, ...names))).toEqual([2, 50, 4]);
    expect(await counted(own, without(own, ...names), [...own, ...chain([said(5)])])).toEqual([3, 55, 7]);
  });

  test.each([
    ['all ids', ['id', 'requestId', 'uuid']],
    ['all but the uuid', ['id', 'requestId']],
    ['all but the request', ['id', 'uuid']],
  ])('of messages that lack %s', async (_, names) => {
    const bare = without(own, ...names);
    const more = chain([user('c'), said(7)]).map((line) => ({ ...line, uuid: `more ${line.uuid}` }));
    expect(await counted(bare, bare, [...bare, ...without(more, 'id')])).toEqual([3, 57, 7]);
  });

  test('of which the end is missing', async () => {
    const lines = chain([user('a'), said(4, { stop: null }), said(40)], ENVELOPE).map((line, n) =>
      n === 0 ? line : { ...line, requestId: undefined, message: { ...asObject(line.message), id: undefined } },
    );
    expect(await counted(lines, lines.slice(0, 2))).toEqual([1, 40, 3]);
  });

  test('what only looks alike is not the same: at one time in one file, or without a time', async () => {
    const same = without(chain([user('a'), said(9), user('b'), said(9)]), 'id', 'requestId', 'uuid');
    const atOnce = same.map((line) => ({ ...line, timestamp: '2026-01-02T10:00:00.000Z' }));
    expect(await counted(atOnce)).toEqual([2, 18, 2]);
    expect(await counted(atOnce, atOnce)).toEqual([2, 18, 4]);
    const untimed = without(same, 'timestamp');
    expect(await counted(untimed, untimed)).toEqual([4, 36, 4]);
  });

  test('two messages of one request stay two, whichever copy lost its id', async () => {
    const two = chain([said(20, { requestId: 'r1' }), user('x'), said(30, { requestId: 'r1' })], ENVELOPE);
    expect(await counted(two)).toEqual([2, 50, 2]);
    expect(await counted(two, two)).toEqual([2, 50, 4]);
  });
});

test('E4: a text that grows, line by line, is its last count; in copies cut off anywhere too', async () => {
  const grown = chain(
    [user('a'), ...[1, 8, 64].map((output) => assistant('x'.repeat(output), { id: 'm1', requestId: 'r1', output }))],
    ENVELOPE,
  );
  for (const length of [2, 3, 4]) expect(await counted(grown, grown.slice(0, length))).toEqual([1, 64, 2 + length]);
  expect(await why(grown, grown.slice(0, 3))).toEqual([
    [
      'a line of the same message, less output',
      'a line of the same message, less output',
      'the most output of 5 lines',
      'a copy in another file, less output',
      'a copy in another file, less output',
    ],
  ]);
});

test('H1: a fork of a fork counts what it added, and its originals once', async () => {
  const own = chain([user('a'), said(20)], ENVELOPE);
  const forked = (lines: readonly JsonObject[], from: string, to: string) =>
    lines.map((line) => ({ ...line, sessionId: to, forkedFrom: { sessionId: from, messageUuid: line.uuid ?? '' } }));
  const [first = '', second = '', third = ''] = SESSIONS;
  const added = (uuid: string, output: number) => ({ ...chain([said(output)], ENVELOPE)[0], uuid });
  const fork = [...forked(own, first, second), added('f1', 30)];
  const again = [...forked(fork, second, third), added('f2', 40)];
  expect(await counted(own, fork, again)).toEqual([3, 90, 6]);
  // Its original is gone.
  expect(await counted(fork, again)).toEqual([3, 90, 5]);
  expect(await why(own, fork, again)).toContainEqual([
    'the most output of 3 lines',
    'a copy in a fork, the same again',
    'a copy in a fork, the same again',
  ]);
});

test('E18: a copy in a progress entry that lost its id is the message of its request', async () => {
  const own = chain([said(20), said(30)], { ...ENVELOPE, isSidechain: true, agentId: 'a1' });
  const copies = chain(
    without(own, 'id').map((line) => agentProgress(line)),
    ENVELOPE,
  ).map((line, n) => ({
    ...line,
    uuid: `p${n}`,
  }));
  expect(await counted(own, copies)).toEqual([2, 50, 4]);
});

test('E17: what one copy recorded is not guessed because another had not', async () => {
  const [told = {}] = chain([said(20)], ENVELOPE);
  const message = { ...asObject(told.message), usage: { input_tokens: 1, output_tokens: 1 }, stop_reason: null };
  const untold = { ...agentProgress({ ...told, message }), uuid: 'p1', ...ENVELOPE };
  const { run } = machine(rootWith([[untold], [told]]));
  const ask = async () => asObject((await run('usage', '--json')).json())?.totals;
  expect(await ask()).toMatchObject({ messages: 1, output: 20, incomplete: 0, estimatedOutput: 0 });
  await run('archive', 'sync');
  expect(await ask()).toMatchObject({ messages: 1, output: 20, incomplete: 0, estimatedOutput: 0 });
});

test('E4: an id that is empty is none: messages of a server that gives none do not become one', async () => {
  const nameless = (output: number) => said(output, { id: '', requestId: '' });
  const lines = chain([user('a'), nameless(20), user('b'), nameless(30)], ENVELOPE);
  expect(await counted(lines)).toEqual([2, 50, 2]);
  const { run } = machine(rootWith([lines]));
  const tree = asObject((await run('tree', SESSIONS[0] ?? '', '--json')).json());
  expect(at(asArray(tree?.chats)?.[0], 'usage')).toMatchObject({ messages: 2, output: 50 });
});

test('less input than what is counted is told', async () => {
  const usage = (input: number) => ({ input_tokens: input, output_tokens: 5 });
  const lines = chain([1, 3].map((input) => assistant('x', { id: 'm1', requestId: 'r1', usage: usage(input) })));
  expect(await why(lines)).toEqual([['a line of the same message, less input', 'the most output of 2 lines']]);
});
