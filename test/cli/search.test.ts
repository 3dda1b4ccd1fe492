import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../src/cli/layout.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { asArray, asNumber, asString, at } from '../../src/format/json.ts';
import { toJsonl, user, uuidOf } from '../support/build.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { rootWith, skein } from '../support/skein.ts';
import { home, SECRET, SESSION, uuids } from './search-home.ts';

describe('skein search', () => {
  test('what it says beside hits fits the width; commands are whole', () => {
    const { run } = home();
    for (const words of ['login', 'nosuchword']) {
      const lines = run(['search', words], { COLUMNS: '40' }).text.split('\n');
      const notes = lines.filter((line) => !line.startsWith('  '));
      expect(notes.filter((line) => line.length > 40)).toEqual([]);
      expect(notes.join(' ')).toContain('an index makes it faster: skein archive sync)');
    }
  });

  test('works without an archive and with one, and says which it used', () => {
    const { run, root } = home();
    const files = run(['search', 'login', '--json']).json();
    expect([at(files, 'engine'), at(files, 'total'), at(files, 'scanned')]).toEqual(['files', 3, 1]);
    expect(run(['search', 'login']).text).toContain('1 file read; an index makes it faster: skein archive sync');
    run(['archive', 'sync']);
    const index = run(['search', 'login', '--json']).json();
    expect([at(index, 'engine'), at(index, 'total'), at(index, 'scanned')]).toEqual(['index', 3, 0]);
    expect(uuids(index).sort()).toEqual(uuids(files).sort());
    const line = toJsonl([{ ...user('login again'), sessionId: SESSION, uuid: uuidOf(9) }]);
    appendFileSync(join(root, 'projects', '-work-app', `${SESSION}.jsonl`), line);
    expect(run(['search', 'login']).text).toContain('4 found (index, and 1 file read that changed since)');
    expect(at(run(['search', 'login', '--scan', '--json']).json(), 'engine')).toBe('files');
    expect(at(run(['search', '/log.n/i', '--json']).json(), 'total')).toBe(4);
    expect(at(run(['search', 'ogi', '--substring', '--json']).json(), 'total')).toBe(4);
    for (const text of ['~ogi', '/log.n/i']) expect(run(['search', text]).text).toContain('4 found (1 file read)');
  });

  test.each(['', ' ', '""', '~', '~""', '" "'])('nothing to look for is told: %j', (asked) => {
    const { code, err } = home().run(['search', asked]);
    expect([code, err.split('\n')[0]]).toEqual([2, 'skein: What to search for?']);
  });

  test.each([[`${SESSION}/subagents/agent-a1.jsonl`], ['subagents/agent-a1.jsonl'], ['agent-a1.jsonl']])(
    'L3: what a sub-agent said stands under the title of its session: %s',
    (name) => {
      const { run, root } = home();
      const file = join(root, 'projects', '-work-app', name);
      mkdirSync(dirname(file), { recursive: true });
      const more = { sessionId: SESSION, isSidechain: true, agentId: 'a1', cwd: '/work/app' };
      writeFileSync(file, toJsonl([{ ...user('agentword'), ...more, uuid: 'a-1' }]));
      expect(run(['search', 'agentword']).text).toMatch(/^please mend the Login page 登录/);
      expect(run(['search', '/agentword/']).text).toMatch(/^please mend the Login page 登录/);
    },
  );

  test('a word with a minus is left out, wherever it stands', () => {
    const { run } = home();
    const all = at(run(['search', 'login', '--json']).json(), 'total');
    const less = at(run(['search', 'login -token', '--json']).json(), 'total');
    expect([all, less]).toEqual([3, 2]);
    for (const argv of [
      ['login', '-token'],
      ['-token', 'login'],
      ['login', '--limit', '5', '-token'],
    ]) {
      expect(at(run(['search', ...argv, '--json']).json(), 'total')).toBe(less);
    }
    expect(run(['search', 'login', '--limit', '-5']).code).toBe(2);
    expect(run(['search', '-h']).text).toContain('skein search');
  });

  test('for people: by chat, words marked, no control characters, no line wider than the terminal', () => {
    const { run } = home();
    const { text: shown } = run(['search', 'login', '--color=always'], { COLUMNS: '60' });
    expect(shown).toContain('\u001b[1mLogin\u001b[22m');
    expect(shown).not.toContain('\u001b[31mred');
    const plain = run(['search', 'login'], { COLUMNS: '60', NO_COLOR: '1' }).text;
    expect(plain).not.toContain('\u001b');
    const isCommand = (line: string) => line.startsWith('  skein ') || line.startsWith('  cd ');
    for (const line of plain.split('\n').slice(0, -2))
      if (!isCommand(line)) expect(line.length).toBeLessThanOrEqual(60);
    expect(plain.match(/login/gi)?.length).toBeGreaterThanOrEqual(3);
  });

  test.each([24, 40, 44, 60, 100])(
    'what was found is on its line, with more before it where the text ends: %i columns',
    (columns) => {
      const around = ['so it was said '.repeat(20), '这样说了'.repeat(60)];
      const texts = around.flatMap((each) => [`${each}ibex`, `${each}ibex ${each}`, `ibex ${each}`]);
      const lines = texts.map((each, n) => ({ ...user(each), sessionId: SESSION, uuid: uuidOf(n + 1) }));
      const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl(lines) }, writeFileSync);
      const { text: shown } = skein(['search', 'ibex', '--root', root], { env: { COLUMNS: String(columns) } });
      const hits = shown.split('\n').filter((line) => line.startsWith('  ') && line.includes('ibex'));
      expect(hits).toHaveLength(texts.length);
      for (const line of hits) {
        expect(displayWidth(line)).toBeLessThanOrEqual(columns);
        // Words are not cut; a character of those that stand apart by nothing takes two columns.
        expect(displayWidth(line)).toBeGreaterThan(columns - 20);
      }
    },
  );

  test.each([
    ['login AND token', 'AND was looked for as a word; all words have to be there anyway'],
    ['login OR token', 'OR was looked for as a word; either of two is found by /one|other/i'],
    ['login NOT token', 'NOT was looked for as a word; a minus before a word leaves out what has it: -word'],
    ['"login OR token" or in:prompt', undefined],
    ['OR', undefined],
  ])('what others take for an operator is told to be a word: %s', (words, told) => {
    const { text: shown } = home().run(['search', words]);
    expect(shown).toContain('0 found');
    if (told === undefined) expect(shown).not.toContain('as a word');
    else expect(shown).toContain(told);
  });

  test('a secret is found but not shown', () => {
    const { run } = home();
    for (const prepare of [[], ['archive', 'sync']]) {
      if (prepare.length > 0) run(prepare);
      const masked = run(['search', `~${SECRET}`, '--json']);
      expect([at(masked.json(), 'total'), masked.text.includes(SECRET)]).toEqual([1, false]);
      expect(run(['search', 'token', '--json']).text).not.toContain(SECRET);
      expect(run(['search', 'token', '--json', '--reveal']).text).toContain(SECRET);
    }
  });

  test.each([['scan'], ['index']])(
    'a secret told late is masked in earlier snippets, and nothing is read twice: %s',
    async (how) => {
      const late = 'hunter2xyz-hunter3xyz-hunter4xyz-hunter5xyz-hunter6xyz';
      const lines = [
        user(`caracal: export PGPASSWORD=${late} psql`),
        // A snippet ends within it.
        user(`caracal ${'so '.repeat(54)}${late} please`),
        user(`caracal ${'and so on, '.repeat(20_000)}`),
        ...Array.from({ length: 200 }, () => user('something else '.repeat(1000))),
      ];
      const said = lines.map((line, n) => ({
        ...line,
        sessionId: SESSION,
        uuid: `22222222-2222-4222-8222-${String(n).padStart(12, '0')}`,
        timestamp: new Date(Date.UTC(2026, 0, 2) + n * 1000).toISOString(),
      }));
      const { run } = machine(rootWith({ [`${SESSION}.jsonl`]: toJsonl(said) }, writeFileSync));
      if (how === 'index') await run('archive', 'sync');
      const asked = ['search', 'caracal', '--json', '--sort=date', ...(how === 'scan' ? ['--scan'] : [])];
      const bytesOf = async (...more: string[]) => {
        const before = { ...io };
        const { text } = await run(...asked, ...more);
        return { text, bytes: ioSince(before).bytesRead };
      };
      const revealed = await bytesOf('--reveal');
      const masked = await bytesOf();
      expect(revealed.text).toMatch(/so hunter2xyz-hunter3xyz[a-z0-9-]*…"/);
      expect(revealed.text).not.toContain(`so ${late}`);
      expect(masked.text).toContain('so [password] please');
      expect(masked.text).not.toContain('hunter2xyz');
      expect(masked.bytes).toBe(revealed.bytes);
    },
  );

  test('H1: with an archive a hit belongs to the chat that list shows', () => {
    const root = join(FIXTURES, 'recorded', '1.0.111', 'f-resume');
    const own = tempFolder();
    skein(['archive', 'sync', '--root', root], { home: own });
    const chats = asArray(at(skein(['list', '--root', root, '--json'], { home: own }).json(), 'chats')) ?? [];
    const chatOf = new Map(
      chats.flatMap((chat) => (asArray(at(chat, 'sessions')) ?? []).map((each) => [at(each, 'id'), at(chat, 'id')])),
    );
    expect(chatOf.size).toBeGreaterThan(chats.length);
    const hits =
      asArray(at(skein(['search', 'role:user', '--root', root, '--json'], { home: own }).json(), 'hits')) ?? [];
    expect(hits.length).toBeGreaterThan(1);
    for (const hit of hits) expect(at(hit, 'chat')).toBe(chatOf.get(at(hit, 'session')));
  });

  test.each([['~e'], ['/e/'], ['role:user', '--scan']])('H1: so it does where the files are read: %s', (...asked) => {
    const root = join(FIXTURES, 'recorded', '1.0.111', 'f-resume');
    const own = tempFolder();
    skein(['archive', 'sync', '--root', root], { home: own });
    const [chat] = asArray(at(skein(['list', '--root', root, '--json'], { home: own }).json(), 'chats')) ?? [];
    const sessions = (asArray(at(chat, 'sessions')) ?? []).map((each) => at(each, 'id'));
    const found = skein(['search', ...asked, '--root', root, '--json'], { home: own }).json();
    const hits = (asArray(at(found, 'hits')) ?? []).filter((hit) => sessions.includes(at(hit, 'session')));
    expect(at(found, 'engine')).toBe('files');
    expect(new Set(hits.map((hit) => at(hit, 'session'))).size).toBeGreaterThan(1);
    expect(new Set(hits.map((hit) => at(hit, 'chat')))).toEqual(new Set([at(chat, 'id')]));
    const { text: shown } = skein(['search', ...asked, '--root', root], { home: own });
    expect(shown).toContain(asString(at(chat, 'title')));
  });

  test.each([['index'], ['scan'], ['gone']])(
    'L2: two projects whose folders have one name are told apart: %s',
    (how) => {
      const own = tempFolder();
      const folder = join(own, '.claude', 'projects', '-w-my-app');
      const other = SESSION.replaceAll('1', '2');
      mkdirSync(join(folder, other, 'subagents'), { recursive: true });
      const said = (sessionId: string, more: object) => toJsonl([{ ...user('ibex'), sessionId, ...more }]);
      writeFileSync(join(folder, `${SESSION}.jsonl`), said(SESSION, { uuid: 'a', cwd: '/w/my-app' }));
      writeFileSync(join(folder, `${other}.jsonl`), said(other, { uuid: 'b', cwd: '/w-my/app' }));
      const agent = { uuid: 'c', isSidechain: true, agentId: 'a1' };
      writeFileSync(join(folder, other, 'subagents', 'agent-a1.jsonl'), said(other, agent));
      if (how !== 'scan') skein(['archive', 'sync'], { home: own });
      if (how === 'gone') rmSync(folder, { recursive: true });
      const find = (filter: string) => uuids(skein(['search', 'ibex', filter, '--json'], { home: own }).json()).sort();
      expect([find('project:/w/my-app'), find('project:my-app'), find('project:-w-my-app')]).toEqual([
        ['a'],
        ['a'],
        ['a', 'b', 'c'],
      ]);
      expect([find('project:/w-my/app'), find('project:app/'), find('-project:my-app')]).toEqual([
        ['b', 'c'],
        ['b', 'c'],
        ['b', 'c'],
      ]);
      expect([find('project:w'), find('project:other')]).toEqual([[], []]);
    },
  );

  test('pages', () => {
    const { run } = home();
    const page = (number: number) =>
      run(['search', 'login', '--limit', '2', '--page', String(number), '--json']).json();
    expect([page(1), page(2), page(3)].map((each) => uuids(each).length)).toEqual([2, 1, 0]);
    expect(asNumber(at(page(2), 'offset'))).toBe(2);
    expect(run(['search', 'login', '--limit', '2']).text).toContain('3 found, 1–2 shown; more: --page 2');
  });

  test('a page beyond the last says so', () => {
    const { run } = home();
    expect(run(['search', 'login', '--limit', '2', '--page', '9']).text).toContain('3 found; the last page is 2 (');
  });

  test.each([
    [['search'], 'What to search for?'],
    [['search', '***'], 'There is no word in it.'],
    [['search', '. ,'], `characters themselves: skein search '~". ,"'\n`],
    [['search', '~\u0301'], 'signs alone are none'],
    [['search', 'tool:"'], 'tool: needs a value.'],
    [['search', '--', '-after:7d'], 'at: -after:7d\n  next: Write before:7d'],
    [['search', 'rol:user'], 'Did you mean role:?'],
    [['search', 'branch:main'], 'Did you mean git-branch:?'],
    [['search', 'role:me'], 'role: takes user, assistant, system; not "me".'],
    [['search', 'role:user|assistant'], 'Write role:user role:assistant'],
    [['search', 'role:user,assistant'], 'Write role:user role:assistant'],
    [['search', 'in:thinkin'], 'Write in:thinking'],
    [['search', 'in:assistant'], 'Write role:assistant'],
    [['search', 'role:tool'], 'Write in:tool'],
    [['search', 'tool:Bash|Read'], 'Write tool:Bash tool:Read'],
    [['search', 'model:opus,haiku'], 'model: takes one name; not "opus,haiku".'],
    [['search', 'since:7d'], 'Did you mean after:?'],
    [['search', 'after:soon'], 'after: takes a time; not "soon".'],
    [['search', 'role:'], 'role: needs a value.'],
    [['search', '/(/'], 'Mend the regular expression'],
    [['search', '/a/q'], 'flags i, m, s and u'],
    [['search', 'x', '--limit', '0'], '--limit takes a whole number from 1'],
  ])('%s is wrong usage', (args, told) => {
    const { run } = home();
    const { code, err } = run(args);
    expect([code, err.includes(told) ? told : err]).toEqual([2, told]);
  });

  test.each(['('.repeat(9999), `/${'('.repeat(9999)}/`, `role:${'x'.repeat(9999)}`, `rol:${'x'.repeat(9999)}`])(
    'what is wrong with a query of 10,000 characters is told in a few lines',
    (text) => {
      const { code, err } = home().run(['search', text]);
      expect([code, err.split('\n').length, err.length < 900]).toEqual([2, 4, true]);
    },
  );

  test('a value whose quote is not closed goes on to the end, as a phrase does', () => {
    const { run } = home();
    const found = run(['search', 'login project:"app']).text;
    expect(found).toMatch(/^[1-9]\d* found/m);
    expect(found).toBe(run(['search', 'login project:app']).text);
  });

  test('what cannot be looked at is told with an index as without one', async () => {
    const root = rootWith({ [`${SESSION}.jsonl`]: toJsonl([{ ...user('caracal'), uuid: uuidOf(1) }]) }, writeFileSync);
    symlinkSync('-work-app', join(root, 'projects', '-again'));
    const { run } = machine(root);
    const told = async (...more: string[]) => (await run('search', 'caracal', ...more)).err;
    const before = [await told(), await told('--json')];
    expect(before[0]).toMatch(/^warning: .*-again/);
    await run('archive', 'sync');
    expect((await run('search', 'caracal')).text).toContain('(index)');
    expect([await told(), await told('--json')]).toEqual(before);
  });

  test('nothing found is exit code 1; http: and std:: are words', () => {
    const { run } = home();
    for (const words of ['nosuchword', 'http://nosuch', 'std::vector', '12:30'])
      expect(run(['search', words])).toMatchObject({ code: 1, text: expect.stringContaining('To find more') });
  });
});
