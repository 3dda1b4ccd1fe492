import { appendFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rebuildIndex, updateIndex } from '../../../src/archive/index/textindex.ts';
import { QueryError } from '../../../src/views/search/query.ts';
import { assistant, result, text, toJsonl, toolUse, uuidOf } from '../../support/build.ts';
import { entry, FORK, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';
import { inFiles, inIndex, searchable, searchableRoot } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const OTHER = `${PLACE}/${FORK}.jsonl`;
const UUID = '3f2a6c1e-9b7d-4c55-8e21-0d4f6a7b8c9d';

describe('a result that stands before its call (E12)', () => {
  const line = (number: number, json: object) => toJsonl([{ ...json, uuid: uuidOf(number), sessionId: SESSION }]);
  const early = line(1, result('t1', 'earlyword'));
  const call = line(2, assistant([toolUse('t1', 'Read', { file_path: '/work/app/x.ts' })]));

  test('is found by its tool and file, in the index as in the files', () => {
    const { find } = searchable({ [NAME]: early + call });
    for (const text of ['earlyword tool:Read', 'earlyword file:x.ts']) expect(find(text).total).toBe(1);
    expect(find('earlyword tool:Bash').total).toBe(0);
    expect(find('earlyword -tool:Read').total).toBe(0);
  });

  test('also when the call is archived later', () => {
    const { archive, root } = searchable({ [NAME]: early });
    expect(inIndex(archive, root, 'earlyword tool:Read').total).toBe(0);
    appendFileSync(join(root, NAME), call);
    syncRoot(archive, root);
    updateIndex(archive);
    expect(inIndex(archive, root, 'earlyword tool:Read')).toMatchObject({ total: 1, scanned: 0 });
  });
});

test('a last line that was half written when it was archived is found once when it is whole', () => {
  const whole = entry('b', SESSION, 'torn word and more');
  const half = whole.slice(0, whole.indexOf('and more'));
  const { archive, root } = searchable({ [NAME]: entry('a') + half });
  expect(inIndex(archive, root, 'torn').total).toBe(1);
  appendFileSync(join(root, NAME), whole.slice(half.length));
  const { total, hits } = inIndex(archive, root, 'torn');
  expect([total, hits[0]?.uuid]).toEqual([1, 'b']);
  expect(inFiles(root, 'torn').total).toBe(1);
  // Of a file that shrank only the archive has it.
  writeFileSync(join(root, NAME), entry('a'));
  expect(inIndex(archive, root, 'torn').total).toBe(1);
});

describe('what stands under the name of a session id', () => {
  test.each(['sessionId', 'session_id'])('in a call is a word like others: %s', (name) => {
    const call = assistant([toolUse('t1', 'mcp__browser__click', { [name]: 'browser-quokka-7' })]);
    // Clients write the session's own after the message.
    const line = { ...call, uuid: uuidOf(1), sessionId: SESSION };
    const { find, archive } = searchable({ [NAME]: toJsonl([line]) });
    expect(find('quokka').total).toBe(1);
    rebuildIndex(archive);
    expect(find('quokka').total).toBe(1);
    expect(find(SESSION).total).toBe(0);
  });

  test('in a damaged line does not make it two when its file has grown', () => {
    const torn = entry('b', SESSION, 'quokka').replace(/"\}+\n$/, '\n');
    const { archive, root, find } = searchable({ [NAME]: entry('a') + torn + entry('c') });
    expect([find('quokka').total, find(SESSION).total]).toEqual([1, 1]);
    appendFileSync(join(root, NAME), entry('d'));
    expect(inIndex(archive, root, 'quokka')).toMatchObject({ total: 1, scanned: 1 });
  });
});

describe('a last line without its end', () => {
  const call = { ...assistant([toolUse('t1', 'Bash', { command: 'ls', file_path: '/work/b.ts' })]), uuid: uuidOf(1) };
  const last = { ...result('t1', 'tailword'), uuid: uuidOf(2) };

  test('is about what its call was about', () => {
    const { find } = searchable({ [NAME]: toJsonl([call, last]).trimEnd() });
    for (const text of ['tool:Bash tailword', 'file:b.ts tailword', '-tool:Read tailword'])
      expect([text, find(text).total]).toEqual([text, 1]);
    for (const text of ['-tool:Bash tailword', '-file:b.ts tailword', 'tool:Read tailword'])
      expect([text, find(text).total]).toEqual([text, 0]);
  });
});

test.each(['gitBranch', 'model', 'name'])('an empty name counts as none: %s', (name) => {
  const call = toolUse('t1', name === 'name' ? '' : 'Bash', { command: 'ls' });
  const line = assistant([call], { model: name === 'model' ? '' : 'claude-test' });
  const more = { sessionId: SESSION, gitBranch: name === 'gitBranch' ? '' : 'main' };
  const { find } = searchable({
    [NAME]: toJsonl([
      { ...line, ...more, uuid: uuidOf(1) },
      { ...result('t1', 'ok'), ...more, uuid: uuidOf(2) },
    ]),
  });
  const filter = { gitBranch: 'git-branch', model: 'model', name: 'tool' }[name];
  expect(find(`${filter}:*`).total).toBe(0);
  expect(find(`-${filter}:*`).total).toBe(2);
});

test.each([
  ['first', 1, 2],
  ['last', 2, 1],
])("the client's fork, which keeps the uuids, gives the original: written %s", (_, original, fork) => {
  const line = { ...assistant([text('forkedword')]), uuid: UUID, sessionId: SESSION };
  const forked = { ...line, sessionId: FORK, forkedFrom: { sessionId: SESSION, messageUuid: UUID } };
  const root = rootOf({ [NAME]: toJsonl([line]), [OTHER]: toJsonl([forked]) });
  utimesSync(join(root, NAME), original, original);
  utimesSync(join(root, OTHER), fork, fork);
  const { archive } = searchableRoot(root);
  for (const { total, hits } of [inIndex(archive, root, 'forkedword'), inFiles(root, 'forkedword')])
    expect([total, hits.map(({ session }) => session)]).toEqual([1, [SESSION]]);
  // The fork alone.
  writeFileSync(join(root, NAME), '');
  expect(inFiles(root, 'forkedword').hits.map(({ session }) => session)).toEqual([FORK]);
});

test('two chats with the same summary are two hits; one that is written again is one', () => {
  const summary = (leaf: number) => toJsonl([{ type: 'summary', summary: 'Samesummary', leafUuid: uuidOf(leaf) }]);
  const { find } = searchable({
    [NAME]: entry('a') + summary(1) + summary(1),
    [OTHER]: entry('c', FORK) + summary(1) + summary(2),
  });
  expect(find('samesummary').total).toBe(2);
});

test('of two lines with one uuid (E12) the one that was found is shown', () => {
  const { archive, root } = searchable({
    [NAME]:
      entry('a', SESSION, 'first alpha') + entry('a', SESSION, 'second beta') + entry('b', SESSION, 'third gamma'),
  });
  const shown = (text: string) => inIndex(archive, root, text).hits.map(({ snippet }) => snippet);
  expect([shown('alpha'), shown('beta'), shown('gamma')]).toEqual([['first alpha'], ['second beta'], ['third gamma']]);
});

test('a path is words; what is nearly a regular expression is told', () => {
  const { find } = searchable({ [NAME]: entry('a', SESSION, 'see /usr/local/bin and /etc/hosts') });
  for (const text of ['/usr/local/bin', '/etc/hosts', '/usr/local/bin /etc/hosts']) expect(find(text).total).toBe(1);
  expect(find('-/etc/hosts see').total).toBe(0);
  for (const text of ['/a/q', '/etc/gi', '/TODO\\(/bin']) expect(() => find(text)).toThrow(QueryError);
});

test('a word that is written as an option is looked for, one behind a single minus left out', () => {
  const pushed = entry('a', SESSION, 'git push --force') + entry('b', SESSION, 'git push');
  const { find } = searchable({ [NAME]: pushed });
  const uuids = (text: string) => find(text).hits.map(({ uuid }) => uuid);
  expect([uuids('git push --force'), uuids('--force'), uuids('push -force')]).toEqual([['a'], ['a'], ['b']]);
  expect(() => find('--role:user')).toThrow(QueryError);
});

test('a name with many stars is compared at once', () => {
  const call = assistant([toolUse('t1', 'Read', { file_path: `/${'a'.repeat(4000)}` })]);
  const { find } = searchable({ [NAME]: toJsonl([{ ...call, uuid: uuidOf(2), sessionId: SESSION }]) });
  expect(find(`file:${'*a'.repeat(40)}*b`).total).toBe(0);
  expect(find(`file:${'*a'.repeat(40)}*`).total).toBe(1);
});

describe('a query as long as it may be', () => {
  test.each([
    [
      'words of a phrase',
      '"',
      Array.from({ length: 4000 }, (_, n) => `w${n}`)
        .join(' ')
        .slice(0, 19_000),
      '"',
    ],
    ['letters joined by signs', '', 'a:'.repeat(9000), ''],
    ['characters', '', '登录错误'.repeat(4500), ''],
    ['emoji', '', '🚀'.repeat(9000), ''],
    ['one word with accents', '', 'é'.repeat(19_000), ''],
  ])('is found: %s', (_, before, long, after) => {
    const { find } = searchable({
      [NAME]: entry('a', SESSION, `see ${long} there`) + entry('b', SESSION, 'é see a: 登'),
    });
    const { total, hits } = find(`${before}${long}${after}`);
    expect([total, hits[0]?.uuid]).toEqual([1, 'a']);
    expect(find(`${before}${long}x${after}`).total).toBe(0);
    expect(find(`see -${before}${long}${after}`).hits.map(({ uuid }) => uuid)).toEqual(['b']);
  });

  test('is found: a part of the text', () => {
    const long = 'é à'.repeat(6000);
    const { root } = searchable({ [NAME]: entry('a', SESSION, `see ${long} there`) });
    expect([`~"${long}"`, `~"${long}x"`].map((query) => inFiles(root, query).total)).toEqual([1, 0]);
  });

  test.each(['a ', 't* ', '"see a" '])('is found: thousands of times the same: %s', (item) => {
    const long = item.repeat(Math.floor(19_000 / item.length));
    const { find } = searchable({
      [NAME]: Array.from({ length: 300 }, (_, n) => entry(`e${n}`, SESSION, `see a text ${n}`)).join(''),
    });
    expect([find(long).total, find(`text -${item}`).total]).toEqual([300, 0]);
  });

  test('thousands of parts of a text are marked', () => {
    const { root } = searchable({ [NAME]: entry('a', SESSION, `abc ${'x'.repeat(100_000)}`) });
    const { hits } = inFiles(root, '~ab '.repeat(4000));
    expect(hits.map(({ highlights }) => highlights)).toEqual([[{ start: 0, end: 2 }]]);
  });
});

test('what is nothing is not marked', () => {
  const { root } = searchable({ [NAME]: entry('a', SESSION, 'bcbc a bcbc') });
  const marked = (text: string) => inFiles(root, text).hits.map(({ highlights }) => highlights);
  expect(marked('/a?/')).toEqual([[{ start: 5, end: 6 }]]);
  expect(marked('/x*/')).toEqual([[]]);
});

describe('a regular expression that takes for ever', () => {
  const letters = 'a'.repeat(60);

  test('is stopped and told, and another one is answered after it', () => {
    const { root } = searchable({ [NAME]: entry('a') + entry('b', SESSION, `${letters}!`) });
    for (const text of ['/(a+)+$/', '/(?=(a+)+$)/', '/^(a|a)*\\1$/']) {
      const error = caught(() => inFiles(root, text, { leastMs: 200 }));
      expect(error).toBeInstanceOf(QueryError);
      expect(error).toMatchObject({ what: expect.stringContaining('too long'), where: join(root, NAME) });
    }
    expect(inFiles(root, '/a{60}!$/').total).toBe(1);
  });

  test('so is one that takes long in each of many files', () => {
    const slow = entry('b', SESSION, `${'a'.repeat(26)}!`);
    const names = Array.from({ length: 40 }, (_, n) => NAME.replace('.jsonl', `-${n}.jsonl`));
    const { root } = searchable(Object.fromEntries(names.map((name) => [name, slow])));
    expect(caught(() => inFiles(root, '/(a+)+$/', { leastMs: 1000 }))).toBeInstanceOf(QueryError);
  });

  test('files are closed again', () => {
    const { root } = searchable({ [NAME]: entry('b', SESSION, `${letters}!`) });
    const before = openDescriptors();
    for (let n = 0; n < 3; n += 1) caught(() => inFiles(root, '/(a+)+$/', { leastMs: 100 }));
    expect(openDescriptors()).toBe(before);
  });
});

function caught(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

function openDescriptors(): number {
  return process.getBuiltinModule('node:fs').readdirSync(process.platform === 'linux' ? '/proc/self/fd' : '/dev/fd')
    .length;
}
