/** `skein slim`, `compress` and `repair` on real files: what is written, what is said, and what is refused. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { asNumber, asString, at, type Json, type JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { context } from '../../src/graph/context/context.ts';
import { validate } from '../../src/graph/validate.ts';
import { assistant, chain, result, system, timeOf, toJsonl, toolUse, user } from '../support/build.ts';
import { DAMAGES, damaged, uuidAt } from '../support/damage-kinds.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { skein } from '../support/skein.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';
const LONG = 'long output '.repeat(500);

/** Turns with one call each; the last answer counts what the whole context took. */
function session(count: number): string {
  const usage = { input_tokens: 20_000, output_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const lines = Array.from({ length: count }, (_, i) => [
    user(`prompt ${i + 1}`),
    assistant(toolUse(`toolu_${i}`, i % 2 ? 'Read' : 'Bash', { file_path: `/src/${i}.ts` }), { id: `m${i}` }),
    result(`toolu_${i}`, LONG, { toolUseResult: { stdout: LONG } }),
    assistant(`answer ${i + 1}`, { id: `m${i}b`, usage }),
  ]).flat();
  const linked = chain(lines, { sessionId: SESSION, cwd: '/work/app' });
  return toJsonl(linked.map((line, i) => ({ ...line, uuid: uuidAt(i + 1), parentUuid: i === 0 ? null : uuidAt(i) })));
}

/** What follows six turns that were compacted: one more. */
function afterCompaction(): JsonObject[] {
  const lines = [
    system('compact_boundary', { compactMetadata: { trigger: 'auto', preTokens: 1 } }),
    user('what was before', { isCompactSummary: true }),
    user('prompt 7'),
    assistant('answer 7', { id: 'm7' }),
  ];
  return chain(lines, { sessionId: SESSION, cwd: '/work/app' }).map((line, i) => ({
    ...line,
    uuid: uuidAt(i + 101),
    parentUuid: i === 0 ? null : uuidAt(i + 100),
    timestamp: timeOf(1000 + i),
  }));
}

function machineWith(text: string) {
  const root = tempFolder();
  const project = join(root, 'projects', '-work-app');
  mkdirSync(project, { recursive: true });
  const file = join(project, `${SESSION}.jsonl`);
  writeFileSync(file, text);
  return { ...machine(root), project, file };
}

const field = (json: Json, ...path: string[]) => asString(at(json, ...path)) ?? '';
const number = (json: Json, ...path: string[]) => asNumber(at(json, ...path)) ?? Number.NaN;
const sentBy = (file: string) => context(readSession(readFileSync(file), file).entries, { prompt: 'x' }).messages;

const schema = fileURLToPath(new URL('../../docs/schema/edit.schema.json', import.meta.url));
const isEdit = new Ajv2020({ strictTypes: false, strictRequired: false }).compile(
  JSON.parse(readFileSync(schema, 'utf8')),
);
function expectEdit(json: Json): void {
  isEdit(json);
  expect(isEdit.errors ?? []).toEqual([]);
}

describe('slim', () => {
  test('S1, S7: a new session beside the old one, with what it saved', async () => {
    const { run, file, project } = machineWith(session(12));
    const before = readFileSync(file);
    const ran = await run('slim', SESSION, '--json');
    expect(ran.code).toBe(0);
    expectEdit(ran.json());
    expect(readFileSync(file)).toEqual(before);
    const made = field(ran.json(), 'file');
    expect(made).toBe(join(project, `${field(ran.json(), 'sessionId')}.jsonl`));
    expect(number(ran.json(), 'before', 'tokens')).toBe(20_010);
    expect(number(ran.json(), 'after', 'tokens')).toBeLessThan(14_000);
    expect(number(ran.json(), 'after', 'kinds', 'toolResults')).toBeLessThan(
      number(ran.json(), 'before', 'kinds', 'toolResults'),
    );
    expect(validate(sentBy(made))).toEqual([]);
    expect((await run('check', made)).code).toBe(0);
    expect(field(ran.json(), 'title')).toBe('prompt 1 (slim)');
  });

  test('what a stub names can be fetched', async () => {
    const { run, env } = machineWith(session(12));
    const made = field((await run('slim', SESSION, '--json')).json(), 'file');
    const stub = /original: skein (cat [0-9a-f]+ --uuid [0-9a-f-]+)\]/.exec(readFileSync(made, 'utf8'));
    const fetched = skein((stub?.[1] ?? '').split(' '), { env, home: env.HOME });
    expect(fetched.text).toContain(LONG);
    // The same uuid finds the shortened line in the copy.
    const copy = await run('cat', made, '--uuid', stub?.[1]?.split(' ').at(-1) ?? '');
    expect(copy.text).toContain('[skein: ');
    const bare = field((await run('slim', SESSION, '--preset', 'bare', '--json')).json(), 'file');
    const turn = /original: skein (show [0-9a-f]+ --turn [0-9a-f-]+ --tools full)\]/.exec(readFileSync(bare, 'utf8'));
    expect(skein((turn?.[1] ?? '').split(' '), { env, home: env.HOME }).text).toContain('long output');
  });

  test('--dry-run shows the table and writes nothing; narrow terminals are no trouble', async () => {
    const { run, project, env } = machineWith(session(12));
    const ran = await run('slim', SESSION, '--dry-run');
    expect(ran.text).toMatch(/tool results +~18k +~8\.\dk +~9\.\dk/);
    expect(ran.text).toContain('standard: 5 of 12 turns with tool calls are whole');
    const narrow = skein(['slim', SESSION, '--dry-run'], { env: { ...env, COLUMNS: '30' }, home: env.HOME });
    expect(narrow.text.split('\n').filter((line) => line.startsWith('tool results'))[0]?.length).toBeLessThanOrEqual(
      30,
    );
    expect(readdirSync(project)).toEqual([`${SESSION}.jsonl`]);
  });

  test('--budget takes the least that fits, and says how far it got when none does', async () => {
    const { run, project } = machineWith(session(12));
    const fits = await run('slim', SESSION, '--budget', '8k', '--json');
    expect(fits.code).toBe(0);
    expect(number(fits.json(), 'after', 'tokens')).toBeLessThanOrEqual(8000);
    expect(at(fits.json(), 'after', 'preset')).toBe('deep');
    const many = readdirSync(project).length;
    const already = await run('slim', SESSION, '--budget', '30k', '--json');
    expectEdit(already.json());
    expect(at(already.json(), 'after', 'tokens')).toBe(20_010);
    const how = /does not get below 10: light ~\d+k; .*bare ~[\d.]+k/;
    await expect(run('slim', SESSION, '--budget', '10')).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringMatching(how),
    });
    // What it names is less than there is now: it can be done.
    const next = await run('slim', SESSION, '--budget', '10').catch(({ next }) => String(next));
    const least = /--budget (\d+)/.exec(String(next))?.[1] ?? '';
    expect(at((await run('slim', SESSION, '--budget', least, '--dry-run', '--json')).json(), 'after', 'preset')).toBe(
      'bare',
    );
    expect(readdirSync(project)).toHaveLength(many);
  });

  test('--keep, --drop and --turns', async () => {
    const { run } = machineWith(session(6));
    const callsOf = async (...args: string[]) => {
      const ran = await run('slim', SESSION, '--json', ...args);
      const blocks = sentBy(field(ran.json(), 'file')).flatMap(({ content }) => content);
      return blocks.filter(({ type }) => type === 'tool_use').map(({ id }: JsonObject) => id);
    };
    expect(await callsOf('--drop', 'tool:Re*')).toEqual(['toolu_0', 'toolu_2', 'toolu_4']);
    expect(await callsOf('--preset', 'bare', '--keep', 'file:/src/3.ts')).toEqual(['toolu_3']);
    expect(await callsOf('--preset', 'bare', '--keep', 'tool:Bash,file:4.ts')).toEqual(['toolu_4']);
    expect(await callsOf('--drop', 'size:>1k')).toEqual([]);
    expect(await callsOf('--drop', 'age:>5000w')).toHaveLength(6);
    expect(await callsOf('--preset', 'bare', '--turns', '2')).toEqual(['toolu_4', 'toolu_5']);
  });

  test.each([
    [['--preset', 'huge']],
    [['--drop', 'Bash']],
    [['--keep', 'size:10k']],
    [['--keep', 'age:>2']],
    [['--budget', 'much']],
    [['--budget', '0']],
    [['--title', ' ']],
    [['--turns', '-1']],
  ])('wrong usage: %j', async (args) => {
    const { run, project } = machineWith(session(1));
    await expect(run('slim', SESSION, ...args)).rejects.toMatchObject({ exitCode: 2 });
    expect(readdirSync(project)).toHaveLength(1);
  });

  test('S1: in place with a backup, and undo', async () => {
    const { run, file, project } = machineWith(session(12));
    const before = readFileSync(file);
    const ran = await run('slim', SESSION, '--in-place', '--json');
    expectEdit(ran.json());
    expect(field(ran.json(), 'sessionId')).toBe(SESSION);
    expect(readFileSync(file).length).toBeLessThan(before.length);
    expect(validate(sentBy(file))).toEqual([]);
    const slimmed = statSync(file).mtimeMs;
    const again = await run('slim', SESSION, '--in-place');
    expect(again.text).toContain('Nothing in it changes');
    expect(statSync(file).mtimeMs).toBe(slimmed);
    expect((await run('undo', '--json')).code).toBe(0);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(project)).toHaveLength(1);
  });
});

describe('compress', () => {
  test('C1: a summary and the last turns', async () => {
    const { run } = machineWith(session(6));
    const ran = await run('compress', SESSION, '--keep', '2', '--json');
    expectEdit(ran.json());
    expect(at(ran.json(), 'after', 'summarizedTurns')).toBe(4);
    const [first] = sentBy(field(ran.json(), 'file'));
    for (const prompt of ['prompt 1', 'prompt 4']) expect(JSON.stringify(first)).toContain(prompt);
    expect(number(ran.json(), 'after', 'tokens')).toBeLessThan(15_000);
    const text = await run('compress', SESSION, '--dry-run');
    expect(text.text).toContain('3 turns summarized, 3 whole');
  });

  test('nothing to compress', async () => {
    const { run, project } = machineWith(session(2));
    const what = expect.stringContaining('There is nothing to compress');
    await expect(run('compress', SESSION)).rejects.toMatchObject({ exitCode: 1, message: what });
    expect(readdirSync(project)).toHaveLength(1);
  });

  test('C1: says which turns an earlier compaction has taken', async () => {
    const { run, project } = machineWith(session(6));
    const file = field((await run('compress', SESSION, '--keep', '2', '--json')).json(), 'file');
    const what = 'the context holds 2 turns, and the last 2 stay whole';
    await expect(run('compress', file, '--keep', '2')).rejects.toThrow(what);
    const compacted = machineWith(`${session(6)}${toJsonl(afterCompaction())}`);
    await expect(compacted.run('compress', SESSION, '--keep', '2')).rejects.toThrow(
      'The 6 turns before are in the summary of an earlier compaction already.',
    );
    expect(readdirSync(project)).toHaveLength(2);
  });
});

describe('repair', () => {
  test('says what and why for each line, and writes what is accepted', async () => {
    const damage = DAMAGES.find(({ name }) => name === 'thinking without a signature');
    const { run } = machineWith(damage === undefined ? '' : damaged(damage));
    const dry = await run('repair', SESSION, '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.text).toContain('line 4: thinking without a signature, which the API refuses: left out (A5)');
    const ran = await run('repair', SESSION, '--json');
    expectEdit(ran.json());
    expect(at(ran.json(), 'notes', '0') ?? at(ran.json(), 'notes')).toMatchObject([{ rule: 'A5', line: 4 }]);
    expect(validate(sentBy(field(ran.json(), 'file')))).toEqual([]);
    expect(field(ran.json(), 'resume')).toContain('claude --resume');
  });

  test('nothing to repair: says so, writes nothing, exit 0', async () => {
    const { run, project } = machineWith(session(2));
    const ran = await run('repair', SESSION);
    expect(ran.code).toBe(0);
    expect(ran.text).toContain('Nothing to repair');
    const json = await run('repair', SESSION, '--json');
    expectEdit(json.json());
    expect(at(json.json(), 'after', 'findings')).toBe(0);
    expect(readdirSync(project)).toEqual([`${SESSION}.jsonl`]);
  });

  test('in place', async () => {
    const damage = DAMAGES.find(({ name }) => name === 'parents in a circle');
    const { run, file } = machineWith(damage === undefined ? '' : damaged(damage));
    expect((await run('repair', SESSION, '--in-place')).code).toBe(0);
    expect((await run('repair', SESSION)).text).toContain('Nothing to repair');
    expect((await run('check', file)).code).toBe(0);
  });

  test('what is no session gets a clear error', async () => {
    const { run } = machineWith('garbage\nmore\n');
    await expect(run('repair', SESSION)).rejects.toMatchObject({ exitCode: 1 });
  });
});
