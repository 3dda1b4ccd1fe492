/** What `skein usage` says to people: names, times, what to do next. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { dispatch } from '../../src/cli/main.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { asArray, asObject, at, parseJson } from '../../src/format/json.ts';
import { tokenText } from '../../src/views/usage/amounts.ts';
import { assistant, toJsonl } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { contextHere, machine } from '../support/inprocess.ts';
import { envelope, OPUS, rootWith, SESSION } from './usage-reports.ts';

const said = (id: string, timestamp: string, more = {}) => ({
  ...assistant('x', { id, requestId: `r-${id}`, model: OPUS }),
  ...envelope,
  uuid: `u-${id}`,
  timestamp,
  ...more,
});

interface Asking {
  readonly now?: string;
  readonly columns?: number;
  readonly isTerminal?: boolean;
}

/** On a terminal, at a time of its own. */
async function usageAt(root: string, argv: readonly string[], { now, columns = 100, isTerminal = false }: Asking = {}) {
  const { env } = machine(root);
  const { context, err } = contextHere(env);
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  const out = openTerminal(stream, { isTerminal, columns, color: 'never', env: { ...env, COLUMNS: String(columns) } });
  const time = now === undefined ? context.now() : new Date(now);
  const code = await dispatch({ ...context, out, now: () => time }, ['usage', ...argv]);
  return { code, text: Buffer.concat(chunks).toString('utf8'), err: Buffer.concat(err).toString('utf8') };
}

describe('days', () => {
  // In New York 2026-03-08 has 23 hours, 2026-11-01 has 25.
  test.each([
    ['2026-03-09T04:30:00Z', '2026-03-08', '2026-03-09'],
    ['2026-11-02T04:30:00Z', '2026-10-31', '2026-11-01'],
    ['2026-06-02T04:30:00Z', '2026-06-01', '2026-06-02'],
  ])('yesterday at %s is %s, and today %s, where days have not 24 hours', async (now, yesterday, today) => {
    const days = [-2, -1, 0, 1].map((more) => {
      const noon = new Date(Date.parse(`${today}T17:00:00Z`) + more * 86_400_000).toISOString();
      return said(`m${more}`, noon);
    });
    const root = rootWith({ [SESSION]: days });
    for (const [word, day] of [
      ['yesterday', yesterday],
      ['today', today],
    ] as const) {
      const asked = ['--json', '--timezone', 'America/New_York', '--since', word, '--until', word];
      const { text } = await usageAt(root, asked, { now });
      expect((asArray(at(parseJson(text), 'rows')) ?? []).map((row) => at(row, 'key', 'day'))).toEqual([day]);
    }
  });

  test('blocks are told by the clock of the zone asked for, and how long the one that runs has left', async () => {
    const root = rootWith({ [SESSION]: [said('m1', '2026-06-01T01:15:00Z'), said('m2', '2026-06-02T13:15:00Z')] });
    const blocks = async (now: string, ...more: string[]) =>
      (await usageAt(root, ['--by', 'block', ...more], { now })).text;
    const kathmandu = await blocks('2026-06-02T16:00:00Z', '--timezone', 'Asia/Kathmandu');
    expect(kathmandu).toMatch(/^BLOCK FROM +MESSAGES.*\n2026-06-01 06:45 .*\n2026-06-02 18:45 /);
    expect(kathmandu).toContain('the block that runs has 2h 0m left');
    expect(await blocks('2026-06-02T16:00:00Z', '--utc')).toMatch(/\n2026-06-02 13:00 /);
    expect(await blocks('2026-06-02T18:00:00Z', '--utc')).not.toContain('the block that runs');
    const { text } = await usageAt(root, ['--by', 'block', '--json', '--timezone', 'Asia/Kathmandu']);
    expect(at(parseJson(text), 'rows', '0', 'key', 'block') ?? text).toContain('2026-06-01T01:00:00.000Z');
  });
});

describe('names', () => {
  test('projects that end alike are told by as much of their paths as tells them apart', async () => {
    const root = tempFolder();
    for (const [n, cwd] of ['/srv/one/work/app', '/srv/two/work/app', '/work/app', '/srv/far/away/other'].entries()) {
      const folder = join(root, 'projects', cwd.replaceAll('/', '-'));
      mkdirSync(folder, { recursive: true });
      const lines = [said(`m${n}`, '2026-06-01T01:15:00Z', { cwd })];
      writeFileSync(join(folder, `${n}1111111-1111-4111-8111-111111111111.jsonl`), toJsonl(lines));
    }
    const { text } = await usageAt(root, ['--by', 'project']);
    const names = text.split('\n').map((line) => line.split(' ')[0]);
    expect(names.slice(1, 5).sort()).toEqual(['/work/app', 'away/other', 'one/work/app', 'two/work/app']);
  });

  test('a model whose name is longer than a line is cut where it is named', async () => {
    const message = { ...asObject(assistant('x', { id: 'm1' }).message), model: '長'.repeat(5000) };
    const lines = [{ ...said('m1', '2026-06-01T01:15:00Z'), message }];
    const { text } = await usageAt(rootWith({ [SESSION]: lines }), ['--by', 'model'], { columns: 40 });
    for (const each of text.split('\n')) expect(stringWidth(each)).toBeLessThanOrEqual(40);
    expect(text).toContain('長…');
  });

  test('of models whose cost is not known a few are named', async () => {
    const lines = Array.from({ length: 9 }, (_, n) => ({
      ...said(`m${n}`, '2026-06-01T01:15:00Z'),
      message: { ...asObject(assistant('x', { id: `m${n}` }).message), model: `other-${n}` },
    }));
    const { text } = await usageAt(rootWith({ [SESSION]: lines }), ['--by', 'total'], { columns: 1000 });
    expect(text).toContain(
      'cost unknown of 9 messages: other-0, other-1, other-2, other-3, other-4, other-5 and 3 more',
    );
    expect(text).toContain('read from one file\n');
    const one = await usageAt(rootWith({ [SESSION]: lines.slice(0, 1) }), ['--by', 'total']);
    expect(one.text).toContain('cost unknown of one message: other-0 ');
  });

  test.each([
    [999, '999'],
    [9_996, '10.0k'],
    [99_960, '100k'],
    [999_499, '999k'],
    [999_500, '1.00M'],
    [999_600_000_000, '1.00T'],
  ])('%d tokens are %s', (count, text) => {
    expect(tokenText(count)).toBe(text);
  });
});

describe('what to do next', () => {
  const two = () => rootWith({ [SESSION]: [said('m1', '2026-06-01T01:15:00Z'), said('m2', '2026-06-03T01:15:00Z')] });

  test('where nothing fits, what there is', async () => {
    for (const [argv, see] of [
      [['--project', 'ap', '--model', 'opus'], 'skein usage --by project'],
      [['--model', 'gpt'], 'skein usage --by model'],
      [['--since', '2026-12-01'], 'skein usage --by month'],
    ] as const) {
      const { code, err } = await usageAt(two(), argv);
      expect([code, err]).toEqual([1, `No usage was found: none of 2 messages fits. See what there is: ${see}\n`]);
      expect(await usageAt(two(), [...argv, '--explain'])).toEqual({ code, err, text: '' });
    }
    expect((await usageAt(rootWith({ [SESSION]: [] }), [])).err).toBe('No usage was found.\n');
  });

  test.each([
    [[], 'where it went: skein usage --by project,model'],
    [['--by', 'week', '--since', '2026-05-01'], 'where it went: skein usage --by project,model --since 2026-05-01'],
    [['--by', 'model', '--model', 'opus'], 'the dearest chats: skein usage --by chat --model opus'],
    [['--by', 'chat'], `message by message: skein usage ${SESSION.slice(0, 8)} --explain`],
    [['@last', '--by', 'model'], 'message by message: skein usage @last --explain'],
  ])('%j ends with a command to go on with, on a terminal', async (argv, command) => {
    const root = two();
    const shown = await usageAt(root, argv, { isTerminal: true });
    expect(shown.text.trimEnd().split('\n').at(-1)).toBe(command);
    expect((await usageAt(root, argv)).text).not.toContain('skein usage');
  });

  test('a calendar tells its sum, and the weeks that do not fit; with --by the table too', async () => {
    const weeks = Array.from({ length: 30 }, (_, n) =>
      said(`w${n}`, new Date(Date.parse('2026-01-05T12:00:00Z') + n * 7 * 86_400_000).toISOString()),
    );
    const calendar = rootWith({ [SESSION]: [...weeks, said('more', '2026-01-05T12:30:00Z')] });
    const { text } = await usageAt(calendar, ['--heatmap'], { columns: 40 });
    expect(text).toContain('12 weeks before do not fit\n');
    expect(text.replace(/\s+/g, ' ')).toMatch(/\$[\d.]+ on 30 days, most on 2026-01-05: \$[\d.]+ /);
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(40);
    expect((await usageAt(calendar, ['--heatmap'])).text).not.toContain('do not fit');
    expect((await usageAt(calendar, ['--heatmap', '--by', 'model'])).text).toMatch(/Mon [\s\S]*MODEL .*\nopus/);
    const undated = rootWith({ [SESSION]: [{ ...said('m', ''), timestamp: undefined }] });
    expect((await usageAt(undated, ['--heatmap'])).text).toMatch(/^No day is known\.\n/);
  });
});

test('--plot has bars in narrow terminals and wide tables: other columns make room', async () => {
  const other = { cwd: `/work/${'far/'.repeat(30)}away` };
  const lines = [said('m1', '2026-06-01T01:15:00Z'), said('m2', '2026-06-03T01:15:00Z', other)];
  const root = rootWith({
    [SESSION]: lines,
    '33333333-3333-4333-8333-333333333333': [said('m3', '2026-06-03T01:15:00Z')],
  });
  for (const columns of [40, 60, 80, 140])
    for (const by of ['day', 'day,model', 'chat']) {
      const { text } = await usageAt(root, ['--plot', '--by', by], { columns });
      expect(text, `${columns} ${by}`).toMatch(/\$[\d.]+ +█+/);
      for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  const wide = await usageAt(root, ['--plot', '--by', 'day,week,month,model,session,branch,agent,block,chat'], {
    columns: Number.POSITIVE_INFINITY,
  });
  expect(wide.text).toMatch(/\$[\d.]+ +█+/);
});

test('--explain tells each file once, and the prices', async () => {
  const lines = [said('m1', '2026-06-01T01:15:00Z'), { ...said('m1', '2026-06-01T01:15:00Z'), uuid: 'u-again' }];
  const root = rootWith({ [SESSION]: lines });
  const { text } = await usageAt(root, ['--explain'], { columns: 200 });
  expect(text.match(/\.jsonl/g)).toHaveLength(1);
  expect(text).toMatch(/\n {2}priced by the million: input \d+ at \$5, .*output \d+ at \$25\n/);
  expect(text).toMatch(/ counted line 1 .*\n {10}line 2 /);
  expect((await usageAt(root, ['--explain', '--cost', 'recorded'])).text).toContain('cost not known');
});

test('--explain fits narrow terminals, but for paths, which can be copied', async () => {
  const long = `m${'1'.repeat(27)}`;
  const lines = [said(long, '2026-06-01T01:15:00Z'), { ...said(long, '2026-06-01T01:15:00Z'), uuid: 'u-again' }];
  const root = rootWith({ [SESSION]: lines });
  for (const columns of [40, 60, 80]) {
    const { text } = await usageAt(root, ['--explain'], { columns });
    for (const line of text.split('\n').filter((each) => !each.endsWith('.jsonl')))
      expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    expect(text.replace(/\s+/g, ' ')).toContain(`${long} ${OPUS} 2026-06-01T01:15:00.000Z $`);
    expect(text.replace(/\s+/g, ' ')).toMatch(/ counted line 1 output \d+, the most output of 2 lines line 2 output /);
    expect(text).toContain('2026-06-01T01:15:00.000Z');
  }
});
