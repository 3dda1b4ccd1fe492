import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray, asString, at, type Json, parseJson } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { skein } from '../support/skein.ts';
import { pushRows } from '../support/teamrows.ts';

let engine: ClickHouse;

beforeAll(async () => {
  engine = await startClickHouse();
});
afterAll(() => engine.stop());

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const C = '33333333-3333-4333-8333-333333333333';
const D = '44444444-4444-4444-8444-444444444444';

let count = 0;
function line(uuid: string, parentUuid: string | null, text: string, sessionId: string, more: object = {}): string {
  count += 1;
  const timestamp = new Date(Date.UTC(2026, 4, 1, 10, 0, count)).toISOString();
  const message = { role: 'user', content: text };
  return JSON.stringify({ type: 'user', uuid, parentUuid, sessionId, timestamp, cwd: '/work/app', message, ...more });
}

function team(argv: readonly string[], env: Record<string, string> = {}) {
  return command([...argv, '--team', engine.url()], env);
}

function command(argv: readonly string[], env: Record<string, string> = {}) {
  return runHere(argv, { HOME: tempFolder(), ...env }, { told: true });
}

function chatsIn(json: Json): string[] {
  return (asArray(at(json, 'chats')) ?? []).map((chat) => asString(at(chat, 'title')) ?? '');
}

function uuidsIn(text: string): string[] {
  const lines = text.split('\n').filter((each) => each !== '');
  return lines.map((each) => asString(at(parseJson(each), 'uuid')) ?? '');
}

/** What was asked since, without the parameters. */
function asked(since: number): string[] {
  return engine
    .received()
    .slice(since)
    .map(({ sql }) => sql);
}

describe('files of several machines', () => {
  test('one session of two machines is one; one that went on in two ways has two branches', async () => {
    const first = line('u1', null, 'Hello there', A);
    const same = line('u2', 'u1', 'both have this', A);
    const short = [line('v1', null, 'Another one', B), line('v2', 'v1', 'and on', B)];
    await pushRows(
      engine.admin,
      { session: A, lines: [first, same, line('u3', 'u2', 'only here', A)] },
      { session: A, machine: 'm-2', slug: '-b', lines: [first, same, line('u4', 'u2', 'only there', A)], version: 2 },
      { session: B, lines: short, updated: '2026-05-01 11:00:00.000' },
      { session: B, machine: 'm-2', lines: short.slice(0, 1) },
    );
    const listed = await team(['list', '--json']);
    expect(listed.err).toMatch(/^from the team 127\.0\.0\.1:\d+\/skein\n$/);
    expect(chatsIn(listed.json())).toEqual(['Hello there', 'Another one']);
    const [chat] = asArray(at((await team(['tree', '1111', '--json'])).json(), 'chats')) ?? [];
    expect(asArray(at(chat, 'branches'))?.length).toBe(2);
    expect(chat).toMatchObject({ source: 'team', sessions: [{ file: `team:projects/-b/${A}.jsonl`, source: 'team' }] });
    expect(uuidsIn((await team(['cat', '1111'])).text)).toEqual(['u1', 'u2', 'u3', 'u4']);
    // The shorter one is a part of the longer one.
    expect(uuidsIn((await team(['cat', B])).text)).toEqual(['v1', 'v2']);
    expect((await team(['cat', B])).text).toBe(`${short.join('\n')}\n`);
  });

  test('a path is a selector, and so is the folder of a project', async () => {
    expect(uuidsIn((await team(['cat', `team:projects/-work-app/${B}.jsonl`])).text)).toEqual(['v1', 'v2']);
    expect((await team(['check', 'team:projects/-b', '--json'])).json()).toMatchObject({
      inventory: [{ source: 'team' }],
    });
    expect((await team(['show', 'project:app', '--json'])).json()).toMatchObject({ chat: { id: B } });
    expect((await team(['show', '@last', '--json'])).code).toBe(0);
    const none = await team(['show', 'nothingthere']);
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('Nothing fits "nothingthere"')]);
  });

  test('agents, their notes, titles and large outputs are read with their session', async () => {
    const output = 'a long output '.repeat(10_000);
    const path = `/home/x/.claude/projects/-c/${C}/tool-results/big.txt`;
    const call = { type: 'tool_use', id: 't1', name: 'Task', input: { subagent_type: 'reader', prompt: 'look' } };
    const bash = { type: 'tool_use', id: 't2', name: 'Bash', input: { command: 'make' } };
    const said = (id: string, block: object) => ({
      type: 'assistant',
      message: { id, role: 'assistant', model: 'claude-x', content: [block], stop_reason: 'tool_use' },
    });
    const result = (id: string, content: string) => ({
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    });
    const persisted = `<persisted-output>\nOutput too large. Full output saved to: ${path}\n</persisted-output>`;
    await pushRows(
      engine.admin,
      {
        session: C,
        slug: '-c',
        lines: [
          line('c1', null, 'Ask somebody', C),
          line('c2', 'c1', '', C, said('m1', call)),
          line('c3', 'c2', '', C, { ...result('t1', 'done'), toolUseResult: { agentId: 'a1', status: 'completed' } }),
          line('c4', 'c3', '', C, said('m2', bash)),
          line('c5', 'c4', '', C, result('t2', persisted)),
        ],
      },
      {
        session: C,
        slug: '-c',
        name: `${C}/subagents/agent-a1.jsonl`,
        kind: 'agent',
        lines: [line('d1', null, 'look', C, { isSidechain: true, agentId: 'a1' })],
      },
      {
        session: C,
        slug: '-c',
        name: `${C}/subagents/agent-a1.meta.json`,
        kind: 'meta',
        body: JSON.stringify({ agentType: 'reader', toolUseId: 't1' }),
      },
      { session: C, slug: '-c', name: `${C}/custom-title.json`, kind: 'title', body: '{"customTitle":"A name given"}' },
      { session: C, slug: '-c', name: `${C}/tool-results/big.txt`, kind: 'tool-result', body: output },
    );
    const tree = (await team(['tree', C, '--json'])).json();
    const [chat] = asArray(at(tree, 'chats')) ?? [];
    expect(chat).toMatchObject({
      title: 'A name given',
      subagents: [{ agentId: 'a1', type: 'reader' }],
      unattached: [],
    });
    const shown = await team(['show', C, '--json', '--reveal']);
    expect(shown.text).toContain(output.slice(0, 1000));
    expect((await team(['show', 'a1xx'])).code).toBe(1);
    expect((await team(['cat', 'agent-a1'])).text).toContain('"d1"');
  });
});

describe('no more is fetched than is needed', () => {
  test('one of many is shown without the outlines of the others, and a list takes them in few questions', async () => {
    const many = Array.from({ length: 600 }, (_each, place) => {
      const id = `9${String(place).padStart(7, '0')}-0000-4000-8000-000000000000`;
      const updated = new Date(Date.UTC(2026, 5, 1, 0, place)).toISOString().replace('T', ' ').replace('Z', '');
      return { session: id, slug: `-p${place % 7}`, lines: [line(`n${place}`, null, `Number ${place}`, id)], updated };
    });
    await pushRows(engine.admin, ...many);
    for (const selector of ['90000123', '@last', '@last~3']) {
      const before = engine.received().length;
      const { json } = await team(['show', selector, '--json']);
      const questions = asked(before);
      expect(asArray(at(json(), 'turns'))?.length).toBe(1);
      expect(questions.filter((sql) => sql.includes('outline')).length).toBe(1);
      expect(questions.length).toBeLessThanOrEqual(5);
      // None of the lists is of all.
      for (const sql of questions) expect(sql).toMatch(/startsWith|IN \{|LIMIT|session = /);
    }
    const before = engine.received().length;
    expect(chatsIn((await team(['list', '--json'])).json()).length).toBe(603);
    expect(asked(before).length).toBeLessThanOrEqual(12);
  });

  test('what is too large to be held lies in a file without a name', async () => {
    const temp = tempFolder();
    const text = 'x'.repeat(200_000);
    const lines = Array.from({ length: 100 }, (_each, place) =>
      line(`l${place}`, place === 0 ? null : `l${place - 1}`, `${place} ${text}`, D),
    );
    await pushRows(engine.admin, { session: D, slug: '-d', lines });
    const cat = (...more: string[]) =>
      skein(['cat', D, ...more, '--team', engine.url()], { home: tempFolder(), env: { TMPDIR: temp } });
    const { text: read, code } = cat();
    expect(code).toBe(0);
    expect(read === `${lines.join('\n')}\n`).toBe(true);
    expect(cat('--lines=-1').text).toBe(`${lines.at(-1)}\n`);
    expect(readdirSync(temp).filter((name) => name.startsWith('skein'))).toEqual([]);
  });
});

describe('what goes wrong is told', () => {
  test('--team and --root do not go together; what writes works on files here', async () => {
    const both = await team(['list', '--root', tempFolder()]);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining('--team and --root do not go together')]);
    for (const verb of ['slim', 'clone', 'repair', 'move', 'follow', 'archive']) {
      const refused = await team([verb, B]);
      expect([verb, refused.code]).toEqual([verb, 2]);
      expect(refused.err).toContain(`skein ${verb} works on files of this machine; a team’s are only read.`);
      expect(refused.err).toContain('skein cat ID --team TEAM');
    }
  });

  test('nobody there, no such login, no answer, an answer that breaks off', async () => {
    const gone = await command(['list', '--team', 'http://127.0.0.1:9/skein']);
    expect([gone.code, gone.text]).toEqual([1, '']);
    expect(gone.err).toMatch(/nobody answers there\n {2}at: 127\.0\.0\.1:9\/skein\n {2}next: /);
    const wrong = engine.url().replace(/:[^:@]*@/, ':not-this-one@');
    const denied = await command(['show', '@last', '--team', wrong]);
    expect([denied.code, denied.err]).toEqual([1, expect.stringContaining('the login or its password is wrong')]);
    expect(denied.err).not.toContain('not-this-one');
    await engine.fail(() => 'hangs');
    const late = await team(['list'], { SKEIN_TEAM_TIMEOUT: '1' });
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('no answer in time')]);
    await engine.fail(() => 'dropped');
    expect((await team(['show', B])).err).toContain('the connection broke');
    await engine.works();
    expect((await team(['show', B])).code).toBe(0);
  });

  test('a server without the tables says who sets them up', async () => {
    const other = engine.url().replace(/\/skein$/, '/nowhere');
    const { code, err } = await command(['list', '--team', other]);
    expect([code, err]).toEqual([1, expect.stringContaining('skein team init')]);
  });
});

test('paths that lead elsewhere are not listed, and a folder called team: is not looked into', async () => {
  const E1 = '55555555-5555-4555-8555-555555555555';
  const cwd = tempFolder();
  const there = join(cwd, 'team:projects', '-e', E1, 'tool-results');
  mkdirSync(there, { recursive: true });
  writeFileSync(join(there, 'x.txt'), 'planted by the folder');
  writeFileSync(join(there, '..', 'custom-title.json'), '{"customTitle":"planted by the folder"}');
  const persisted =
    '<persisted-output>\nOutput too large. Full output saved to: /h/tool-results/x.txt\n</persisted-output>';
  const call = { type: 'tool_use', id: 't9', name: 'Bash', input: { command: 'make' } };
  const answer = { id: 'm9', role: 'assistant', model: 'claude-x', content: [call], stop_reason: 'tool_use' };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't9', content: persisted }] };
  await pushRows(
    engine.admin,
    {
      session: E1,
      slug: '-e',
      lines: [
        line('e1', null, 'Look there', E1),
        line('e2', 'e1', '', E1, { type: 'assistant', message: answer }),
        line('e3', 'e2', '', E1, { message: result }),
      ],
    },
    { session: `${E1}-up`, slug: '../../..', lines: [line('f1', null, 'Upwards', `${E1}-up`)] },
    { session: E1, slug: '-e', name: '../../etc/passwd', kind: 'tool-result', body: 'x' },
  );
  const url = engine.url();
  const shown = skein(['show', E1, '--json', '--reveal', '--team', url], { home: tempFolder(), cwd });
  expect(shown.json()).toMatchObject({ chat: { title: 'Look there' } });
  expect(shown.text).not.toContain('planted');
  expect(skein(['show', `${E1}-up`, '--team', url], { home: tempFolder(), cwd }).code).toBe(1);
  expect(skein(['list', '--team', url], { home: tempFolder(), cwd }).text).not.toContain('Upwards');
});
