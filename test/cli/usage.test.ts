import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { asArray, asNumber, asObject, at, type Json, type JsonObject } from '../../src/format/json.ts';
import { GROUPINGS } from '../../src/views/usage/rows.ts';
import { agentProgress, assistant, chain, result, text, toJsonl, toolUse } from '../support/build.ts';
import { generateCorpus } from '../support/corpus.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { skein } from '../support/skein.ts';
import { envelope, OPUS, OTHER, rootWith, SESSION, usage } from './usage-reports.ts';

const SUMS = ['messages', 'input', 'output', 'cacheCreation', 'cacheRead', 'unpriced', 'incomplete', 'estimatedOutput'];

function sumOf(rows: readonly Json[], name: string): number {
  return rows.reduce<number>((sum, row) => sum + (asNumber(at(row, name)) ?? 0), 0);
}

describe('generated corpora', () => {
  test.each([
    [1, 4],
    [7, 6],
    [42, 3],
  ])(
    'seed %i: totals are the truth in every grouping, from the files and from the archive',
    async (seed, megabytes) => {
      const { home: root, totals: expected } = generateCorpus({ mb: megabytes, files: 24, seed });
      const { run, env } = machine(root);
      const each = async () => {
        const reports: JsonObject[] = [];
        for (const by of GROUPINGS) reports.push(asObject((await run('usage', '--by', by, '--json')).json()) ?? {});
        return reports;
      };
      const raw = await each();
      expect((await run('archive', 'sync')).code).toBe(0);
      const indexed = await each();
      for (const [place, report] of raw.entries()) {
        const by = GROUPINGS[place] ?? '';
        const rows = asArray(report.rows) ?? [];
        expect(report.totals, by).toMatchObject(expected);
        for (const name of SUMS) expect(sumOf(rows, name), `${by} ${name}`).toBe(at(report.totals, name));
        expect(sumOf(rows, 'costUSD'), by).toBeCloseTo(asNumber(at(report.totals, 'costUSD')) ?? -1, 6);
        expect(report.engine).toBe('files');
        const again = indexed[place] ?? {};
        expect(again.engine, by).toBe('archive');
        expect({ ...again, engine: 0, read: 0 }, by).toEqual({ ...report, engine: 0, read: 0 });
      }
      expect(usage(root, ['--by', 'day', '--timezone', 'Asia/Kathmandu'], { env }).rows).toEqual(
        usage(root, ['--by', 'day', '--timezone', 'Asia/Kathmandu'], { env: { SKEIN_HOME: join(root, 'none') } }).rows,
      );
    },
  );
});

describe('the archive', () => {
  const lines = (from: number, count: number) =>
    chain(
      Array.from({ length: count }, (_, n) =>
        assistant('x', { id: `m${from + n}`, requestId: `r${from + n}`, model: OPUS }),
      ),
      { ...envelope, sessionId: SESSION },
    ).map((line, n) => ({ ...line, uuid: `u${from + n}` }));

  test('what changed since is read from the files, what was deleted still counts', () => {
    const root = rootWith({ [SESSION]: lines(0, 3), [OTHER]: lines(10, 4) });
    const env = { SKEIN_HOME: join(root, 'skein') };
    skein(['archive', 'sync', '--root', root], { env });
    expect(usage(root, [], { env })).toMatchObject({ engine: 'archive', read: 0, totals: { messages: 7 } });
    appendFileSync(join(root, 'projects', '-work-app', `${SESSION}.jsonl`), toJsonl(lines(20, 2)));
    expect(usage(root, [], { env })).toMatchObject({ engine: 'archive', read: 1, totals: { messages: 9 } });
    rmSync(join(root, 'projects', '-work-app', `${OTHER}.jsonl`));
    skein(['archive', 'sync', '--root', root], { env });
    expect(usage(root, [], { env })).toMatchObject({ engine: 'archive', read: 0, totals: { messages: 9 } });
    expect(usage(root, ['--by', 'block'], { env })).toMatchObject({
      engine: 'archive',
      read: 0,
      totals: { messages: 9 },
    });
    skein(['archive', 'rebuild'], { env });
    expect(usage(root, [], { env })).toMatchObject({ engine: 'archive', read: 0, totals: { messages: 9 } });
  });

  test('usage is kept by the first question, whichever it is', () => {
    const root = rootWith({ [SESSION]: lines(0, 3), [OTHER]: lines(10, 4) });
    for (const [number, asked] of [
      ['--by', 'block'],
      ['--cost', 'computed'],
      ['--since', '2020-01-01'],
    ].entries()) {
      const env = { SKEIN_HOME: join(root, `skein${number}`) };
      skein(['archive', 'sync', '--root', root], { env });
      const kept = { engine: 'archive', read: 0, totals: { messages: 7 } };
      expect(usage(root, asked, { env }), asked.join(' ')).toMatchObject(kept);
    }
  });

  test('an index that is gone is made again by whoever asks', () => {
    const root = rootWith({ [SESSION]: lines(0, 3) });
    const env = { SKEIN_HOME: join(root, 'skein') };
    skein(['archive', 'sync', '--root', root], { env });
    rmSync(join(root, 'skein', 'index.db'));
    expect(usage(root, [], { env })).toMatchObject({ engine: 'archive', read: 0, totals: { messages: 3 } });
    // A folder in its place cannot be written: then the files are read.
    rmSync(join(root, 'skein', 'index.db'));
    mkdirSync(join(root, 'skein', 'index.db'));
    expect(usage(root, [], { env })).toMatchObject({ engine: 'files', read: 1, totals: { messages: 3 } });
  });
});

describe('counting', () => {
  test('E4, E18: lines, copies, forks and progress entries are one message, the largest output wins', () => {
    const own = chain(
      [
        assistant('a', { id: 'm1', requestId: 'r1', stop: null, output: 2, model: OPUS }),
        assistant(toolUse('t1', 'Task'), { id: 'm1', requestId: 'r1', output: 50, model: OPUS }),
      ],
      envelope,
    );
    const fork = own.map((line) => ({
      ...line,
      sessionId: OTHER,
      forkedFrom: { sessionId: SESSION, messageUuid: 'u1' },
    }));
    const progress = own.map((line) => ({ ...agentProgress(line), uuid: `p-${line.uuid}` }));
    const root = rootWith({ [SESSION]: [...own, ...progress], [OTHER]: fork });
    expect(usage(root)).toMatchObject({ totals: { messages: 1, output: 50 } });
    const { messages, total } = asObject(skein(['usage', '--root', root, '--explain', '--json']).json()) ?? {};
    expect(total).toBe(1);
    const seen = asArray(at(asArray(messages)?.[0], 'lines')) ?? [];
    expect(seen.map((line) => [at(line, 'counted'), at(line, 'why')])).toEqual([
      [false, 'a line of the same message, less output'],
      [true, 'the most output of 6 lines'],
      [false, 'a copy in a progress entry, less output'],
      [false, 'a copy in a progress entry, the same again'],
      [false, 'a copy in a fork, less output'],
      [false, 'a copy in a fork, the same again'],
    ]);
    expect(seen.map((line) => at(line, 'line'))).toEqual([1, 2, 3, 4, 1, 2]);
  });

  test('E17: incomplete totals are marked, the estimate stands apart', () => {
    const lines = chain([assistant('x'.repeat(400), { id: 'm1', stop: null, output: 1, model: OPUS })], envelope);
    const root = rootWith({ [SESSION]: lines });
    expect(usage(root).totals).toMatchObject({ output: 1, incomplete: 1, estimatedOutput: 100 });
    const { text } = skein(['usage', '--root', root]);
    expect(text).toContain('1*');
    expect(text).toMatch(/incomplete: the client recorded no output of one message \(about 100/);
  });
});

describe('questions', () => {
  const at23 = { timestamp: '2026-01-02T23:30:00.000Z' };
  const at08 = { timestamp: '2026-01-04T08:10:00.000Z' };
  const lines = chain(
    [
      { ...assistant('x', { id: 'm1', model: OPUS }), ...at23 },
      { ...assistant('x', { id: 'm2', model: 'claude-haiku-4-5' }), ...at08, gitBranch: 'dev' },
    ],
    envelope,
  );
  const keys = (report: JsonObject) =>
    (asArray(report.rows) ?? []).map((row) => Object.values(asObject(at(row, 'key')) ?? {}).join(' '));

  test('days of a time zone; since and until include them', () => {
    const root = rootWith({ [SESSION]: lines });
    expect(keys(usage(root))).toEqual(['2026-01-02', '2026-01-04']);
    expect(keys(usage(root, ['--timezone', 'Europe/Berlin']))).toEqual(['2026-01-03', '2026-01-04']);
    expect(keys(usage(root, ['--since', '2026-01-03']))).toEqual(['2026-01-04']);
    expect(keys(usage(root, ['--until', '2026-01-02']))).toEqual(['2026-01-02']);
    expect(keys(usage(root, ['--timezone', 'Europe/Berlin', '--until', '2026-01-03']))).toEqual(['2026-01-03']);
    expect(keys(usage(root, ['--since', '2026-01-04T08:10:00Z', '--by', 'week']))).toEqual(['2025-12-29']);
    expect(keys(usage(root, ['--by', 'block']))).toEqual(['2026-01-02T23:00:00.000Z', '2026-01-04T08:00:00.000Z']);
    expect(keys(usage(root, ['--by', 'branch,model'], {}))).toEqual([`main ${OPUS}`, 'dev claude-haiku-4-5']);
    expect(keys(usage(root, ['--project', 'app', '--model', 'haiku', '--by', 'project']))).toEqual(['/work/app']);
    expect(skein(['usage', '--root', root, '--project', 'nothing', '--json']).code).toBe(1);
  });

  // The zero of Go and of Windows, and what no calendar has.
  test.each(['UTC', 'Europe/Berlin', 'America/New_York', undefined])(
    'times at which nothing can have been said are unknown in every grouping, in %s',
    async (zone) => {
      const far = ['0001-01-01T00:00:00Z', '1601-01-01T00:00:00Z', '-000100-01-01T00:00:00Z', '9999-12-31T23:59:59Z'];
      const times = [...far, '+012345-01-01T00:00:00Z', '1969-12-31T23:59:59Z', '1970-01-01T00:00:00Z'];
      const root = rootWith({
        [SESSION]: chain(
          [...times, '2026-01-02T12:00:00Z'].map((timestamp, n) => ({
            ...assistant('x', { id: `m${n}`, model: OPUS }),
            timestamp,
          })),
          envelope,
        ),
      });
      const { run } = machine(root);
      const zoned = zone === undefined ? [] : ['--timezone', zone];
      const reports = async () => {
        const rows: Record<string, (string | number)[]> = {};
        for (const by of ['day', 'week', 'month', 'block'] as const) {
          const json = asObject((await run('usage', '--by', by, ...zoned, '--json')).json()) ?? {};
          rows[by] = (asArray(json.rows) ?? []).map((row) => String(at(row, 'key', by)));
        }
        return rows;
      };
      const first = zone === 'America/New_York' ? '1969-12-31' : '1970-01-01';
      const fromFiles = await reports();
      expect(fromFiles).toEqual({
        day: [first, '2026-01-02', 'unknown'],
        week: ['1969-12-29', '2025-12-29', 'unknown'],
        month: [first.slice(0, 7), '2026-01', 'unknown'],
        block: ['1970-01-01T00:00:00.000Z', '2026-01-02T12:00:00.000Z', 'unknown'],
      });
      const map = await run('usage', '--heatmap', ...zoned);
      expect([map.code, map.err]).toEqual([0, '']);
      await run('archive', 'sync');
      expect(await reports()).toEqual(fromFiles);
      const count = async (...args: string[]) =>
        at(asObject((await run('usage', ...args, ...zoned, '--json')).json()), 'totals', 'messages');
      expect(await count()).toBe(times.length + 1);
      expect(await count('--until', '2026-01-01')).toBe(1);
      expect(await count('--since', '2026-01-01')).toBe(1);
    },
  );

  test('one chat', () => {
    const root = rootWith({
      [SESSION]: lines,
      [OTHER]: chain([assistant('y', { id: 'n' }, { uuid: 'o1' })], envelope),
    });
    const options = ['--json', '--root', root];
    expect(skein(['usage', SESSION, ...options]).json()).toMatchObject({ totals: { messages: 2 } });
    expect(skein(['usage', ...options]).json()).toMatchObject({ totals: { messages: 3 } });
  });

  test.each([
    [['--by', 'dax'], 'not "dax"'],
    [['--by', 'tool,day'], 'stands alone'],
    [['--since', 'soon'], 'is no time'],
    [['--timezone', 'Mars/Base'], 'no time zone'],
    [['--cost', 'free'], '--cost is'],
  ])('wrong: %j', (args, told) => {
    const ran = skein(['usage', '--root', tempFolder(), ...args]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(told);
  });

  test('L3: an agent whose kind is empty is one whose kind nobody tells', () => {
    const root = rootWith({ [SESSION]: [assistant('x', { id: 'm1' }, { uuid: 'u1', ...envelope })] });
    const folder = join(root, 'projects', '-work-app', SESSION, 'subagents');
    mkdirSync(folder, { recursive: true });
    const line = assistant('y', { id: 'm2' }, { uuid: 'u2', isSidechain: true, ...envelope });
    writeFileSync(join(folder, 'agent-a1.jsonl'), toJsonl([line]));
    writeFileSync(join(folder, 'agent-a1.meta.json'), '{"agentType":""}');
    expect(keys(usage(root, ['--by', 'agent'])).toSorted()).toEqual(['main', 'sub-agent']);
  });

  test('sub-agents by their kind, from every layout that says it', () => {
    const root = join(FIXTURES, 'recorded', '2.1.325', 'd-agent');
    const types = keys(usage(root, ['--by', 'agent']));
    expect(types).toContain('main');
    expect(types.length).toBeGreaterThan(1);
    expect(keys(usage(join(FIXTURES, 'recorded', '2.0.76', 'd-agent'), ['--by', 'agent']))).toContain(
      'general-purpose',
    );
  });
});

test.each([
  [['--limit', '3'], '--limit is for --explain'],
  [['--skip', '3', '--by', 'tool'], '--skip is for --explain'],
  [['--by', 'tool', '--explain'], '--explain tells of messages'],
  [['--by', 'tool', '--heatmap'], '--heatmap tells of messages'],
  [['--by', 'tool', '--prices', 'mine.json'], '--prices tells of messages'],
  [['--explain', '--by', 'model'], 'without --by'],
  [['--by', 'daily'], 'Run: skein usage --by day'],
  [['--by', 'day,blocks'], 'Run: skein usage --by block'],
  [['--by', 'branches'], 'Run: skein usage --by branch'],
  [['--by', 'day,tool'], 'Run: skein usage --by tool'],
  [['--prices', 'nowhere.json'], 'There is no such price table'],
  [['monthly'], 'skein usage --by month'],
  [['daily'], 'skein usage --by day'],
  [['blocks'], 'skein usage --by block'],
  [['reply'], 'See what there is'],
  [['--utc', '--timezone', 'Asia/Tokyo'], 'Leave out one of them'],
  [['--timezone', '-03:30'], 'If it is the value: --timezone=-03:30'],
  [['--explain', '--limit', '-1'], 'If it is the value: --limit=-1'],
])('what would have no effect, or means another, is refused: %j', (args, told) => {
  const { code, err } = skein(['usage', '--root', rootWith({}), ...args]);
  expect(code).toBeGreaterThan(0);
  expect(err).toContain(told);
});

describe('tools', () => {
  test('calls once each, with failures, time and size of results', () => {
    const said = chain(
      [
        assistant([toolUse('t1', 'Read'), toolUse('t2', 'Read'), toolUse('t3', 'Bash')], { id: 'm1' }),
        result('t1', 'x'.repeat(100)),
        result('t2', 'no', { isError: true }),
      ],
      envelope,
    );
    const root = rootWith({ [SESSION]: said, [OTHER]: said.map((line) => ({ ...line, sessionId: OTHER })) });
    const report = usage(root, ['--by', 'tool']);
    expect(asArray(report.rows)).toMatchObject([
      {
        key: { tool: 'Read' },
        calls: 2,
        failures: 1,
        timed: 2,
        durationMs: 3000,
        resultCharacters: 102,
        largestResult: 100,
      },
      { key: { tool: 'Bash' }, calls: 1, pending: 1, timed: 0 },
    ]);
    expect(report.totals).toMatchObject({ calls: 3, failures: 1, pending: 1 });
    expect(skein(['usage', '--root', root, '--by', 'tool']).text).toMatch(/Read +2 +1/);
  });

  test('H1: calls that were copied into a session of another project are of one project, as their messages are', () => {
    const calls = [assistant([toolUse('t1', 'Read'), toolUse('t2', 'Bash')], { id: 'm1' }), result('t1', 'x')];
    const of = (cwd: string) => chain(calls, { ...envelope, cwd });
    const root = rootWith({ [SESSION]: of('/work/app') });
    const other = join(root, 'projects', '-work-copy');
    mkdirSync(other);
    writeFileSync(join(other, `${OTHER}.jsonl`), toJsonl(of('/work/copy')));
    for (const [project, messages, made] of [
      ['app', 1, 2],
      ['copy', 0, 0],
    ])
      expect([
        project,
        at(usage(root, ['--project', `${project}`]), 'totals', 'messages'),
        at(usage(root, ['--by', 'tool', '--project', `${project}`]), 'totals', 'calls'),
      ]).toEqual([project, messages, made]);
  });
});

describe('for people', () => {
  const lines = chain(
    Array.from({ length: 30 }, (_, n) => ({
      ...assistant([text('x'), toolUse(`t${n}`, 'Bash')], { id: `m${n}`, model: OPUS, output: n * 100 }),
      timestamp: new Date(Date.UTC(2026, 0, 2 + n)).toISOString(),
    })),
    { ...envelope, cwd: '/work/日本語のとても長いプロジェクト名前' },
  );

  test.each([40, 60, 100, 160])('%i columns are kept, with wide characters', (columns) => {
    const root = rootWith({ [SESSION]: lines });
    const env = { COLUMNS: String(columns), LANG: 'C.UTF-8' };
    for (const args of [
      ['--plot'],
      ['--by', 'project,model', '--plot'],
      ['--heatmap'],
      ['--by', 'tool'],
      ['--explain'],
    ]) {
      const { text } = skein(['usage', '--root', root, ...args], { env });
      expect(text).not.toContain('\u001b');
      if (args[0] === '--explain') continue;
      for (const line of text.split('\n')) expect(stringWidth(line), `${args}: ${line}`).toBeLessThanOrEqual(columns);
    }
  });

  test('bars and calendar: Unicode, plain characters where asked or where the locale has no others', () => {
    const root = rootWith({ [SESSION]: lines });
    const plot = (args: string[], env: Record<string, string>) =>
      skein(['usage', '--root', root, ...args], { env }).text;
    expect(plot(['--plot'], { LANG: 'C.UTF-8' })).toContain('█');
    expect(plot(['--plot', '--ascii'], { LANG: 'C.UTF-8' })).toMatch(/#{5}/);
    expect(plot(['--heatmap'], { LANG: 'C' })).not.toContain('█');
    expect(plot(['--heatmap'], { LANG: 'C.UTF-8' })).toMatch(/Mon .*[░▒▓█]/);
    expect(plot([], {})).not.toContain('█');
    expect(plot([], {})).toMatch(/prices: @pydantic\/genai-prices .* of 2026-\d\d-\d\d/);
  });
});

test.each(readdirSync(join(FIXTURES, 'recorded')))('recordings of %s give a report', (version) => {
  const [scenario = ''] = readdirSync(join(FIXTURES, 'recorded', version)).sort();
  const { totals } = usage(join(FIXTURES, 'recorded', version, scenario));
  expect(asNumber(at(totals, 'messages'))).toBeGreaterThan(0);
});
