import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asString, at, type Json } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const TIME = Date.parse('2026-05-01T10:00:00Z');

function typed(display: string, minute: number, sessionId?: string, project = '/work/app'): string {
  const line = { display, pastedContents: {}, timestamp: TIME + minute * 60_000, project, sessionId };
  return `${JSON.stringify(line)}\n`;
}

function said(text: string, minute: number, sessionId: string): string {
  const timestamp = new Date(TIME + minute * 60_000).toISOString();
  const message = { role: 'user', content: text };
  const uuid = `${sessionId}-${minute}`;
  const entry = { type: 'user', uuid, parentUuid: null, sessionId, timestamp, cwd: '/work/app', message };
  return `${JSON.stringify(entry)}\n`;
}

function machineWith(history: string, sessions: Record<string, string> = {}) {
  const root = tempFolder();
  const folder = join(root, 'projects', '-work-app');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'history.jsonl'), history);
  for (const [id, text] of Object.entries(sessions)) writeFileSync(join(folder, `${id}.jsonl`), text);
  return { ...machine(root), folder, history: join(root, 'history.jsonl') };
}

function titlesIn(json: Json): string[] {
  const chats = asArray(at(json, 'chats')) ?? [];
  return chats.map((chat) => `${asString(at(chat, 'title'))} ${asString(at(chat, 'source'))}`).sort();
}

describe('L4: prompts that survive only in history.jsonl', () => {
  test('are listed, marked, and shown', async () => {
    const { run } = machineWith(typed('Fix the login', 0, A) + typed('and the logout', 5, A));
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Fix the login history']);
    expect((await run('list')).text).toMatch(/Fix the login.*prompts only/);
    const shown = await run('show', A, '--json');
    expect(at(shown.json(), 'turns')).toMatchObject([{ prompt: 'Fix the login' }, { prompt: 'and the logout' }]);
    expect(at(shown.json(), 'chat')).toMatchObject({ source: 'history', project: '/work/app' });
    expect(shown.err).toBe('from history.jsonl: only its prompts are left\n');
    expect((await run('check', '--json')).json()).toMatchObject({ issues: [], inventory: [{ humanTurns: 2 }] });
  });

  test('a session that has a transcript is not told again', async () => {
    const { run } = machineWith(typed('Here', 0, A) + typed('Lost', 1, B), { [A]: said('Here', 0, A) });
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Here disk', 'Lost history']);
  });

  test('nor one that the archive has, nor one that was forgotten', async () => {
    const { run, folder } = machineWith(typed('One', 0, A) + typed('Two', 1, B), {
      [A]: said('One', 0, A),
      [B]: said('Two', 1, B),
    });
    await run('archive', 'sync');
    rmSync(folder, { recursive: true });
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['One archive', 'Two archive']);
    await run('archive', 'forget', A, '--yes');
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Two archive']);
  });

  test('lines without a session id: what was typed while a session of the project went on is its own', async () => {
    const session = said('During', 60, A) + said('More', 90, A);
    const history =
      typed('Before', 0) + typed('During', 60) + typed('More', 90) + typed('Elsewhere', 75, undefined, '/work/other');
    const { run } = machineWith(history, { [A]: session });
    expect(titlesIn((await run('list', '--json')).json())).toEqual([
      'Before history',
      'During disk',
      'Elsewhere history',
    ]);
    // The same when the archive tells the times.
    await run('archive', 'sync');
    expect(titlesIn((await run('list', '--json')).json())).toEqual([
      'Before history',
      'During disk',
      'Elsewhere history',
    ]);
  });

  test('from what the archive kept of a history that was cut or deleted', async () => {
    const { run, history } = machineWith(typed('First', 0, A));
    await run('archive', 'sync');
    writeFileSync(history, typed('Second', 1, B));
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['First history', 'Second history']);
    await run('archive', 'sync');
    appendFileSync(history, typed('Second again', 2, B));
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['First history', 'Second history']);
    rmSync(history);
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['First history', 'Second history']);
  });

  test('a history that cannot be read hides nothing else', async () => {
    const { run, history } = machineWith('', { [A]: said('Here', 0, A) });
    rmSync(history);
    mkdirSync(history);
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Here disk']);
  });

  test('one project or one session given by its path has no history of its own', async () => {
    const { run, folder } = machineWith(typed('Lost', 1, B), { [A]: said('Here', 0, A) });
    expect(titlesIn((await run('list', '--json', '--root', folder)).json())).toEqual(['Here disk']);
  });
});
