/** Which titles, notes and broken lines leave with a session: what it said itself, and nothing of what stays here. */
import { appendFileSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { searchTeam } from '../../src/team/search/search.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { bytesReceived, pushed } from '../support/team.ts';
import { prompt, turns, uuidOf, writeSession } from '../support/teamsession.ts';
import { requestOf } from '../team/search-both.ts';

let engine: ClickHouse;
let logins = 0;
beforeAll(async () => {
  engine = await startClickHouse();
});
afterAll(() => engine.stop());

async function newLogin(): Promise<string> {
  const login = `titles${logins++}`;
  await engine.addUser(login, ['skein_pusher', 'skein_member']);
  return login;
}

const CWD = '/srv/work/app';
const PRIVATE = '/srv/private';
const ID = '11111111-1111-4111-8111-111111111111';
const FORK = '22222222-1111-4111-8111-111111111111';
const FULL = { content: 'full' };

const textOf = (lines: readonly JsonObject[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const title = (customTitle: string, sessionId = ID) => ({ type: 'custom-title', customTitle, sessionId });

/** A session and one that goes on from it: together a chat, which is called as the second is. */
function writeFork(root: string, ...more: readonly JsonObject[]): string {
  const base = turns(ID, CWD, 2);
  const copied = base.map((line) => ({ ...line, sessionId: FORK }));
  writeSession(root, { id: ID, cwd: CWD, lines: base });
  const next = { ...prompt({ id: FORK, cwd: CWD, n: 9, text: 'go on' }), parentUuid: uuidOf(8) };
  return writeSession(root, { id: FORK, cwd: CWD, lines: [...copied, next, ...more] });
}

async function titlesBy(login: string): Promise<Record<string, string>> {
  const sql = "SELECT session, title FROM files FINAL WHERE owner = {login: String} AND kind = 'session'";
  const rows = await engine.sql(sql, { login });
  return Object.fromEntries(rows.map((row) => [row.session, row.title]));
}

/** What the chats of hits are called. */
async function called(login: string, words: string): Promise<(string | undefined)[]> {
  const { chats } = await searchTeam(await engine.as(login), requestOf(words));
  return [...chats.values()].map((chat) => chat.title);
}

test('a session that is renamed, and one whose first prompt is cut out, is called so at once', async () => {
  const root = tempFolder();
  const login = await newLogin();
  const cut = prompt({ id: ID, cwd: PRIVATE, n: 1, text: 'falcon layoffs' });
  const rest = turns(ID, CWD, 1, 5);
  const file = writeSession(root, { id: ID, cwd: CWD, lines: [cut, ...rest] });
  const one = await pushed(root, engine, { ...FULL, projects: { deny: [PRIVATE] } }, { login });
  expect(one.report.held).toMatchObject([{ session: ID }]);
  writeFileSync(file, textOf(rest));
  await one.sync();
  await one.push(engine, { login });
  expect(await titlesBy(login)).toEqual({ [ID]: 'plain question 0' });
  expect(bytesReceived(engine, login)).not.toContain('falcon');
  appendFileSync(file, textOf([title('the new name')]));
  await one.sync();
  await one.push(engine, { login });
  expect(await titlesBy(login)).toEqual({ [ID]: 'the new name' });
  expect(await called(login, 'question')).toEqual(['the new name']);
});

test("a chat's title goes out with the session that said it, masked by what that one knows, and is found for all of the chat", async () => {
  const root = tempFolder();
  const login = await newLogin();
  const secret = 'Quokka-Tango-77';
  const said = { ...prompt({ id: FORK, cwd: CWD, n: 10, text: `the db password: ${secret}` }), parentUuid: uuidOf(9) };
  const file = writeFork(root, said, title(`log in with ${secret}`, FORK));
  const one = await pushed(root, engine, {}, { login });
  expect(bytesReceived(engine, login)).not.toContain(secret);
  const titles = await titlesBy(login);
  expect(titles).toEqual({ [ID]: '', [FORK]: expect.stringMatching(/^log in with \[/) });
  expect(new Set(await called(login, 'plain'))).toEqual(new Set([titles[FORK]]));
  // The other is named, and the first is not called by its old name.
  appendFileSync(file, textOf([title('in short', FORK)]));
  await one.sync();
  await one.push(engine, { login });
  expect(await titlesBy(login)).toEqual({ [ID]: '', [FORK]: 'in short' });
  expect(new Set(await called(login, 'plain'))).toEqual(new Set(['in short']));
});

test('a secret that is longer than a title is masked before it is cut', async () => {
  const root = tempFolder();
  const login = await newLogin();
  const key = Array.from({ length: 20 }, (_, line) => `MIIEpAIBAAKCAQEA${'x7Qp'.repeat(11)}${line}`.slice(0, 64));
  const text = ['use this', '-----BEGIN RSA PRIVATE KEY-----', ...key, '-----END RSA PRIVATE KEY-----'].join('\n');
  writeSession(root, { id: ID, cwd: CWD, lines: [prompt({ id: ID, cwd: CWD, n: 1, text }), ...turns(ID, CWD, 1, 2)] });
  await pushed(root, engine, {}, { login });
  expect(await titlesBy(login)).toEqual({ [ID]: expect.stringMatching(/^use this \[/) });
  expect(bytesReceived(engine, login)).not.toContain('MIIEpAIBAAKCAQEA');
});

test('the title of a session that stays here does not go out with its chat', async () => {
  const root = tempFolder();
  const login = await newLogin();
  const nested = prompt({ id: FORK, cwd: PRIVATE, n: 78, text: 'x' });
  const progress = {
    ...prompt({ id: FORK, cwd: CWD, n: 77, text: '' }),
    type: 'progress',
    toolUseID: 'x',
    data: { type: 'agent_progress', agentId: 'a1', message: nested },
  };
  writeFork(root, progress, title('falcon layoffs', FORK));
  const { report } = await pushed(root, engine, { projects: { deny: [PRIVATE] } }, { login });
  expect(report.held).toMatchObject([{ session: FORK, rule: 'denied' }]);
  expect(report.sent).toEqual([ID]);
  expect(bytesReceived(engine, login)).not.toContain('falcon');
});

test('the note of an agent goes with the agent beside it, whatever agents of other projects are called', async () => {
  const [root, other] = [tempFolder(), tempFolder()];
  const login = await newLogin();
  const folderOf = (base: string, cwd: string) => join(base, 'projects', projectSlug(cwd));
  const writeNote = (folder: string, note: string) => {
    const path = join(folder, 'agent-a1.meta.json');
    writeFileSync(path, JSON.stringify({ description: note }));
    // Of two that are taken for one the newer stays.
    const written = new Date(note === 'falcon' ? '2026-02-02' : '2026-01-01');
    utimesSync(path, written, written);
  };
  const writeAgent = (base: string, id: string, cwd: string, note: string) => {
    const agent = turns(id, cwd, 1, 501).map((line) => ({ ...line, isSidechain: true, agentId: 'a1' }));
    mkdirSync(folderOf(base, cwd), { recursive: true });
    writeFileSync(join(folderOf(base, cwd), 'agent-a1.jsonl'), textOf(agent));
    writeNote(folderOf(base, cwd), note);
  };
  writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 1) });
  writeAgent(root, ID, CWD, 'kestrel');
  writeAgent(root, FORK, PRIVATE, 'falcon');
  writeAgent(other, FORK, PRIVATE, 'falcon');
  const alone = folderOf(root, '/srv/left');
  mkdirSync(alone, { recursive: true });
  writeNote(alone, 'falcon');
  await pushed([root, other], engine, { ...FULL, projects: { deny: [PRIVATE] } }, { login });
  const bytes = bytesReceived(engine, login);
  expect(bytes).toContain('kestrel');
  expect(bytes).not.toContain('falcon');
});

test('where folders are denied or allowed a line that tells none stays, also when it was sent before', async () => {
  const root = tempFolder();
  const login = await newLogin();
  const line = JSON.stringify(prompt({ id: ID, cwd: PRIVATE, n: 9, text: 'falcon' }));
  writeSession(root, {
    id: ID,
    cwd: CWD,
    lines: turns(ID, CWD, 1),
    torn: `${line}${line}\n\n[${line}]\n${line.slice(0, -9)}`,
  });
  const found = async () => (await searchTeam(await engine.as(login), requestOf('falcon'))).total;
  for (const projects of [{ deny: [PRIVATE] }, { allow: ['/srv/work'] }]) {
    const { report } = await pushed(root, engine, { ...FULL, projects }, { login });
    expect(report.lines).toEqual({ unreadable: 3 });
    expect(bytesReceived(engine, login)).not.toContain('falcon');
  }
  const one = await pushed(root, engine, FULL, { login });
  expect(one.report.lines).toEqual({});
  expect(await found()).toBeGreaterThan(0);
  one.policy({ ...FULL, projects: { deny: [PRIVATE] } });
  const { lines } = await one.push(engine, { login });
  expect(lines).toEqual({ unreadable: 3 });
  expect(await found()).toBe(0);
});
