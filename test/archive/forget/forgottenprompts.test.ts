/** L4: what was typed into a forgotten session leaves the archived `history.jsonl` too, and chats of which only prompts are left can be forgotten. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forget } from '../../../src/archive/forget/forget.ts';
import { chooseFiles } from '../../../src/archive/select.ts';
import { run as sql } from '../../../src/archive/sqlite.ts';
import { keptIn } from '../../../src/archive/status.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { asArray, asString, at, type Json } from '../../../src/format/json.ts';
import { machine, runHere } from '../../support/inprocess.ts';
import {
  archiveIn,
  currentOf,
  entry,
  FORK,
  faultsOf,
  isLeft,
  newArchive,
  PLACE,
  rootOf,
  SESSION,
  statesOf,
  syncRoot,
} from '../helpers.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const TIME = Date.parse('2026-05-01T10:00:00Z');
const HISTORY = 'history.jsonl';

function typed(display: string, minute: number, sessionId?: string, project = '/work/app'): string {
  const line = { display, pastedContents: {}, timestamp: TIME + minute * 60_000, project, sessionId };
  return `${JSON.stringify(line)}\n`;
}

function titlesIn(json: Json): (string | undefined)[] {
  return (asArray(at(json, 'chats')) ?? []).map((chat) => asString(at(chat, 'title'))).sort();
}

const isLeftIn = (folder: string, text: string) => isLeft(archiveIn(folder), text);

describe('a chat of which only prompts are left', () => {
  const text = typed('Ocelot one', 0, SESSION) + typed('Margay', 1, FORK) + typed('Ocelot two', 2, SESSION);

  test('is forgotten by its id: its lines leave the archive, and it is not told again', async () => {
    const root = rootOf({ [HISTORY]: text });
    const { run, env } = machine(root);
    await run('archive', 'sync');
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Margay', 'Ocelot one']);
    await expect(run('archive', 'forget', SESSION.slice(0, 8))).rejects.toThrow('2 prompts');
    const gone = await run('archive', 'forget', SESSION.slice(0, 8), '--yes');
    expect(gone.text).toContain('2 typed prompts');
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Margay']);
    expect(isLeftIn(env.SKEIN_HOME, 'Ocelot')).toBe(false);
    expect((await run('archive', 'sync')).text).toBe('1 file, nothing new\n');
    expect((await run('archive', 'verify')).text).toContain('whole');
    expect(readFileSync(join(root, HISTORY), 'utf8')).toBe(text);
    rmSync(join(root, HISTORY));
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Margay']);
    expect(isLeftIn(env.SKEIN_HOME, 'Ocelot')).toBe(false);
  });

  test('is forgotten by the id that is shown, where its lines name none', async () => {
    const old = typed('Ocelot one', 0) + typed('Other', 1, undefined, '/work/other') + typed('Ocelot two', 5);
    const { run, env } = machine(rootOf({ [HISTORY]: old + typed('Later', 900) }));
    await run('archive', 'sync');
    const chats = asArray(at((await run('list', '--json')).json(), 'chats')) ?? [];
    const id = asString(at(chats.find((chat) => at(chat, 'title') === 'Ocelot one') ?? null, 'id')) ?? '';
    expect((await run('archive', 'forget', id, '--yes', '--json')).json()).toMatchObject({
      sessions: [id],
      prompts: 2,
    });
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Later', 'Other']);
    expect(isLeftIn(env.SKEIN_HOME, 'Ocelot')).toBe(false);
    expect(isLeftIn(env.SKEIN_HOME, 'Later')).toBe(true);
  });

  test('what is typed into it later, or a history written anew, does not bring it back', async () => {
    const root = rootOf({ [HISTORY]: text });
    const { run, env } = machine(root);
    await run('archive', 'sync');
    await run('archive', 'forget', SESSION, '--yes');
    appendFileSync(join(root, HISTORY), typed('Ocelot three', 3, SESSION) + typed('More', 4, FORK));
    expect((await run('archive', 'sync')).text).not.toContain('scrub');
    writeFileSync(join(root, HISTORY), typed('New', -1, FORK) + text);
    await run('archive', 'sync');
    expect(isLeftIn(env.SKEIN_HOME, 'Ocelot')).toBe(false);
    const archive = archiveIn(env.SKEIN_HOME);
    expect(statesOf(archive, HISTORY).map(String)).toEqual([
      typed('Margay', 1, FORK) + typed('More', 4, FORK),
      typed('New', -1, FORK) + typed('Margay', 1, FORK),
    ]);
    expect(faultsOf(archive)).toEqual([]);
    expect(keptIn(archive).scrubbed).toBe(0);
    expect((await run('archive', 'sync')).text).toBe('1 file, nothing new\n');
  });

  test('--undo: what is still on disk is archived again', async () => {
    const { run, env } = machine(rootOf({ [HISTORY]: text }));
    await run('archive', 'sync');
    await run('archive', 'forget', SESSION, '--yes');
    await run('archive', 'forget', '--undo', SESSION);
    await run('archive', 'sync');
    expect(currentOf(archiveIn(env.SKEIN_HOME), HISTORY).toString()).toBe(text);
    expect(titlesIn((await run('list', '--json')).json())).toEqual(['Margay', 'Ocelot one']);
  });

  test('goes with its project, whether there is a session in it or not', async () => {
    const other = '55555555-5555-4555-8555-555555555555';
    const root = rootOf({
      [HISTORY]: text + typed('Serval', 3, other, '/work/other') + typed('Caracal', 400, undefined, '/work/other'),
      [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK),
    });
    const { run, env } = machine(root);
    await run('archive', 'sync');
    await expect(run('archive', 'forget', 'project:/work/app')).rejects.toThrow('and 2 prompts of 1 chat');
    await run('archive', 'forget', 'project:/work/app', '--yes');
    for (const word of ['Ocelot', 'Margay']) expect(isLeftIn(env.SKEIN_HOME, word)).toBe(false);
    expect(titlesIn((await run('list', '--json')).json()).filter((title) => title !== 'text of b')).toEqual([
      'Caracal',
      'Serval',
    ]);
    await run('archive', 'forget', 'project:-work-other', '--yes');
    for (const word of ['Serval', 'Caracal']) expect(isLeftIn(env.SKEIN_HOME, word)).toBe(false);
    expect((await run('archive', 'verify')).text).toContain('whole');
  });

  test('what is not to be found is said as ever', async () => {
    const { env, run } = machine(rootOf({ [HISTORY]: text }));
    await run('archive', 'sync');
    const { code, err } = await runHere(['archive', 'forget', 'abcdef', '--yes'], env, { told: true });
    expect([code, err]).toEqual([1, expect.stringContaining('Nothing archived fits "abcdef"')]);
    const both = await runHere(['archive', 'forget', 'history', '--yes'], env, { told: true });
    expect(both.err).toContain('Nothing archived fits');
  });
});

describe('a session', () => {
  const files = {
    [`${PLACE}/${SESSION}.jsonl`]: entry('a'),
    [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK),
    [HISTORY]: `${typed('Ocelot', 0, SESSION)}no json\n${typed('Margay', 1, FORK)}`,
  };
  const LEFT = `no json\n${typed('Margay', 1, FORK)}`;

  test('takes the prompts that were typed into it along', () => {
    const root = rootOf(files);
    const archive = newArchive();
    syncRoot(archive, root);
    expect(forget(archive, chooseFiles(archive.db, SESSION).files, NOW)).toMatchObject({ files: 1, prompts: 1 });
    expect(isLeft(archive, 'Ocelot')).toBe(false);
    expect(currentOf(archive, HISTORY).toString()).toBe(LEFT);
    expect(faultsOf(archive)).toEqual([]);
    expect(syncRoot(archive, root)).toMatchObject({ forgotten: 1, outcomes: { unchanged: 2 } });
    expect(syncRoot(archive, root, { full: true })).toMatchObject({ outcomes: { unchanged: 2 }, mended: 0 });
  });

  test('a torn last line too, also when it is finished later', () => {
    const torn = typed('Ocelot', 2, SESSION).trimEnd();
    const root = rootOf({ ...files, [HISTORY]: LEFT + torn });
    const archive = newArchive();
    syncRoot(archive, root);
    forget(archive, chooseFiles(archive.db, SESSION).files, NOW);
    appendFileSync(join(root, HISTORY), `\n${typed('More', 3, FORK)}`);
    syncRoot(archive, root);
    expect(currentOf(archive, HISTORY).toString()).toBe(LEFT + typed('More', 3, FORK));
    expect(isLeft(archive, 'Ocelot')).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('an import does not bring them back, and takes over what is left out', () => {
    const root = rootOf(files);
    const [archive, other, third] = [newArchive(), newArchive(), newArchive()];
    syncRoot(archive, root);
    mergeArchive(other, archive);
    forget(archive, chooseFiles(archive.db, SESSION).files, NOW);
    mergeArchive(archive, other);
    expect(isLeft(archive, 'Ocelot')).toBe(false);
    expect(statesOf(archive, HISTORY)).toHaveLength(1);
    mergeArchive(third, archive);
    expect(syncRoot(third, root)).toMatchObject({ forgotten: 1, outcomes: { unchanged: 2 } });
    expect(keptIn(third).scrubbed).toBe(0);
    expect(faultsOf(third)).toEqual([]);
  });

  test('nor does an older state of it, which is no state of its own then', () => {
    const root = rootOf({ ...files, [HISTORY]: typed('Margay', 1, FORK) + typed('Ocelot', 0, SESSION) });
    const [archive, other] = [newArchive(), newArchive()];
    syncRoot(archive, root);
    mergeArchive(other, archive);
    appendFileSync(join(root, HISTORY), typed('More', 3, FORK));
    syncRoot(archive, root);
    forget(archive, chooseFiles(archive.db, SESSION).files, NOW);
    expect(mergeArchive(archive, other)).toMatchObject({ added: 0, known: 2, forgotten: 1 });
    expect(statesOf(archive, HISTORY).map(String)).toEqual([typed('Margay', 1, FORK) + typed('More', 3, FORK)]);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 2 });
    expect(faultsOf(archive)).toEqual([]);
  });

  test('a history that cannot be read is told', () => {
    const root = rootOf({ [HISTORY]: files[HISTORY] });
    const archive = newArchive();
    syncRoot(archive, root);
    sql(archive.db, "UPDATE pack SET data = x'00112233'");
    rootOf({ [`${PLACE}/${SESSION}.jsonl`]: entry('a') }, root);
    syncRoot(archive, root);
    expect(forget(archive, chooseFiles(archive.db, SESSION).files, NOW)).toMatchObject({ files: 1, unreadable: 1 });
  });
});
