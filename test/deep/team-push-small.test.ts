/** What a push sends, by what it sent before, by the policy, and from several machines. The verb: test/team/push-verb.test.ts; kills and lost answers: team-push.test.ts. */
import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asObject, type JsonObject } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { bytesReceived, countsBy, machine, pushed, rowsBy } from '../support/team.ts';
import { answer, call, prompt, result, turns, uuidOf, writeSession } from '../support/teamsession.ts';

let engine: ClickHouse;
const LOGINS = 'ann bob cid dan eve fay gil hal ivy joe mia ned'.split(' ');
const FRESH = [0, 1, 2, 4, 5, 6].map((step) => `fresh${step}`);
beforeAll(async () => {
  engine = await startClickHouse();
  for (const login of [...LOGINS, ...FRESH]) await engine.addUser(login, ['skein_pusher', 'skein_member']);
});
afterAll(() => engine.stop());

const CWD = '/srv/work/app';
const ID = '11111111-1111-4111-8111-111111111111';
const FULL = { content: 'full' };

describe('what is new', () => {
  test('a second push sends nothing, a file that grew only its new lines', async () => {
    const root = tempFolder();
    const file = writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 3) });
    const one = await pushed(root, engine, FULL, { login: 'ann' });
    expect(one.report.rows).toMatchObject({ files: 1, entries: 12, messages: 15, tool_calls: 3, usage: 6 });
    const again = await one.push(engine, { login: 'ann' });
    expect(again.unchanged).toBe(1);
    expect(Object.values(again.rows)).toEqual([0, 0, 0, 0, 0, 0]);
    appendFileSync(
      file,
      turns(ID, CWD, 1, 13)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    await one.sync();
    const more = await one.push(engine, { login: 'ann' });
    expect(more.rows).toMatchObject({ files: 1, entries: 4, messages: 5, tool_calls: 1, usage: 2 });
    const whole = await machine(root);
    whole.policy(FULL);
    await whole.push(engine, { login: 'bob' });
    expect(await rowsBy(engine, 'ann')).toEqual(await ofOther('bob', 'ann'));
  });

  test('a file that was rewritten leaves nothing of what it was', async () => {
    const root = tempFolder();
    writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 3) });
    const one = await pushed(root, engine, FULL, { login: 'cid' });
    writeSession(root, {
      id: ID,
      cwd: CWD,
      lines: [...turns(ID, CWD, 2, 101, 'other'), { type: 'summary', summary: 'short' }],
    });
    await one.sync();
    await one.push(engine, { login: 'cid' });
    expect(await countsBy(engine, 'cid')).toEqual({ files: 1, entries: 9, messages: 11, tool_calls: 2, usage: 4 });
  });

  test('a large session that grows line by line waits, for the hook alone, and not under another policy', async () => {
    const root = tempFolder();
    const long = answer({ id: ID, cwd: CWD, n: 2, text: 'much '.repeat(600_000) });
    const file = writeSession(root, {
      id: ID,
      cwd: CWD,
      lines: [prompt({ id: ID, cwd: CWD, n: 1, text: 'so?' }), long],
    });
    const one = await pushed(root, engine, { content: 'none' }, { login: 'ned' });
    appendFileSync(file, `${JSON.stringify(prompt({ id: ID, cwd: CWD, n: 3, text: 'more' }))}\n`);
    await one.sync();
    expect(await one.push(engine, { login: 'ned', patient: true })).toMatchObject({ waiting: 1, sent: [] });
    one.policy({ content: 'none', projects: { names: 'path' } });
    expect(await one.push(engine, { login: 'ned', patient: true })).toMatchObject({ waiting: 0, sent: [ID] });
    one.policy({ projects: { deny: [CWD] } });
    expect(await one.push(engine, { login: 'ned', patient: true })).toMatchObject({ takenBack: [ID] });
  });

  test('a torn line is sent, and makes place for the whole one', async () => {
    const root = tempFolder();
    const lines = turns(ID, CWD, 1);
    const [first, ...rest] = lines.map((line) => JSON.stringify(line));
    const file = writeSession(root, { id: ID, cwd: CWD, lines: lines.slice(0, 1), torn: rest[0]?.slice(0, 40) });
    const one = await pushed(root, engine, FULL, { login: 'dan' });
    expect((await rowsBy(engine, 'dan')).entries).toHaveLength(2);
    appendFileSync(file, `${rest[0]?.slice(40)}\n`);
    await one.sync();
    await one.push(engine, { login: 'dan' });
    const sent = await engine.sql("SELECT line FROM entries FINAL WHERE owner = 'dan' ORDER BY n");
    expect(sent.map(({ line }) => line)).toEqual([first, rest[0]]);
  });
});

/** What a login pushed, as if another had. */
async function ofOther(login: string, as: string): Promise<Record<string, string[]>> {
  const rows = await rowsBy(engine, login);
  const name = (row: string) => row.replace(`"owner":"${login}"`, `"owner":"${as}"`);
  return Object.fromEntries(Object.entries(rows).map(([table, each]) => [table, each.map(name).sort()]));
}

const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;

describe('masked', () => {
  test('secrets, names and homes stay here: in lines, agents, outputs, titles, meta, folders', async () => {
    const root = tempFolder();
    const cwd = '/home/zoelastname/work/app';
    const agent = turns(ID, cwd, 1, 501, `agent ${TOKEN}`).map((line) => ({
      ...line,
      isSidechain: true,
      agentId: 'a1',
    }));
    writeSession(root, {
      id: ID,
      cwd,
      lines: [
        prompt({ id: ID, cwd, n: 1, text: `use ${TOKEN} please` }),
        answer({ id: ID, cwd, n: 2, text: 'ok' }, [
          call('toolu_1', { command: `curl -H "Authorization: Bearer ${TOKEN}"` }),
        ]),
        result({ id: ID, cwd, n: 3, text: `see tool-results/out.txt /home/zoelastname/.ssh ${TOKEN}` }, 'toolu_1'),
        { type: 'custom-title', customTitle: `about ${TOKEN}`, sessionId: ID },
      ],
      beside: {
        'subagents/agent-a1.jsonl': agent.map((line) => `${JSON.stringify(line)}\n`).join(''),
        'subagents/agent-a1.meta.json': JSON.stringify({ toolUseId: 'toolu_1', agentType: TOKEN }),
        'tool-results/out.txt': `saved ${TOKEN} of zoelastname at /home/zoelastname/x`,
        'custom-title.json': JSON.stringify({ customTitle: `again ${TOKEN}` }),
      },
    });
    const { report } = await pushed(root, engine, {}, { login: 'eve' });
    expect(report.content).toBe('masked');
    expect(report.masked).toBeGreaterThan(5);
    const bytes = bytesReceived(engine, 'eve');
    expect(bytes).toContain('[github-token:');
    expect(bytes).toContain('tool-results/out.txt');
    expect(bytes).not.toContain(TOKEN);
    expect(bytes.toLowerCase()).not.toContain(TOKEN.toLowerCase());
    expect(bytes).not.toContain('/home/zoelastname');
    expect(bytes).not.toContain('-home-zoelastname');
    expect((await rowsBy(engine, 'eve')).files).toHaveLength(5);
  });

  test('what is learnt to be secret later is masked where it was sent before', async () => {
    const root = tempFolder();
    const secret = 'Tr0ub4dor-and-3';
    const file = writeSession(root, {
      id: ID,
      cwd: CWD,
      lines: [
        prompt({ id: ID, cwd: CWD, n: 1, text: `it is ${secret} or so` }),
        answer({ id: ID, cwd: CWD, n: 2, text: 'fine' }),
      ],
    });
    const one = await pushed(root, engine, {}, { login: 'fay' });
    const said = async () => JSON.stringify(await rowsBy(engine, 'fay'));
    expect(await said()).toContain(secret);
    appendFileSync(
      file,
      `${JSON.stringify(answer({ id: ID, cwd: CWD, n: 3, text: `export DB_PASSWORD="${secret}"` }))}\n`,
    );
    await one.sync();
    const more = await one.push(engine, { login: 'fay' });
    expect(more.rows.entries).toBe(2);
    expect(await said()).not.toContain(secret);
    expect(await said()).not.toContain('tr0ub4dor');
  });

  test('a line that is no entry is held back and counted', async () => {
    const root = tempFolder();
    writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 1), torn: 'not json at all\n{"half": "way' });
    const { report } = await pushed(root, engine, {}, { login: 'gil' });
    expect(report.lines).toEqual({ unreadable: 2 });
    expect(bytesReceived(engine, 'gil')).not.toContain('not json at all');
  });
});

/** Ids and names that are none. */
function oddly(cwd: string): JsonObject {
  const line = answer({ id: ID, cwd, n: 5, text: '' }, [call('needle 27', {}, 'needle 28')]);
  const message = { ...asObject(line.message), id: 'needle 29', model: 'needle 30', stop_reason: 'needle 31' };
  return { ...line, uuid: 'needle 32', requestId: 'needle 33', agentId: 'needle 34', message };
}

describe('none', () => {
  test('only structure leaves', async () => {
    const root = tempFolder();
    const cwd = '/home/needle0/needle1';
    const lines = [
      { type: 'summary', summary: 'needle2', leafUuid: uuidOf(1) },
      {
        ...prompt({ id: ID, cwd, n: 1, text: 'needle3 of it' }),
        gitBranch: 'needle4',
        newField: 'needle5',
        slug: 'needle6',
      },
      answer({ id: ID, cwd, n: 2, text: 'needle7' }, [
        { type: 'thinking', thinking: 'needle8', signature: 'needle9' },
        call('toolu_1', { command: 'needle10', file_path: '/home/needle11' }),
      ]),
      result({ id: ID, cwd, n: 3, text: 'needle12' }, 'toolu_1'),
      {
        ...prompt({ id: ID, cwd, n: 4, text: '' }),
        type: 'attachment',
        attachment: { type: 'file', content: 'needle13' },
      },
      { type: 'file-history-snapshot', messageId: uuidOf(1), snapshot: { trackedFileBackups: { needle14: {} } } },
      { type: 'needle 15', data: { needle16: 1 }, permissionMode: '/needle17', version: 'needle 18' },
      { type: 'queue-operation', operation: 'enqueue', content: 'needle19', sessionId: ID },
      oddly(cwd),
    ];
    writeSession(root, {
      id: ID,
      cwd,
      lines,
      torn: 'needle20\n',
      beside: {
        'tool-results/needle21.txt': 'needle22',
        'custom-title.json': '{"customTitle":"needle23"}',
        'subagents/agent-a1.meta.json': JSON.stringify({
          toolUseId: 'toolu_1',
          description: 'needle24',
          agentType: 'needle25',
        }),
        'subagents/agent-a1.jsonl': `${JSON.stringify(prompt({ id: ID, cwd, n: 601, text: 'needle26' }))}\n`,
      },
    });
    const { report } = await pushed(root, engine, { content: 'none' }, { login: 'hal' });
    expect(bytesReceived(engine, 'hal')).not.toMatch(/needle\s?\d/);
    expect(report.rows).toMatchObject({ entries: 10, messages: 0, tool_calls: 2, usage: 2, files: 3 });
    const [row] = await engine.sql(
      "SELECT project, slug, title FROM files FINAL WHERE owner = 'hal' AND kind = 'session'",
    );
    expect(row).toMatchObject({ title: '', project: expect.stringMatching(/^\/project-[0-9a-f]{12}$/) });
  });

  test('each level replaces the one before it, exactly', async () => {
    const root = tempFolder();
    const deny = { projects: { deny: [CWD] } };
    writeSession(root, { id: ID, cwd: CWD, lines: [...turns(ID, CWD, 2), { type: 'summary', summary: 'needle' }] });
    const steps = [FULL, {}, { content: 'none' }, deny, {}, { content: 'none' }, FULL];
    const one = await machine(root);
    const fresh = await machine(root);
    for (const [step, policy] of steps.entries()) {
      one.policy(policy);
      const report = await one.push(engine, { login: 'ivy' });
      if (policy === deny) {
        expect(report.takenBack).toEqual([ID]);
        expect(await countsBy(engine, 'ivy')).toEqual({ files: 0, entries: 0, messages: 0, tool_calls: 0, usage: 0 });
        continue;
      }
      const login = `fresh${step}`;
      fresh.policy(policy);
      await fresh.push(engine, { login });
      expect(blank(await rowsBy(engine, 'ivy')), JSON.stringify(policy)).toEqual(blank(await ofOther(login, 'ivy')));
    }
  });
});

/** At level none inputs are told apart by a secret of each machine and target. */
function blank(rows: Record<string, string[]>): Record<string, string[]> {
  const without = (row: string) => row.replace(/"input_hash":\d+/, '"input_hash":0');
  return { ...rows, tool_calls: (rows.tool_calls ?? []).map(without).sort() };
}

describe('machines', () => {
  test('one session of two machines is one session; what only one has is there too', async () => {
    const [here, there] = [tempFolder(), tempFolder()];
    writeSession(here, { id: ID, cwd: CWD, lines: turns(ID, CWD, 2) });
    writeSession(there, { id: ID, cwd: CWD, lines: turns(ID, CWD, 3) });
    await pushed(there, engine, {}, { login: 'joe' });
    await pushed(here, engine, {}, { login: 'joe' });
    const { files, ...rest } = await countsBy(engine, 'joe');
    expect(files).toBe(2);
    expect(rest).toEqual({ entries: 12, messages: 15, tool_calls: 3, usage: 6 });
    const named = await pushed(there, engine, {}, { login: 'mia' });
    named.policy({ who: { person: 'Mia', machine: 'laptop' } });
    await named.push(engine, { login: 'mia' });
    expect(await engine.sql("SELECT person, machine FROM files FINAL WHERE owner = 'mia'")).toEqual([
      { person: 'Mia', machine: 'laptop' },
    ]);
    const who = await engine.sql(
      "SELECT uniq(person) AS people, uniq(machine) AS machines FROM files FINAL WHERE owner = 'joe'",
    );
    expect(who).toEqual([{ people: 1, machines: 2 }]);
  });
});
