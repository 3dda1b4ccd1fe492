/** What was forgotten stays away: from a sync that had already begun, and from the prompts in history.jsonl. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { forget } from '../../../src/archive/forget/forget.ts';
import { openIndex } from '../../../src/archive/index/derived.ts';
import { chooseFiles } from '../../../src/archive/select.ts';
import { all } from '../../../src/archive/sqlite.ts';
import { syncInTurns } from '../../../src/archive/sync/sync.ts';
import { asArray, asString, at, type Json } from '../../../src/format/json.ts';
import { tempFolder } from '../../support/files.ts';
import { machine } from '../../support/inprocess.ts';
import { archiveIn, entry, FORK, newArchive, PLACE, rootOf, SESSION, sourcesIn, syncRoot } from '../helpers.ts';

const NOW = new Date('2026-01-02T03:04:05Z');

describe('a sync that began before', () => {
  const files = {
    [`${PLACE}/${SESSION}.jsonl`]: entry('a', SESSION, 'ocelotword'),
    [`${PLACE}/agent-b2.jsonl`]: entry('old layout'),
    [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK),
  };

  test('does not take again what is forgotten meanwhile', async () => {
    const archive = newArchive();
    const root = rootOf(files);
    syncRoot(archive, root, { derive: true });
    rootOf({ [`${PLACE}/${SESSION}.jsonl`]: entry('a', SESSION, 'ocelotword') + entry('c') }, root);
    const other = archiveIn(archive.folder);
    await syncInTurns(archive, sourcesIn(root), {
      full: true,
      derive: true,
      onChanges: () => forget(other, chooseFiles(other.db, SESSION).files, NOW),
    });
    expect(allFiles(archive.db).map(({ session }) => session)).toEqual([FORK]);
    const { db, close } = openIndex(archive);
    db.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'row')");
    expect(all(db, "SELECT term FROM temp.vocabulary WHERE term = 'ocelotword'")).toEqual([]);
    close();
  });

  test('does not keep the words of what it took just before', async () => {
    const archive = newArchive();
    const root = rootOf(files);
    const other = archiveIn(archive.folder);
    await syncInTurns(archive, sourcesIn(root), { derive: true });
    forget(other, chooseFiles(other.db, SESSION).files, NOW);
    const { db, close } = openIndex(archive);
    expect(all(db, 'SELECT id FROM part')).toEqual([]);
    expect(all(db, 'SELECT file FROM outline')).toEqual([]);
    close();
  });
});

describe('L4: prompts in lines that name no session', () => {
  const TIME = Date.parse('2026-05-01T10:00:00Z');

  function typed(display: string, minute: number, project = '/work/app'): string {
    return `${JSON.stringify({ display, pastedContents: {}, timestamp: TIME + minute * 60_000, project })}\n`;
  }

  function said(text: string, minute: number): string {
    const timestamp = new Date(TIME + minute * 60_000).toISOString();
    const message = { role: 'user', content: text };
    return `${JSON.stringify({ type: 'user', uuid: text, sessionId: SESSION, timestamp, cwd: '/work/app', message })}\n`;
  }

  function titlesIn(json: Json): (string | undefined)[] {
    return (asArray(at(json, 'chats')) ?? []).map((chat) => asString(at(chat, 'title'))).sort();
  }

  function machineWithSession() {
    const root = tempFolder();
    const folder = join(root, 'projects', '-work-app');
    mkdirSync(folder, { recursive: true });
    const history =
      typed('Before', -300) + typed('During', 60) + typed('More', 90) + typed('Elsewhere', 75, '/work/other');
    writeFileSync(join(root, 'history.jsonl'), history);
    writeFileSync(join(folder, `${SESSION}.jsonl`), said('During', 60) + said('More', 90));
    return { ...machine(root), folder };
  }

  test('do not come back as a chat; those of other times and projects stay', async () => {
    const { run, folder } = machineWithSession();
    await run('archive', 'sync');
    rmSync(folder, { recursive: true });
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Before', 'During', 'Elsewhere']);
    await run('archive', 'forget', SESSION, '--yes');
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Before', 'Elsewhere']);
    await run('archive', 'sync');
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Before', 'Elsewhere']);
  });

  test('nor on another machine; after --undo they are told again', async () => {
    const { run, root, folder } = machineWithSession();
    await run('archive', 'sync');
    rmSync(folder, { recursive: true });
    await run('archive', 'forget', SESSION, '--yes');
    const file = join(tempFolder(), 'all.skein');
    await run('archive', 'export', file);
    const second = machine(root);
    await second.run('archive', 'import', file);
    expect(titlesIn((await second.run('list', '--json')).json())).toEqual(['Before', 'Elsewhere']);
    await second.run('archive', 'forget', '--undo', SESSION);
    expect(titlesIn((await second.run('list', '--json')).json())).toEqual(['Before', 'During', 'Elsewhere']);
  });
});
