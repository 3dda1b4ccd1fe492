/** What messages cost, and what is told where that is not known. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asArray, asObject, at, type JsonObject } from '../../src/format/json.ts';
import { assistant, chain } from '../support/build.ts';
import { machine } from '../support/inprocess.ts';
import { skein } from '../support/skein.ts';
import { envelope, OPUS, rootWith, SESSION, usage } from './usage-reports.ts';

test('a model without a price: unknown, never 0', () => {
  const lines = chain(
    [assistant('x', { id: 'm1', model: 'my-model' }), assistant('x', { id: 'm2', model: OPUS })],
    envelope,
  );
  const root = rootWith({ [SESSION]: lines });
  const report = usage(root, ['--by', 'model']);
  expect(report).toMatchObject({ unknownModels: ['my-model'], totals: { unpriced: 1 } });
  expect(asArray(report.rows)?.map((row) => [at(row, 'key', 'model'), at(row, 'costUSD') === null])).toEqual([
    [OPUS, false],
    ['my-model', true],
  ]);
  expect(skein(['usage', '--root', root]).text).toContain(
    'cost unknown of one message: my-model (--prices FILE tells it)',
  );
  const nameless = rootWith({ [SESSION]: chain([assistant('x', { id: 'm1', model: '' })], envelope) });
  expect(usage(nameless, ['--by', 'model'])).toMatchObject({
    unknownModels: ['unknown'],
    rows: [{ key: { model: 'unknown' } }],
  });
  const prices = join(root, 'prices.json');
  writeFileSync(prices, JSON.stringify({ date: '2026-11-01', models: { 'my-': { input_mtok: 1, output_mtok: 1e6 } } }));
  const priced = usage(root, ['--prices', prices, '--model', 'my']);
  expect(priced).toMatchObject({ totals: { unpriced: 0, messages: 1 }, prices: { own: { date: '2026-11-01' } } });
  expect(at(priced.totals, 'costUSD')).toBeCloseTo(10, 4);
  const coloured = { date: '\u001b[31m2026', models: { 'my-': { input_mtok: 1, output_mtok: 1 } } };
  writeFileSync(prices, JSON.stringify(coloured));
  expect(skein(['usage', '--root', root, '--prices', prices]).text).not.toContain('\u001b');
  writeFileSync(prices, '{"models":{"x":{}}}');
  const wrong = skein(['usage', '--root', root, '--prices', prices]);
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain('x: input_mtok and output_mtok are needed');
  for (const [text, said] of [
    ['[]', 'not as it should be: it is no JSON object.'],
    ['null', 'not as it should be: it is no JSON object.'],
    ['{', 'cannot be read as JSON.'],
  ] as const) {
    writeFileSync(prices, text);
    expect(skein(['usage', '--root', root, '--prices', prices]).err).toContain(
      `The price table ${text === '{' ? '' : 'is '}${said}`,
    );
  }
});

test('models that would be called alike are told by their whole ids', () => {
  const dated = 'claude-sonnet-4-5-20250929';
  const models = ['claude-sonnet-4-5', dated, dated, OPUS];
  const lines = chain(
    models.map((model, n) => assistant('x', { id: `m${n}`, model, output: 1000 })),
    envelope,
  );
  const root = rootWith({ [SESSION]: lines });
  for (const by of ['model', 'day,model', 'model,day']) {
    const { text } = skein(['usage', '--root', root, '--by', by]);
    expect(text.match(/\S*(?:sonnet|opus)\S*/g)?.toSorted()).toEqual(['claude-sonnet-4-5', dated, 'opus-4-5']);
  }
  const { text } = skein(['usage', '--root', root, '--by', 'model', '--model', dated]);
  expect(text).toMatch(/^sonnet-4-5 /m);
});

test('costUSD that cannot be: the cost is computed, the same from files and archive', async () => {
  const bad = [1e300, -7, Number.MAX_VALUE, 1e6];
  const lines = chain(
    bad.map((costUSD, n) => ({ ...assistant('x', { id: `m${n}`, model: OPUS, output: 1_000_000 }), costUSD })),
    envelope,
  );
  const { run } = machine(rootWith({ [SESSION]: lines }));
  const cost = async () => asObject((await run('usage', '--json')).json());
  const fromFiles = await cost();
  expect(at(fromFiles?.totals, 'costUSD')).toBeCloseTo(25 * bad.length, 2);
  expect((await run('usage')).text).not.toContain('Infinity');
  await run('archive', 'sync');
  const fromArchive = await cost();
  expect(fromArchive?.engine).toBe('archive');
  expect(fromArchive?.totals).toEqual(fromFiles?.totals);
  expect(asArray(asObject((await run('usage', '--explain', '--json')).json())?.messages)).toMatchObject(
    bad.map(() => ({ costFrom: 'computed' })),
  );
});

test('fast mode costs what it is sold at; where nothing is known of that, the cost is unknown', async () => {
  const say = (id: string, model: string, usage: JsonObject) => ({
    ...assistant('x', { id, model }),
    message: { ...asObject(assistant('x', { id, model }).message), usage: { output_tokens: 0, ...usage } },
  });
  const lines = chain(
    [
      say('m1', 'claude-opus-4-8', { input_tokens: 1_000_000, speed: 'standard' }),
      say('m2', 'claude-opus-4-8', { input_tokens: 1_000_000, speed: 'fast' }),
      say('m3', 'claude-opus-4-8', { input_tokens: 1_000_000, inference_geo: 'us' }),
      say('m4', OPUS, { input_tokens: 1_000_000, speed: 'fast' }),
    ],
    envelope,
  );
  const { run } = machine(rootWith({ [SESSION]: lines }));
  const report = async () => asObject((await run('usage', '--by', 'model', '--json')).json());
  const fromFiles = await report();
  expect(fromFiles).toMatchObject({ totals: { costUSD: 5 + 10 + 5.5, unpriced: 1 }, unknownModels: [OPUS] });
  await run('archive', 'sync');
  const fromArchive = await report();
  expect(fromArchive?.engine).toBe('archive');
  expect(fromArchive?.rows).toEqual(fromFiles?.rows);
});

test('costUSD of old lines: auto, recorded, computed', () => {
  const lines = chain(
    [
      { ...assistant('x', { id: 'm1', model: OPUS }), costUSD: 1.5 },
      assistant('x', { id: 'm2', model: OPUS, output: 1_000_000 }),
    ],
    envelope,
  );
  const root = rootWith({ [SESSION]: lines });
  const cost = (mode: string) => at(usage(root, ['--cost', mode]).totals, 'costUSD');
  expect(cost('recorded')).toBe(1.5);
  expect(cost('auto')).toBeCloseTo(26.5, 3);
  expect(cost('computed')).toBeCloseTo(25, 2);
  expect(at(usage(root, ['--cost', 'recorded']).totals, 'unpriced')).toBe(1);
});
