/** `skein clone` on real files: what is written, what follows it, and what is refused. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asObject, asString, type Json } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { context } from '../../src/graph/context/context.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { assistant, pin, transcript, user, uuid } from '../support/transcript.ts';

const recorded = (version: string, scenario: string) => {
  const root = tempFolder();
  cpSync(join(FIXTURES, 'recorded', version, scenario), root, { recursive: true });
  return machine(root);
};
const entriesIn = (file: string) => readSession(readFileSync(file), file).entries;
const sentBy = (file: string) => context(entriesIn(file), { prompt: 'x' }).messages;
const field = (json: Json, name: string) => asString(asObject(json)?.[name]) ?? '';
const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name).slice(folder.length + 1))
    .sort();

describe('S8: what belongs to a session follows its clone', () => {
  test('L3: sub-agents with their records, under the new session id', async () => {
    const { run, root } = recorded('2.1.325', 'd-agent');
    const project = join(root, 'projects', '-home-dev-ws-2-1-325-d-agent');
    const source = join(project, '82a042c3-8d0b-4547-8be3-bf0d4a48c398');
    const { code, json } = await run('clone', '82a042c3', '--json');
    expect(code).toBe(0);
    const id = field(json(), 'sessionId');
    expect(field(json(), 'file')).toBe(join(project, `${id}.jsonl`));
    expect(filesBelow(join(project, id))).toEqual(filesBelow(source));
    for (const name of filesBelow(source).filter((each) => each.endsWith('.jsonl'))) {
      const heads = entriesIn(join(project, id, name)).map(({ head }) => head);
      const before = entriesIn(join(source, name)).map(({ head }) => head);
      expect(new Set(heads.map(({ sessionId }) => sessionId))).toEqual(new Set([id]));
      expect(heads.flatMap(({ forkedFrom }) => forkedFrom?.messageUuid ?? [])).toEqual(
        before.flatMap((head) => head.uuid ?? []),
      );
      const uuids = new Set(heads.map((head) => head.uuid));
      for (const { parentUuid } of heads) if (parentUuid) expect(uuids.has(parentUuid)).toBe(true);
    }
    expect(sentBy(`${join(project, id)}.jsonl`)).toEqual(sentBy(`${source}.jsonl`));
    const tree = await run('tree', id, '--json');
    expect(JSON.stringify(tree.json())).toContain('acee6091df0928d3e');
    expect((await run('check', '--json')).code).toBe(0);
  });

  test('L3: sub-agents of the older layout', async () => {
    const { run, root } = recorded('2.0.76', 'd-agent');
    const listed = asArray(asObject((await run('list', '--json')).json())?.chats)?.[0];
    const { json, code } = await run('clone', field(listed ?? null, 'id'), '--json');
    expect(code).toBe(0);
    const folder = join(dirname(field(json(), 'file')), field(json(), 'sessionId'), 'subagents');
    const agents = filesBelow(root).filter(
      (file) => /\/agent-[^/]+\.jsonl$/.test(file) && !file.includes('/subagents/'),
    );
    expect(readdirSync(folder).length).toBeGreaterThan(0);
    expect(agents.length).toBeGreaterThanOrEqual(readdirSync(folder).length);
  });

  test('L4: large outputs that it refers to', async () => {
    const { run } = recorded('2.1.325', 'c-edits');
    const { json } = await run('clone', 'ddca1f30', '--json');
    const folder = join(dirname(field(json(), 'file')), field(json(), 'sessionId'));
    expect(filesBelow(folder)).toEqual(['tool-results/baf6nhz80.txt']);
    const shown = await run('show', field(json(), 'sessionId'), '--json');
    const before = await run('show', 'ddca1f30', '--json');
    const results = (value: Json) => JSON.stringify(value).match(/"result":"(?:[^"\\]|\\.)*"/g);
    expect(results(shown.json())).toEqual(results(before.json()));
  });

  test('L4: checkpoints and the title it is shown by', async () => {
    const { run, root } = recorded('2.1.325', 'k-interactive');
    const { json } = await run('clone', '86c704c7', '--json', '--title', 'try again');
    const id = field(json(), 'sessionId');
    expect(filesBelow(join(root, 'file-history', id))).toEqual(
      filesBelow(join(root, 'file-history', '86c704c7-c273-4f6f-81fc-39106bdab268')),
    );
    const title = join(dirname(field(json(), 'file')), id, 'custom-title.json');
    expect(JSON.parse(readFileSync(title, 'utf8'))).toEqual({ customTitle: 'try again' });
  });
});

/** A session with two turns, a rewind, and nothing else. */
const LINES = [
  user(1, null, 'one', { cwd: '/work/app', sessionId: 'x' }),
  assistant(2, 1, 'm1', 'A1'),
  user(3, 2, 'two'),
  assistant(4, 3, 'm2', 'A2'),
  user(5, 2, 'instead'),
  assistant(6, 5, 'm3', 'A3'),
  pin(6),
];
const SOURCE = '11111111-2222-4333-8444-555555555555';

function withSession(text = transcript(LINES)) {
  const root = tempFolder();
  const project = join(root, 'projects', '-work-app');
  mkdirSync(project, { recursive: true });
  const file = join(project, `${SOURCE}.jsonl`);
  writeFileSync(file, text, { mode: 0o640 });
  return { ...machine(root), project, file };
}

describe('where it ends', () => {
  const promptsOf = (file: string) =>
    sentBy(file)
      .flatMap(({ role, content }) => (role === 'user' ? content : []))
      .map(({ text }) => text);

  test.each([
    [[], ['one', 'instead', 'x']],
    [
      ['--at', '1'],
      ['one', 'x'],
    ],
    [
      ['--at', '2'],
      ['one', 'instead', 'x'],
    ],
    [
      ['--at', 'last'],
      ['one', 'instead', 'x'],
    ],
    [
      ['--at', uuid(4)],
      ['one', 'two', 'x'],
    ],
    [
      ['--at', uuid(4).slice(0, 8)],
      ['one', 'two', 'x'],
    ],
    [
      ['--branch', '1'],
      ['one', 'two', 'x'],
    ],
    [
      ['--branch', uuid(6).slice(0, 8)],
      ['one', 'instead', 'x'],
    ],
  ])('H3: %j', async (flags, prompts) => {
    const { run, file } = withSession();
    const before = readFileSync(file);
    const { json, code } = await run('clone', SOURCE, ...flags, '--json');
    expect(code).toBe(0);
    expect(promptsOf(field(json(), 'file'))).toEqual(prompts);
    expect(readFileSync(file)).toEqual(before);
  });

  test.each([['99'], ['ffff'], ['0000']])('there is no %s', async (at) => {
    const { run, project } = withSession();
    await expect(run('clone', SOURCE, '--at', at)).rejects.toMatchObject({ exitCode: 2 });
    expect(readdirSync(project)).toHaveLength(1);
  });
});

describe('what is said', () => {
  test('for people: the new file and how to resume it', async () => {
    const { run } = withSession();
    const { text, err } = await run('clone', SOURCE);
    expect(text).toMatch(/^Cloned "one \(clone\)": \d+ lines, 2 turns/);
    expect(text).toMatch(/resume: cd \/work\/app && claude --resume [0-9a-f-]{36}\n$/);
    expect(err).toContain('2 entries of other branches are left out');
  });

  test('for programs: before and after', async () => {
    const { run } = withSession();
    expect((await run('clone', SOURCE, '--json')).json()).toMatchObject({
      before: { lines: 7, turns: 3 },
      after: { lines: 6, turns: 2, agents: 0, toolResults: 0, checkpoints: 0 },
      dryRun: false,
      title: 'one (clone)',
    });
  });

  test('a secret in the title is masked, also in JSON', async () => {
    const secret = `sk-ant-api03-${'Ab1'.repeat(31)}AA`;
    const { run } = withSession(transcript([user(1, null, `my key ${secret}`), assistant(2, 1, 'm', 'A')]));
    for (const flags of [[], ['--json']]) expect((await run('clone', SOURCE, ...flags)).text).not.toContain(secret);
    expect((await run('clone', SOURCE, '--reveal')).text).toContain('sk-ant-api03');
  });

  test('--dry-run writes nothing', async () => {
    const { run, project, home } = withSession();
    expect((await run('clone', SOURCE, '--dry-run')).text).toContain('Would be cloned');
    expect(readdirSync(project)).toEqual([`${SOURCE}.jsonl`]);
    expect(existsSync(join(home, 'kept'))).toBe(false);
  });

  test('the title of a clone of a clone is not doubled', async () => {
    const { run } = withSession();
    const first = field((await run('clone', SOURCE, '--json')).json(), 'sessionId');
    expect((await run('clone', first, '--json')).json()).toMatchObject({ title: 'one (clone)' });
  });
});

test('the mode of the source is kept', async () => {
  const { run, file } = withSession();
  chmodSync(file, 0o640);
  const { json } = await run('clone', SOURCE, '--json');
  expect(statSync(field(json(), 'file')).mode & 0o777).toBe(0o640);
});

test('H2: the list has one chat, in which the clone is known as a copy', async () => {
  const { run } = withSession();
  await run('clone', SOURCE);
  const chats = asArray(asObject((await run('list', '--json')).json())?.chats) ?? [];
  expect(chats).toHaveLength(1);
  expect(chats[0]).toMatchObject({ turns: 3 });
});

describe('what cannot be cloned is said, and nothing is written', () => {
  test.each([
    ['an empty file', ''],
    ['nothing but bad lines', '{"torn\nnot json\n'],
    ['nothing that was said', '{"type":"summary","summary":"x","leafUuid":"y"}\n'],
  ])('%s', async (_, text) => {
    const { run, project, file } = withSession(text);
    await expect(run('clone', file)).rejects.toMatchObject({ where: file, exitCode: 1 });
    expect(readdirSync(project)).toHaveLength(1);
  });

  test('a sub-agent', async () => {
    const { run } = recorded('2.1.325', 'd-agent');
    await expect(run('clone', 'acee6091df0928d3e')).rejects.toThrow('sub-agent');
  });

  test('a session that does not exist', async () => {
    const { run } = withSession();
    await expect(run('clone', 'deadbeef')).rejects.toThrow('Nothing fits');
  });
});

test('a session that only the archive has is cloned to where it lay', async () => {
  const { run, file, project } = withSession();
  expect((await run('archive', 'sync')).code).toBe(0);
  rmSync(project, { recursive: true });
  const { json, err } = await run('clone', SOURCE, '--json');
  expect(err).toContain('from the archive');
  expect(dirname(field(json(), 'file'))).toBe(project);
  expect(sentBy(field(json(), 'file'))).toEqual(
    context(readSession(Buffer.from(transcript(LINES))).entries, { prompt: 'x' }).messages,
  );
  expect(existsSync(file)).toBe(false);
});
