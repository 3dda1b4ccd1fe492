import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { placesOfPiece } from '../../../src/archive/pieces/pieceplaces.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import {
  agentProgress,
  assistant,
  attachment,
  progress,
  queueOperation,
  result,
  text,
  thinking,
  toJsonl,
  toolUse,
  user,
  uuidOf,
} from '../../support/build.ts';
import { entry, FORK, PLACE, rootOf, SESSION } from '../helpers.ts';
import { inFiles, searchable, searchableRoot } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const at = (number: number, line: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...line,
  uuid: uuidOf(number),
  timestamp: `2026-01-0${number}T10:00:00Z`,
  sessionId: SESSION,
  ...more,
});

const LINES = [
  queueOperation('enqueue', 'please mend the Login page'),
  queueOperation('dequeue'),
  at(1, user('please mend the Login page'), { gitBranch: 'main' }),
  at(2, assistant([thinking('a secret thought'), text('Déjà vu, said the façade')], { model: 'claude-opus-4-5' })),
  at(3, assistant([toolUse('t3', 'Bash', { command: 'grep -r quokka', nested: { deep: ['wombat'] } })])),
  at(4, result('t3', 'outputword and more', { toolUseResult: { stdout: 'onlyclientword' } })),
  at(5, assistant([toolUse('t5', 'Read', { file_path: '/work/app/src/deep/json.ts' })])),
  at(6, result('t5', [{ type: 'text', text: 'arrayword failed' }], { isError: true })),
  at(7, user('帮我修复登录错误、文件'), { gitBranch: 'feature/x' }),
  at(8, user('<system-reminder>contextword</system-reminder>typedword')),
  at(9, user('de\u0301compose\u0301 \u1112\u1161\u11ab글 🚀 user_id')),
  { type: 'summary', summary: 'Titleword of the chat', leafUuid: uuidOf(2) },
  { type: 'custom-title', customTitle: 'Namedword', sessionId: SESSION },
  { type: 'last-prompt', lastPrompt: 'please mend the Login page', sessionId: SESSION },
  { ...progress({ type: 'bash_progress', output: 'outputword' }), uuid: uuidOf(30) },
  { ...attachment('hook_success', {}), attachment: { type: 'hook_success', content: 'hookword' }, uuid: uuidOf(31) },
];

describe('what is found, with and without the index', () => {
  test.each<[string, (number | undefined)[]]>([
    ['login', [1]],
    ['LOGIN mend', [1]],
    ['"mend the login"', [1]],
    ['"login mend"', []],
    ['log', []],
    ['log*', [1]],
    ['"the log"*', [1]],
    ['mend -login', []],
    ['mend -nosuch', [1]],
    ['secret', [2]],
    ['deja', [2]],
    ['DÉJÀ facade', [2]],
    ['quokka', [3]],
    ['wombat Bash', [3]],
    ['outputword', [4]],
    ['onlyclientword', []],
    ['arrayword', [6]],
    ['登录', [7]],
    ['录登', []],
    ['误文', []],
    ['错误文件', []],
    ['"错误 文件"', [7]],
    ['修复* -quokka', [7]],
    ['typedword', [8]],
    ['contextword', [8]],
    ['décomposé', [9]],
    ['한글', [9]],
    ['🚀', [9]],
    ['user_id', [9]],
    ['titleword', [undefined]],
    ['namedword', [undefined]],
    ['hookword', [31]],
    ['unreadableword', [undefined]],
    ['tornword', [undefined]],
    ['fileword', []],
    ['NOT', []],
    ['in:thinking secret', [2]],
    ['in:answer secret', []],
    ['in:tool tool:bash', [3, 4]],
    ['tool:Bash -in:input', [4]],
    ['tool:B*', [3, 4]],
    ['file:json.ts', [5, 6]],
    ['file:deep/*.ts in:result', [6]],
    ['is:error', [6]],
    ['is:error arrayword -is:error', []],
    ['role:assistant -in:tool', [2, 2]],
    ['model:opus', [2, 2]],
    ['git-branch:feature/*', [7]],
    ['git-branch:feature', []],
    ['after:2026-01-07 before:2026-01-08', [7]],
    ['after:2026-01-07 after:2026-01-09 before:2026-01-08 before:2026-01-02', [7]],
    ['after:2026-01-09 after:2026-01-07 before:2026-01-02 before:2026-01-08', [7]],
    ['mend after:2026-01-02', []],
    ['project:app mend', [1]],
    ['project:/work/app mend', [1]],
    ['project:other mend', []],
    ['-project:other mend', [1]],
    [`session:${SESSION.slice(0, 6)} mend`, [1]],
    ['session:9999 mend', []],
  ])('%s', (query, numbers) => {
    const torn = `{"type":"user","message":{"role":"user","content":"tornword`;
    const { find } = searchable({
      [NAME]: `${toJsonl(LINES)}{"broken unreadableword\n${torn}`,
      [`${PLACE}/${SESSION}/tool-results/x.txt`]: 'a fileword\n',
    });
    const uuids = numbers.map((number) => (number === undefined ? undefined : uuidOf(number)));
    const found = find(query).hits.map(({ uuid }) => uuid);
    expect(found.toSorted()).toEqual(uuids.toSorted());
  });

  test('a hit says where it stands and what is around it', () => {
    const { find } = searchable({ [NAME]: toJsonl(LINES) });
    const [hit] = find('quokka').hits;
    expect(hit).toMatchObject({ session: SESSION, role: 'assistant', where: 'tool_input', tool: 'Bash' });
    expect(hit?.highlights.map(({ start, end }) => hit.snippet.slice(start, end))).toEqual(['quokka']);
    const [chinese] = find('登录').hits;
    expect(chinese?.highlights.map(({ start, end }) => chinese.snippet.slice(start, end))).toEqual(['登录']);
  });
});

describe('copies are found once', () => {
  const asArray = entry('a').replace(/"content":"([^"]+)"/, '"content":[{"type":"text","text":"$1"}]');

  test('H1: whether their bytes agree or not', () => {
    const { find, archive } = searchable({
      [NAME]: entry('a', SESSION),
      [`${PLACE}/${FORK}.jsonl`]: entry('a', FORK),
      [`${PLACE}/33333333-3333-4333-8333-333333333333.jsonl`]: asArray,
    });
    expect(find('text').total).toBe(1);
    expect(placesOfPiece(archive.db, 1)).toHaveLength(2);
  });

  test.each([
    ['the first by name', SESSION, FORK],
    ['the last by name', FORK, SESSION],
  ])('H1: of copies that are written otherwise the oldest file is named, %s', (_, original, copy) => {
    const root = rootOf({
      [`${PLACE}/${original}.jsonl`]: entry('a', original),
      [`${PLACE}/${copy}.jsonl`]: asArray.replace(SESSION, copy),
    });
    for (const [id, time] of [
      [original, 1000],
      [copy, 2000],
    ] as const)
      utimesSync(join(root, PLACE, `${id}.jsonl`), time, time);
    const { find } = searchableRoot(root);
    for (const { hits } of [find('text'), inFiles(root, 'text')])
      expect(hits.map(({ session }) => session)).toEqual([original]);
  });

  test('H1: a fork whose entries have new uuids', () => {
    const line = at(1, user('forkedword'));
    const fork = { ...at(2, user('forkedword')), forkedFrom: { sessionId: SESSION, messageUuid: uuidOf(1) } };
    const { find } = searchable({ [NAME]: toJsonl([line]), [`${PLACE}/${FORK}.jsonl`]: toJsonl([fork]) });
    expect(find('forkedword').hits.map(({ uuid }) => uuid)).toEqual([uuidOf(1)]);
  });

  test('E18: the entry of a sub-agent that its session repeats', () => {
    const line = at(1, assistant([text('agentword')]), { isSidechain: true, agentId: 'a1' });
    const { find } = searchable({
      [NAME]: toJsonl([at(2, user('go')), { ...agentProgress(line), uuid: uuidOf(3) }]),
      [`${PLACE}/${SESSION}/subagents/agent-a1.jsonl`]: toJsonl([line]),
    });
    const { total, hits } = find('agentword');
    expect([total, hits[0]?.agent, hits[0]?.session, hits[0]?.uuid]).toEqual([1, 'a1', SESSION, uuidOf(1)]);
  });

  test('E18: and is found where only the session still has it', () => {
    const line = at(1, assistant([text('agentword')]));
    const { find } = searchable({ [NAME]: toJsonl([{ ...agentProgress(line), uuid: uuidOf(3) }]) });
    expect(find('agentword in:answer').hits.map(({ session, uuid }) => [session, uuid])).toEqual([
      [SESSION, uuidOf(1)],
    ]);
  });
});

test('L1: a line longer than a piece is one entry', () => {
  const long = at(1, user(`startword ${'x '.repeat(3 << 20)} endword`));
  const { find } = searchable({ [NAME]: toJsonl([long, at(2, user('startword'))]) });
  expect(find('startword endword').hits.map(({ uuid }) => uuid)).toEqual([uuidOf(1)]);
});
