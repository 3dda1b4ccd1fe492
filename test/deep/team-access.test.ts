/** A member of a team reads another team's sessions by no verb: what it is told is, to the byte, what it was told before they came. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '../server/helpers.ts';
import { assistant, chain, timeOf, toJsonl, toolResult, toolUse, user } from '../support/build.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { skein } from '../support/skein.ts';
import { pushed } from '../support/team.ts';

const RED = '11111111-aaaa-4aaa-8aaa-111111111111';
const BLUE = '22222222-bbbb-4bbb-8bbb-222222222222';

let engine: ClickHouse;

beforeAll(async () => {
  engine = await startClickHouse();
  await engine.addUser('anna', ['skein_pusher', 'skein_member']);
  await engine.addUser('ruth', ['skein_pusher', 'skein_team']);
  await engine.addUser('bert', ['skein_pusher', 'skein_team']);
  await engine.addUser('olga', ['skein_auditor']);
  const members = [
    ['anna', 'red'],
    ['ruth', 'red'],
    ['bert', 'blue'],
  ].map(([login, team]) => JSON.stringify({ login, team, version: 1 }));
  await engine.admin.insert('members', ['login', 'team', 'version'], members);
  await engine.admin.insert(
    'budgets',
    ['scope', 'name', 'period', 'usd', 'version'],
    [JSON.stringify({ scope: 'team', name: 'red', period: 'month', usd: 10, version: 1 })],
  );
});
afterAll(() => engine.stop());

/** A config folder with one session that says these words. */
function config(session: string, cwd: string, word: string): string {
  const root = tempFolder();
  const folder = join(root, 'projects', cwd.replaceAll('/', '-'));
  mkdirSync(folder, { recursive: true });
  const more = { sessionId: session, cwd, gitBranch: `branch-${word}`, version: '2.1.0' };
  const lines = [
    user(`Please find the ${word}`, { timestamp: timeOf(0), ...more }),
    assistant(
      [{ type: 'text', text: `The ${word} it is` }, toolUse(`call-${word}`, 'Bash', { command: `look ${word}` })],
      { id: `msg-${word}`, requestId: `req-${word}`, stop: 'tool_use', model: 'claude-sonnet-4-5' },
      { timestamp: timeOf(1), ...more },
    ),
    user([toolResult(`call-${word}`, `no ${word}`, true)], { timestamp: timeOf(2), ...more }),
  ];
  writeFileSync(join(folder, `${session}.jsonl`), toJsonl(chain(lines)));
  return root;
}

const QUESTIONS = [
  ['list', '--json'],
  ['tree', '--json'],
  ['show', BLUE],
  ['cat', BLUE],
  ['show', '@last', '--json'],
  ['show', '@last~1'],
  ['context', BLUE, '--json'],
  ['check', '--json'],
  ['diff', RED, BLUE],
  ['export', 'md', BLUE],
  ['search', 'bluebird', '--json'],
  ['search', 'please', '--json'],
  ['search', '~bluebir', '--json'],
  ['search', 'please', 'project:aviary'],
  ['usage', '--json', '--by', 'project,model'],
  ['usage', '--by', 'tool', '--json'],
  ['usage', '--json', '--by', 'person,team'],
  ['usage', BLUE, '--json'],
  ['team', 'usage', '--json'],
] as const;

/** Every answer, also where it is a refusal. A store that is open for one login is closed when another asks. */
async function answers(
  login: string,
  questions: readonly (readonly string[])[] = QUESTIONS,
): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  const home = tempFolder();
  for (const argv of questions) {
    const told = await runHere([...argv, '--team', engine.url(login)], { HOME: home, TZ: 'UTC' }).then(
      ({ code, text, err }) => `${code}\n${text}\n${err}`,
      (error: Error) => `${error.name} ${error.message}`,
    );
    all.set(argv.join(' '), told);
  }
  return all;
}

test('what another team pushes changes no answer of any verb; its lead and an auditor find it', async () => {
  await pushed(config(RED, '/work/garden', 'redstart'), engine, { content: 'full' }, { login: 'anna' });
  const before = { anna: await answers('anna'), ruth: await answers('ruth') };
  // The questions do find what may be seen.
  for (const login of ['anna', 'ruth'] as const) {
    expect(before[login].get('list --json')).toContain('redstart');
    expect(before[login].get('search please --json')).toContain('redstart');
    expect(before[login].get('usage --json --by project,model')).toContain('/work/garden');
    expect(before[login].get('team usage --json')).toContain('/work/garden');
  }

  await pushed(config(BLUE, '/work/aviary', 'bluebird'), engine, { content: 'full' }, { login: 'bert' });
  for (const login of ['anna', 'ruth'] as const) {
    const after = await answers(login);
    for (const [question, answer] of before[login]) {
      expect(after.get(question), `${login}: ${question}`).toBe(answer);
    }
  }
  const found = [
    ['list', '--json'],
    ['show', BLUE],
    ['search', 'bluebird', '--json'],
    ['usage', '--json', '--by', 'project,model'],
  ];
  for (const login of ['bert', 'olga']) {
    for (const [question, told] of await answers(login, found))
      expect(told, `${login}: ${question}`).toMatch(/bluebird|aviary/);
  }
});

test('the viewer of a member shows nothing of another team, by no address', async () => {
  const home = tempFolder();
  const served = await serve(['--team', engine.url('ruth')], { home });
  await served.settled();
  const list = await served.ask('/api/chats');
  expect(list.text).toContain('redstart');
  for (const path of [
    '/api/chats',
    '/api/status',
    `/api/chats/${BLUE}`,
    `/api/chats/${BLUE}/turns`,
    `/api/chats/${BLUE}/export?as=md`,
    `/api/chats/${BLUE}/calls/call-bluebird`,
    '/api/search?q=bluebird',
    '/api/search?q=please',
    '/api/usage',
    '/api/usage?by=project',
    '/api/usage/explain',
  ]) {
    const answer = await served.ask(path);
    const told = answer.text.replaceAll('q=bluebird', '').replace(/"(?:query|q|asked)":"[^"]*"/g, '');
    expect(told, path).not.toMatch(path.includes('bluebird') ? /The bluebird|aviary/ : /bluebird|aviary|22222222-bbbb/);
  }
  await served.stop();
});

test('a session that was taken back is found by nobody', async () => {
  const told = (login: string) =>
    skein(['search', 'redstart', '--json', '--team', engine.url(login)], { home: tempFolder() }).text;
  expect(told('olga')).toContain(RED);
  const anna = await engine.as('anna');
  await anna.insert(
    'recalls',
    ['session', 'name', 'undone', 'time'],
    [JSON.stringify({ session: RED, name: '', undone: 0, time: '2026-01-01 00:00:00.000' })],
  );
  for (const login of ['anna', 'ruth', 'olga']) {
    expect(told(login)).not.toContain(RED);
    const { text, err } = skein(['show', RED, '--team', engine.url(login)], { home: tempFolder() });
    expect(text + err).not.toContain('Please find');
  }
});
