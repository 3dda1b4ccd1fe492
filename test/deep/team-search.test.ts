/** Searches of a team beside those of the archive: all kinds of questions, and random ones over random sessions. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { PUSHED } from '../../src/team/schema/tables.ts';
import { wordListOf } from '../../src/views/search/words.ts';
import { assistant, chain, result, text, thinking, toJsonl, toolUse, user } from '../support/build.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { type Machine, pushed } from '../support/team.ts';
import { askBoth, isByTime, plain, settled } from '../team/search-both.ts';
import { PARTS, WORDS, writeCorpus } from '../team/search-corpus.ts';

let engine: ClickHouse;
const folders: string[] = [];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'skein-test-'));
  folders.push(made);
  return made;
}

async function pushedTo(root: string): Promise<Machine> {
  for (const table of PUSHED) await engine.admin.command(`TRUNCATE TABLE ${table}`);
  const machine = await pushed(root, engine);
  folders.push(machine.home);
  return machine;
}

beforeAll(async () => {
  engine = await startClickHouse({ record: false });
});
afterAll(async () => {
  await engine.stop();
  for (const each of folders) rmSync(each, { recursive: true, force: true });
});

describe('four small sessions', () => {
  let machine: Machine;
  beforeAll(async () => {
    const root = folder();
    writeCorpus(root);
    machine = await pushedTo(root);
  });

  test.each([...WORDS, ...PARTS])('%s', async (words) => {
    const { kept, team } = await askBoth(machine, engine.admin, words);
    expect(team.total).toBe(kept.total);
    expect(settled(team.hits)).toEqual(settled(kept.hits));
    expect(isByTime(team.hits)).toBe(true);
  });

  test.each([
    'login',
    'login the',
    'a b',
    'auth* login',
    '"a b" a',
    '哈哈 a',
    '"a a" b',
    '"the the" login',
    'the -docker',
  ])('by rank: %s', async (words) => {
    const { kept, team } = await askBoth(machine, engine.admin, words, { sort: 'rank' });
    expect(team.hits.map(plain)).toEqual(kept.hits.map(plain));
  });
});

const PIECES = [
  ...[
    'a',
    'b',
    'aa',
    'Login',
    'login',
    'authentic',
    'word',
    '1',
    '42',
    ' ',
    ' ',
    ' ',
    ' ',
    '\n',
    '-',
    '.',
    "'",
    '\\',
    '"',
  ],
  ...[
    'é',
    'e\u0301',
    'É',
    'ß',
    'Σ',
    'ς',
    'й',
    '\u212a',
    'İ',
    '中',
    '文',
    '，',
    'が',
    '한',
    'ก',
    'ำ',
    'ー',
    '→',
    '🚀',
    '👩‍💻',
    '豈',
  ],
];
const texts = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 16 }).map((parts) => parts.join(''));

const turn = fc.record({
  says: texts,
  thinks: texts,
  asks: texts,
  gives: texts,
  tool: fc.constantFrom('Bash', 'Read'),
  fails: fc.boolean(),
});
const session = fc.record({
  project: fc.constantFrom('shop', 'api'),
  branch: fc.constantFrom('main', 'dev'),
  turns: fc.array(turn, { minLength: 1, maxLength: 4 }),
  /** How many lines of the session before it begins with. */
  repeats: fc.nat(6),
});
const sessions = fc.array(session, { minLength: 1, maxLength: 5 });

interface Session {
  readonly project: string;
  readonly branch: string;
  readonly turns: readonly {
    says: string;
    thinks: string;
    asks: string;
    gives: string;
    tool: string;
    fails: boolean;
  }[];
  readonly repeats: number;
}

function write(root: string, made: readonly Session[]): string[] {
  let before: JsonObject[] = [];
  const said: string[] = [];
  for (const [place, { project, branch, turns, repeats }] of made.entries()) {
    const id = `${place}0000000-0000-4000-8000-000000000000`;
    const own = turns.flatMap(({ says, thinks, asks, gives, tool, fails }, at) => {
      const call = `t${place}-${at}`;
      said.push(says, thinks, asks, gives);
      return [
        user(asks),
        assistant([thinking(thinks), text(says), toolUse(call, tool, { command: says, file_path: `/x/${tool}.ts` })]),
        result(call, gives, { isError: fails }),
      ];
    });
    const stamped = own.map(
      (line, at): JsonObject => ({
        ...line,
        uuid: `${place}000000${at % 10}-0000-4000-8000-0000000000${String(at).padStart(2, '0')}`,
        timestamp: new Date(Date.UTC(2026, 0, 2 + place, 10, 0, at)).toISOString(),
      }),
    );
    const entries = chain([...before.slice(0, repeats), ...stamped], { cwd: `/work/${project}`, gitBranch: branch });
    const lines = entries.map((line): JsonObject => ({ ...line, sessionId: id }));
    const file = join(root, 'projects', `-work-${project}`, `${id}.jsonl`);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, toJsonl(lines));
    utimesSync(file, new Date(Date.UTC(2026, 0, 2 + place)), new Date(Date.UTC(2026, 0, 2 + place)));
    before = lines;
  }
  return said;
}

const FILTERS = [
  '',
  '',
  'role:user',
  '-role:user',
  'tool:Bash',
  'is:error',
  'in:answer',
  'project:shop',
  'git-branch:dev',
  'session:1000',
  'after:2026-01-03',
];

/** Words that stand somewhere, as a phrase, a beginning, a part; wanted or not. */
function questionsOf(said: readonly string[], seeds: readonly number[]): string[] {
  return seeds.map((seed) => {
    const pick = (count: number, salt: number) => Math.floor(seed / 7 ** salt) % count;
    const from = said[pick(said.length, 0)] ?? '';
    const words = wordListOf(from).filter((word) => !/[\ue000"]/.test(word));
    const start = pick(Math.max(1, words.length), 1);
    const phrase = words.slice(start, start + 1 + pick(3, 2)).join(' ');
    const other = wordListOf(said[pick(said.length, 3)] ?? '')[0] ?? 'b';
    const part = from.slice(pick(from.length, 1), pick(from.length, 1) + 1 + pick(4, 2)).replaceAll('"', '');
    const kinds = [
      phrase,
      `"${phrase}"`,
      `"${phrase.slice(0, -1) || phrase}"*`,
      `${phrase} ${other}`,
      `${phrase} -${other}`,
      `-"${phrase}"`,
      `~"${part}"`,
    ];
    return `${kinds[pick(kinds.length, 4)] ?? ''} ${FILTERS[pick(FILTERS.length, 5)] ?? ''}`;
  });
}

test('random sessions and questions', { timeout: 900_000 }, async () => {
  let found = 0;
  const seeds = fc.array(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { minLength: 30, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(sessions, seeds, async (made, numbers) => {
      const root = folder();
      const said = write(root, made);
      const machine = await pushedTo(root);
      for (const words of questionsOf(said, numbers)) {
        if (wordListOf(words).length === 0 && !words.includes('~') && !words.includes(':')) continue;
        const { kept, team } = await askBoth(machine, engine.admin, words);
        expect([words, team.total]).toEqual([words, kept.total]);
        expect([words, settled(team.hits)]).toEqual([words, settled(kept.hits)]);
        expect(isByTime(team.hits)).toBe(true);
        found += team.total;
      }
    }),
    { numRuns: 15 },
  );
  expect(found).toBeGreaterThan(500);
});
