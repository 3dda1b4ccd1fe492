import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bytesOf } from '../../src/format/entry.ts';
import { asArray, asNumber, asString, at, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { decode } from '../../src/format/text.ts';
import { type Forest, plantForest } from '../support/agent-forest.ts';
import { assistant, timeOf, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { skein } from '../support/skein.ts';

const ONE = '11111111-1111-4111-8111-111111111111';
const TWO = '22222222-2222-4222-8222-222222222222';

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function writeSession(root: string, id: string, lines: readonly JsonObject[], files: Forest['files']): void {
  const project = join(root, 'projects', '-work-app');
  put(join(project, `${id}.jsonl`), toJsonl(lines.map((line) => ({ ...line, sessionId: id }))));
  for (const { agentId, entries, meta } of files) {
    const path = join(project, id, 'subagents', `agent-${agentId}`);
    put(`${path}.jsonl`, entries.map((entry) => `${decode(bytesOf(entry))}\n`).join(''));
    if (meta) put(`${path}.meta.json`, JSON.stringify(meta));
  }
}

const onlyChat = (root: string) => asArray(at(skein(['tree', '--root', root, '--json']).json(), 'chats'))?.[0];

/** `show --json`: the tokens and calls of every agent under a call of the chat itself. */
function agentsShown(root: string): { agentId?: string; from?: string; tokens: number; calls: number }[] {
  const turns = asArray(at(skein(['show', '@last', '--root', root, '--json']).json(), 'turns')) ?? [];
  const calls = turns.flatMap((turn) => asArray(at(turn, 'toolCalls')) ?? []);
  return calls.flatMap((call) => {
    const agent = at(call, 'agent');
    if (agent === undefined) return [];
    const [tokens = 0, count = 0] = [asNumber(at(agent, 'tokens')), asNumber(at(agent, 'calls'))];
    return [{ agentId: asString(at(agent, 'agentId')), from: asString(at(agent, 'from')), tokens, calls: count }];
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
const agentsOf = (chat: Json | undefined) => asArray(at(chat, 'subagents')) ?? [];

describe('sub-agents in tree, show and diff', () => {
  const forest = plantForest([
    { layout: 'both', calls: 2, resumed: true, children: [{ layout: 'meta', calls: 1 }] },
    { layout: 'progress', calls: 1, background: true },
  ]);
  const { truth, main, files } = forest;

  test('E18: one whose file is gone is there all the same, marked; totals do not change', () => {
    const root = tempFolder();
    writeSession(root, ONE, main, files);
    const whole = onlyChat(root);
    expect(agentsOf(whole).map((agent) => [at(agent, 'agentId'), at(agent, 'from')])).toEqual([
      ['a1', 'file'],
      ['a2', 'progress'],
    ]);
    expect(at(whole, 'usage')).toMatchObject({
      messages: truth.messages,
      output: truth.output,
      toolCalls: truth.toolCalls,
      agents: 3,
    });

    rmSync(join(root, 'projects', '-work-app', ONE, 'subagents', 'agent-a1.jsonl'));
    const lost = onlyChat(root);
    expect(at(lost, 'usage')).toEqual(at(whole, 'usage'));
    const [agent] = agentsOf(lost);
    expect(agent).toMatchObject({ agentId: 'a1', from: 'progress', file: null, toolUseIds: ['t-a1', 'again-a1'] });
    expect(at(agent, 'usage')).toEqual(at(agentsOf(whole)[0], 'usage'));
    expect(asArray(at(agent, 'children'))).toMatchObject([{ agentId: 'a3', parent: 'a1', from: 'file' }]);
    const text = skein(['tree', '--root', root]).text;
    expect(text).toContain('known from progress only');
    expect(skein(['show', '@last', '--root', root]).text).toContain('known from progress only');
    expect(skein(['show', '@last', '--root', root, '--format', 'md']).text).toContain('known from progress only');
  });

  test('L3: show gives each call its part of an agent taken up again; the parts sum up to the agents', () => {
    const root = tempFolder();
    writeSession(root, ONE, main, files);
    const shown = agentsShown(root);
    expect(shown.map(({ agentId, from }) => [agentId, from])).toEqual([
      ['a1', 'file'],
      ['a2', 'progress'],
      ['a1', 'file'],
    ]);
    const told = agentsOf(onlyChat(root));
    expect(sum(shown.map(({ tokens }) => tokens))).toBe(sum(told.map((agent) => asNumber(at(agent, 'tokens')) ?? 0)));
    expect(sum(shown.map(({ calls }) => calls))).toBe(sum(told.map((agent) => asNumber(at(agent, 'calls')) ?? 0)));
  });

  test.each([
    ['with copies of the agents’ files', files],
    ['without', []],
  ])('H1: a fork, %s: one chat, each agent once; the sides differ in its own turn only', (_, copied) => {
    const root = tempFolder();
    const asked = user('more', { uuid: 'q-more', parentUuid: main.at(-1)?.uuid ?? null, timestamp: timeOf(900) });
    const said = { uuid: 'a-more', parentUuid: 'q-more', timestamp: timeOf(901) };
    writeSession(root, ONE, main, files);
    writeSession(root, TWO, [...main, asked, assistant('ok', { id: 'm-more' }, said)], copied);
    const chat = onlyChat(root);
    expect(at(chat, 'usage')).toMatchObject({ messages: truth.messages + 1, toolCalls: truth.toolCalls, agents: 3 });
    expect(asArray(at(chat, 'unattached'))).toEqual([]);
    const diff = skein(['diff', ONE, TWO, '--root', root, '--json']).json();
    expect(at(diff, 'a', 'totals', 'agents')).toMatchObject({ agents: 3 });
    expect(at(diff, 'b', 'totals', 'agents')).toEqual(at(diff, 'a', 'totals', 'agents'));
    expect((asArray(at(diff, 'common')) ?? []).map((pair) => at(pair, 'changes'))).toEqual([[]]);
    expect(asArray(at(diff, 'onlyB'))).toHaveLength(1);
  });

  test('diff tells what sub-agents did otherwise', () => {
    const root = tempFolder();
    writeSession(root, ONE, main, files);
    const shorter = files.map((file) => ({
      ...file,
      entries: file.agentId === 'a3' ? file.entries.slice(0, 2) : file.entries,
    }));
    const other = tempFolder();
    writeSession(other, ONE, main, shorter);
    const paths = [root, other].map((each) => join(each, 'projects', '-work-app', `${ONE}.jsonl`));
    const ran = skein(['diff', ...paths, '--root', root, '--root', other]);
    expect(ran.code).toBe(1);
    expect(ran.text).toContain('sub-agents differ');
  });
});

test.each([1, 42])('the chats of a generated corpus sum up to its truth, seed %i', (seed) => {
  const root = tempFolder();
  const script = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));
  execFileSync(process.execPath, [script, '--out', root, '--mb', '5', '--seed', String(seed), '--files', '20']);
  const truth = at(parseJson(readFileSync(join(root, 'truth.json'), 'utf8')), 'dedup');
  const chats = asArray(at(skein(['tree', '--root', root, '--json']).json(), 'chats')) ?? [];
  const total = (key: string) => sum(chats.map((chat) => asNumber(at(chat, 'usage', key)) ?? 0));
  expect({
    input: total('input'),
    output: total('output'),
    cacheCreate: total('cacheCreation'),
    cacheRead: total('cacheRead'),
    rows: total('messages'),
  }).toEqual(truth);
  expect(total('agents')).toBeGreaterThan(0);
});
