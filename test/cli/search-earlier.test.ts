/** What only an earlier state of a transcript has: the archive kept it, and every kind of query finds it. */
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openArchive } from '../../src/archive/store.ts';
import { asArray, asNumber, asString, at, type JsonObject } from '../../src/format/json.ts';
import { syncRoot } from '../archive/helpers.ts';
import { assistant, queueOperation, result, toJsonl, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const NAME = `projects/-work-app/${A}.jsonl`;
const OTHER = `projects/-work-api/${B}.jsonl`;

const said = (uuid: string, text: string, more: JsonObject = {}) =>
  toJsonl([{ ...user(text), uuid, sessionId: A, timestamp: '2026-05-01T10:00:00.000Z', cwd: '/work/app', ...more }]);

function planted(files: Record<string, string>) {
  const here = machine(tempFolder());
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(here.root, name)), { recursive: true });
    writeFileSync(join(here.root, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const sync = () => here.run('archive', 'sync');
  const archiveAlone = () => {
    const archive = openArchive(here.env.SKEIN_HOME, { create: true });
    if (archive === undefined) throw new Error('no archive');
    syncRoot(archive, here.root);
    archive.close();
  };
  const find = async (...words: string[]) => {
    const json = (await here.run('search', '--json', '--limit', '100', ...words)).json();
    const hits = asArray(at(json, 'hits')) ?? [];
    expect(asNumber(at(json, 'total'))).toBe(hits.length);
    return hits.map((hit) => `${asString(at(hit, 'uuid'))} ${asString(at(hit, 'open'))}`).toSorted();
  };
  return { ...here, write, sync, archiveAlone, find };
}

const ways = ['quokka', '~uokk', '/quo[k]+a/', '--substring uokk', '--scan quokka'];
const words = (query: string) => query.split(' ');

test.each(['quokka', '~uokk', '/quo[k]+a/', '--scan quokka'])(
  'E9: a prompt that waited when its transcript was archived and was handed over since is found once: %s',
  async (query) => {
    const queue = (operation: string, content?: string) =>
      toJsonl([{ ...queueOperation(operation, content), sessionId: A, timestamp: '2026-05-01T10:01:00.000Z' }]);
    const { sync, find, root } = planted({ [NAME]: said('a', 'go') + queue('enqueue', 'mind the quokka') });
    await sync();
    expect(await find(...query.split(' '))).toEqual([`undefined skein show ${A}`]);
    appendFileSync(join(root, NAME), queue('dequeue') + said('b', 'mind the quokka'));
    for (const _ of ['not synced', 'synced']) {
      expect(await find(...query.split(' '))).toEqual([`b skein show ${A} --turn b`]);
      await sync();
    }
  },
);

test.each(['quokka', '~uokk', '/quo[k]+a/', '--scan quokka'])(
  'E9: a prompt that waited in a state of its transcript that is no more is found, synced or not: %s',
  async (query) => {
    const queued = {
      ...queueOperation('enqueue', 'mind the quokka'),
      sessionId: A,
      timestamp: '2026-05-01T10:01:00.000Z',
    };
    const { write, sync, find, root } = planted({ [NAME]: said('a', 'go') + toJsonl([queued]) });
    await sync();
    const restore = [`undefined skein archive restore ${A} --version 1 --to DIR`];
    write(NAME, said('a', 'go'));
    expect(await find(...query.split(' '))).toEqual(restore);
    appendFileSync(join(root, NAME), said('b', 'something else, and more than there was before '.repeat(9)));
    for (const _ of ['not synced', 'synced']) {
      expect(await find(...query.split(' '))).toEqual(restore);
      await sync();
    }
  },
);

test.each(ways)(
  'a last line without a line end that was cut off since is found where it was archived: %s',
  async (query) => {
    const { write, sync, find } = planted({ [NAME]: said('a', 'a wombat') + said('b', 'the quokka').trimEnd() });
    await sync();
    expect(await find(...words(query))).toEqual([`b skein show ${A} --turn b`]);
    write(NAME, said('a', 'a wombat'));
    for (const _ of ['not synced', 'synced']) {
      expect(await find(...words(query))).toEqual([`b skein archive restore ${A} --version 1 --to DIR`]);
      await sync();
    }
  },
);

describe('what was in a transcript before it was rewritten', () => {
  test.each(ways)('is found with the archive, and so is the way to it: %s', async (query) => {
    const { write, sync, find } = planted({ [NAME]: said('a', 'the quokka') + said('b', 'a wombat') });
    await sync();
    write(NAME, said('b', 'a wombat') + said('c', 'a quokka'));
    await sync();
    expect(await find(...words(query))).toEqual([
      `a skein archive restore ${A} --version 1 --to DIR`,
      `c skein show ${A} --turn c`,
    ]);
    expect(await find(...words(query), 'project:app', `session:${A}`, 'role:user')).toHaveLength(2);
    expect(await find(...words(query), 'project:api')).toEqual([]);
  });

  test.each(ways)(
    'is found while the archive does not know that it was, also once the rest has grown: %s',
    async (query) => {
      const { write, sync, find, root } = planted({ [NAME]: said('a', 'the quokka') + said('b', 'a quokka') });
      await sync();
      write(NAME, said('b', 'a quokka'));
      const uuids = async () => (await find(...words(query))).map((hit) => hit.split(' ')[0]);
      // Also the way to it.
      expect(await find(...words(query))).toEqual([
        `a skein archive restore ${A} --version 1 --to DIR`,
        `b skein show ${A} --turn b`,
      ]);
      appendFileSync(join(root, NAME), said('c', 'one more quokka').repeat(20));
      expect(await uuids()).toEqual(['a', 'b', 'c']);
      rmSync(join(root, NAME));
      expect(await uuids()).toEqual(['a', 'b']);
    },
  );

  test.each(ways)('is found once, from whichever state: %s', async (query) => {
    const lines = [said('a', 'the quokka'), said('b', 'a quokka'), said('c', 'no quokka')];
    const { write, sync, find } = planted({
      [NAME]: lines.join(''),
      [OTHER]: said('a', 'the quokka', { sessionId: B }),
    });
    await sync();
    for (const left of [[1, 2], [2], [2, 0]]) {
      write(NAME, left.map((place) => lines[place]).join(''));
      await sync();
    }
    const found = await find(...words(query));
    expect(found.map((hit) => hit.split(' ')[0])).toEqual(['a', 'b', 'c']);
    expect(found[1]).toBe(`b skein archive restore ${A} --version 2 --to DIR`);
  });
});

test.each(['hopped', '~opped'])('calls, queued prompts and torn ends of earlier states: %s', async (query) => {
  const call = toJsonl([{ ...assistant([toolUse('t1', 'Bash', { command: 'jump' })]), uuid: 'c', sessionId: A }]);
  const done = toJsonl([{ ...result('t1', 'it hopped'), uuid: 'r', sessionId: A }]);
  const time = '2026-05-01T10:00:00.000Z';
  const queued = toJsonl([{ ...queueOperation('enqueue', 'hopped yet?'), sessionId: A, timestamp: time }]);
  const shown = toJsonl([
    { ...queueOperation('enqueue', 'has it hopped'), sessionId: A, timestamp: '2026-05-01T10:00:01.000Z' },
  ]);
  const torn = said('t', 'torn hopped');
  const { write, sync, find } = planted({
    [NAME]: call + done + queued + shown + said('s', 'has it hopped') + torn.slice(0, torn.indexOf('"uuid"')),
  });
  await sync();
  write(NAME, said('b', 'a wombat'));
  await sync();
  const version = `skein archive restore ${A} --version 1 --to DIR`;
  expect(await find(query)).toEqual([`r ${version}`, `s ${version}`, `undefined ${version}`]);
  expect(await find(query, 'tool:Bash')).toEqual([`r ${version}`]);
  expect(await find(query, '-tool:Bash', '-in:prompt')).toEqual([]);
});

describe('E1: a last line that is an entry, but has no line end, is found once', () => {
  const [first, last] = [said('a', 'a wombat'), said('b', 'the quokka')];
  const [open, whole] = [first + last.trimEnd(), first + last];
  const over = first + said('d', 'a longer line than there was before '.repeat(20));
  const [present, before] = [`b skein show ${A} --turn b`, `b skein archive restore ${A} --version 1 --to DIR`];

  /** Whether and where it is found as its file becomes one text after another. */
  async function follow(query: string, states: readonly (readonly [text: string, found: string])[]) {
    const { write, sync, find } = planted({});
    for (const [text, expected] of states) {
      write(NAME, text);
      for (const _ of ['not synced', 'synced']) {
        expect([text, await find(...words(query))]).toEqual([text, [expected]]);
        await sync();
      }
    }
  }

  test.each(ways)('when it ends and others follow it: %s', async (query) => {
    const grown = whole + said('c', 'a wombat').trimEnd();
    await follow(
      query,
      [open, whole, grown].map((text) => [text, present] as const),
    );
  });

  test.each(ways)('when it was written over, by whatever: %s', async (query) => {
    await follow(query, [
      [open, present],
      [over, before],
      [first, before],
    ]);
  });
});

describe('a session that lies elsewhere since', () => {
  const resumed = async ({ run }: ReturnType<typeof planted>, query: string) => {
    const hits = asArray(at((await run('search', '--json', ...words(query))).json(), 'hits')) ?? [];
    return hits.map((hit) => [asString(at(hit, 'file')), asString(at(hit, 'resume'))]);
  };
  const MOVED = `projects/-work-new/${A}.jsonl`;

  test.each(ways)('is found where it is, and resumed there, not restored to where it was: %s', async (query) => {
    const here = planted({ [NAME]: said('a', 'the quokka') });
    await here.sync();
    mkdirSync(dirname(join(here.root, MOVED)));
    renameSync(join(here.root, NAME), join(here.root, MOVED));
    for (const _ of ['not synced', 'synced']) {
      expect(await resumed(here, query)).toEqual([[join(here.root, MOVED), `cd /work/app && claude --resume ${A}`]]);
      await here.sync();
    }
  });

  test.each(ways)('is found so too when it was written anew for its new folder: %s', async (query) => {
    const here = planted({ [NAME]: said('11111111-aaaa-4aaa-8aaa-000000000001', 'the quokka') });
    await here.sync();
    await here.run('move', A, '--to', here.home, '--delete-source');
    for (const _ of ['not synced', 'synced']) {
      const [[file, resume] = [], ...more] = await resumed(here, query);
      expect(more).toEqual([]);
      expect(existsSync(file ?? '')).toBe(true);
      expect(resume).toBe(`cd ${here.home} && claude --resume ${A}`);
      await here.sync();
    }
  });
});

/** What becomes of a file: its lines from then on; undefined when it is deleted. */
const change = fc.record({
  name: fc.constantFrom(NAME, OTHER),
  lines: fc.option(
    fc
      .subarray([...'abcdefg'], { minLength: 1 })
      .chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
    { nil: undefined, freq: 6 },
  ),
  isTorn: fc.boolean(),
  // The hook leaves the index as it is.
  kept: fc.constantFrom('no', 'by a sync', 'by the hook'),
});

test('whatever became of the files, and whenever they were archived: every way finds what is there and what was archived, once', async () => {
  const property = fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
    const { root, write, sync, archiveAlone, find } = planted({});
    const onDisk = new Map<string, readonly string[]>();
    const kept = new Set<string>();
    for (const { name, lines, isTorn, kept: how } of changes) {
      if (lines === undefined) rmSync(join(root, name), { force: true });
      else write(name, lines.map((uuid) => said(uuid, `a quokka ${uuid}`)).join('') + (isTorn ? '{"type":"us' : ''));
      onDisk.set(name, lines ?? []);
      if (how !== 'no') {
        if (how === 'by a sync') await sync();
        else archiveAlone();
        for (const uuid of [...onDisk.values()].flat()) kept.add(uuid);
      }
      const expected = [...new Set([...kept, ...[...onDisk.values()].flat()])].toSorted();
      for (const query of ways) {
        const found = (await find(...words(query))).map((hit) => hit.split(' ')[0]);
        expect([query, found]).toEqual([query, expected]);
      }
    }
  });
  await fc.assert(property, { numRuns: 16 });
}, 120_000);

describe('what is archived of several config folders', () => {
  const text = (uuid: string, sessionId: string) => said(uuid, 'a quokka', { sessionId });

  test.each(ways)('is found as list shows it: not what lies in another one that is still there: %s', async (query) => {
    const { root, home, run, sync, find, write } = planted({ [NAME]: text('a', A) });
    const other = join(home, 'other');
    write(join('..', basename(home), 'other', OTHER), text('b', B));
    await run('archive', 'sync', '--root', root, '--root', other);
    const uuids = async (...more: string[]) => (await find(...words(query), ...more)).map((hit) => hit.split(' ')[0]);
    expect(await uuids()).toEqual(['a']);
    expect(await uuids('role:user', 'project:app')).toEqual(['a']);
    expect(await uuids('project:api')).toEqual([]);
    expect(await uuids('--root', other)).toEqual(['b']);
    expect(await uuids('--root', root, '--root', other)).toEqual(['a', 'b']);
    // Nobody could name a folder that is gone.
    rmSync(other, { recursive: true });
    expect(await uuids()).toEqual(['a', 'b']);
    expect(await uuids('project:api')).toEqual(['b']);
    expect(await uuids('--root', root)).toEqual(['a']);
    await sync();
    expect(await uuids()).toEqual(['a', 'b']);
  });
});

test('an archive that has nothing yet is no index: what is shown of a machine without sessions is searched', async () => {
  const here = machine(tempFolder());
  const before = asNumber(at((await here.run('search', 'tide', '--json')).json(), 'total'));
  await here.run('archive', 'sync');
  expect(asNumber(at((await here.run('search', 'tide', '--json')).json(), 'total'))).toBe(before);
  expect(before).toBeGreaterThan(0);
});
