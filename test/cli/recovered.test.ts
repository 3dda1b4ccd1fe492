import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

  test('cannot be restored, which is told as that', async () => {
    const { run } = machineWith(typed('Fix the login', 0, A));
    await run('archive', 'sync');
    for (const selector of [A, A.slice(0, 6), 'login', '@last']) {
      await expect(run('archive', 'restore', selector)).rejects.toMatchObject({
        message: `Of ${A} only the prompts are left, in history.jsonl.`,
        next: `Read them: skein show ${A}`,
      });
    }
    expect((await run('archive', 'restore', 'history.jsonl')).code).toBe(0);
  });

  test('an id that is a path is none: no chat is told outside the folder of projects', async () => {
    const ids = ['../../../../etc/passwd', '/etc/passwd', 'a/b', '..\\b'];
    const history = ids.map((id, place) => typed(`Prompt ${place}`, place, id)).join('') + typed('Named', 500, A);
    const { run, folder } = machineWith(history);
    const { json } = await run('list', '--json');
    expect(titlesIn(json())).toEqual(['Named history', 'Prompt 0 history']);
    const chats = asArray(at(json(), 'chats')) ?? [];
    const files = chats.map((chat) => asString(at(asArray(at(chat, 'sessions'))?.[0], 'file')) ?? '');
    expect(files.map((file) => dirname(file))).toEqual([folder, folder]);
    expect((await run('check')).code).toBe(0);
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

describe('L4: searching prompts that survive only in history.jsonl', () => {
  const hits = (json: Json) => (asArray(at(json, 'hits')) ?? []).map((hit) => `${asString(at(hit, 'session'))}`);

  test('finds them with an archive as without one, and the command to open them works', async () => {
    const history = typed('Fix the zebra', 0, A) + typed('and the okapi', 5, A) + typed('Here', 0, B);
    const { run } = machineWith(history, { [B]: said('Here, a zebra', 0, B) });
    const before = (await run('search', 'zebra', '--json')).json();
    await run('archive', 'sync');
    const found = (await run('search', 'zebra', '--json')).json();
    expect([at(before, 'engine'), at(found, 'engine')]).toEqual(['files', 'index']);
    expect(hits(found).toSorted()).toEqual([A, B]);
    expect(hits(before).toSorted()).toEqual([A, B]);
    expect(at(found, 'scanned')).toBe(0);
    const only = (await run('search', 'okapi', 'in:prompt', 'role:user', '--json')).json();
    expect(asArray(at(only, 'hits'))).toMatchObject([{ session: A, where: 'prompt', cwd: '/work/app', resume: null }]);
    const [hit] = asArray(at(only, 'hits')) ?? [];
    const [, ...open] = (asString(at(hit, 'open')) ?? '').split(' ');
    expect((await run(...open, '--json')).json()).toMatchObject({ turns: [{ prompt: 'and the okapi' }] });
  });

  test('offers nothing to restore them with', async () => {
    const { run } = machineWith(typed('Fix the zebra', 0, A), { [B]: said('Here', 0, B) });
    await run('archive', 'sync');
    for (const scan of [[], ['--scan']]) {
      const { text } = await run('search', 'zebra', ...scan);
      expect(text).toContain('skein show');
      expect(text).not.toMatch(/restore|resume/);
    }
  });

  test('finds what a session has once, and what was forgotten not at all', async () => {
    const { run, folder } = machineWith(typed('One zebra', 0, A) + typed('Two zebra', 1, B), {
      [A]: said('One zebra', 0, A),
      [B]: said('Two zebra', 1, B),
    });
    await run('archive', 'sync');
    expect(hits((await run('search', 'zebra', '--json')).json())).toHaveLength(2);
    rmSync(folder, { recursive: true });
    expect(hits((await run('search', 'zebra', '--json')).json())).toHaveLength(2);
    await run('archive', 'forget', A, '--yes');
    await run('archive', 'sync');
    expect(hits((await run('search', 'zebra', '--json')).json())).toEqual([B]);
  });

  test('finds lines that name no session, and those of a history that is gone or was cut', async () => {
    const { run, history } = machineWith(typed('An old zebra', 0) + typed('Pasted [Pasted text #1]', 300), {
      [B]: said('Here', 60, B),
    });
    await run('archive', 'sync');
    expect(hits((await run('search', 'zebra', '--json')).json())).toHaveLength(1);
    writeFileSync(history, typed('A newer okapi', 1, A));
    expect(hits((await run('search', 'okapi', '--json')).json())).toEqual([A]);
    await run('archive', 'sync');
    expect(hits((await run('search', 'zebra', '--json')).json())).toHaveLength(1);
    rmSync(history);
    expect(hits((await run('search', 'okapi', '--json')).json())).toEqual([A]);
    expect(hits((await run('search', 'zebra', '--json')).json())).toHaveLength(1);
  });

  test.each(['x'.repeat(300), 'a\0b'])('finds those of a session whose id is no name of a file', async (id) => {
    const { run } = machineWith(typed('Fix the zebra', 0, id), { [B]: said('Here', 0, B) });
    await run('archive', 'sync');
    for (const scan of [[], ['--scan']])
      expect(hits((await run('search', 'zebra', '--json', ...scan)).json())).toEqual([id]);
  });

  test('where a history cannot be read, finds what the archive kept of it', async () => {
    const { run, history } = machineWith(typed('Fix the zebra', 0, A), { [B]: said('Here', 0, B) });
    await run('archive', 'sync');
    for (const spoil of [() => symlinkSync('history.jsonl', history), () => mkdirSync(history)]) {
      rmSync(history);
      spoil();
      for (const scan of [[], ['--scan']])
        expect(hits((await run('search', 'zebra', '--json', ...scan)).json())).toEqual([A]);
    }
  });

  test('only where they are asked for', async () => {
    const { run } = machineWith(typed('Fix the zebra', 0, A), { [B]: said('Here', 0, B) });
    await run('archive', 'sync');
    for (const filter of ['role:assistant', 'tool:Bash', 'project:other', 'before:2026-01-01', `session:${B}`, '-fix'])
      expect(hits((await run('search', 'zebra', filter, '--json')).json())).toEqual([]);
    for (const filter of ['project:app', 'after:2026-04-01', `session:${A}`, '-logout'])
      expect(hits((await run('search', 'zebra', filter, '--json')).json())).toEqual([A]);
  });
});
