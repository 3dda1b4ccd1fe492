/** A team that breaks off while it is read: the verb says so and fails, and answers nothing that is less than the truth. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { at } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { pushed } from '../support/team.ts';
import { answer, call, prompt, result, turns, writeSession } from '../support/teamsession.ts';

const id = (n: number) => `abcdef0${n}-2222-4222-8222-222222222222`;
const CWD = '/work/app';
const OUTPUT = 'THE LARGE OUTPUT ';

let engine: ClickHouse;
beforeAll(async () => {
  engine = await startClickHouse({ record: false });
});
afterEach(() => engine.works());
afterAll(() => engine.stop());

async function pushCorpus(): Promise<void> {
  const root = tempFolder();
  for (let n = 2; n <= 5; n += 1) writeSession(root, { id: id(n), cwd: CWD, lines: turns(id(n), CWD, 2, n * 100 + 1) });
  const say = (n: number, text: string) => ({ id: id(1), cwd: CWD, n, text });
  const saved = `<persisted-output>\nOutput too large. Full output saved to: /h/${id(1)}/tool-results/big.txt\n</persisted-output>`;
  const agent = [prompt(say(801, 'look')), answer(say(802, 'found'))].map((line) => ({
    ...line,
    isSidechain: true,
    agentId: 'a1',
  }));
  writeSession(root, {
    id: id(1),
    cwd: CWD,
    lines: [
      ...turns(id(1), CWD, 1, 101),
      answer(say(105, 'run'), [call('t2', { command: 'make' })]),
      result(say(106, saved), 't2'),
    ],
    beside: {
      'tool-results/big.txt': OUTPUT.repeat(50),
      'subagents/agent-a1.meta.json': JSON.stringify({ agentType: 'reader', toolUseId: 't9' }),
      'subagents/agent-a1.jsonl': agent.map((line) => `${JSON.stringify(line)}\n`).join(''),
    },
  });
  await pushed(root, engine);
}

let reads = 0;
/** Each as another team: nothing is at hand from the one before. */
const read = (...argv: string[]) => {
  reads += 1;
  const env = { HOME: tempFolder(), SKEIN_TEAM_TIMEOUT: String(100 + reads) };
  return runHere([...argv, '--team', engine.url()], env, { told: true });
};

/** Every question for lines but the first breaks off. */
const breakLines = () =>
  engine.fail((request, _data, memory) => {
    if (!request.sql.includes('FROM entries')) return undefined;
    memory.asked = (memory.asked ?? 0) + 1;
    return memory.asked > 1 ? 'dropped' : undefined;
  });
const refuseBodies = () =>
  engine.fail((request) => (request.sql.includes('AS body') ? { status: 503, body: 'busy' } : undefined));

test('lines that cannot be had end the verb', async () => {
  await pushCorpus();
  const whole = await read('usage', '--explain', '--json');
  expect([whole.code, at(whole.json(), 'total')]).toEqual([0, 20]);
  await breakLines();
  for (const argv of [
    ['usage', '--explain', '--json'],
    ['check', '--json'],
  ]) {
    const ran = await read(...argv);
    expect([argv, ran.code, ran.text]).toEqual([argv, 1, '']);
    expect(ran.err).toContain('The team could not be asked: the connection broke');
  }
});

test('neither do names and outputs go missing', async () => {
  await pushCorpus();
  const byAgent = await read('usage', '--by', 'agent', '--json');
  expect(byAgent.text).toContain('"reader"');
  expect((await read('show', id(1), '--tools', 'full')).text).toContain(OUTPUT);
  await refuseBodies();
  for (const argv of [
    ['usage', '--by', 'agent', '--json'],
    ['show', id(1), '--tools', 'full'],
  ]) {
    const ran = await read(...argv);
    expect([argv, ran.code, ran.text]).toEqual([argv, 1, '']);
    expect(ran.err).toContain('The team could not be asked: the answer was 503 busy');
  }
});
