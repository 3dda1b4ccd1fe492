/** `skein compress --model`: the summary of a compaction in a copy of the session. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { asString } from '../../src/format/json.ts';
import { assistant, chain, result, toJsonl, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { machine, runHere } from '../support/inprocess.ts';
import { fails, type Script, says, startScriptedModel, tooLong } from '../support/scripted-model.ts';
import { contextOf, wrongIn } from './world.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

async function compressing(script: Script) {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const root = tempFolder();
  const project = join(root, 'projects', '-work-app');
  mkdirSync(project, { recursive: true });
  const turns = [1, 2, 3, 4].flatMap((i) => [
    user(`prompt ${i}\n  as it is`),
    assistant(toolUse(`toolu_${i}`, 'Read', { file_path: `/src/${i}.ts` }), { id: `m${i}` }),
    result(`toolu_${i}`, `output ${i} `.repeat(1000)),
    assistant(`answer ${i}`, { id: `m${i}b` }),
  ]);
  const file = join(project, `${SESSION}.jsonl`);
  writeFileSync(file, toJsonl(chain(turns, { sessionId: SESSION, cwd: '/work/app' })));
  const { env } = machine(root);
  const run = (...args: string[]) =>
    runHere(['compress', SESSION, ...args], { ...env, ...model.env, CLAUDE_CODE_MAX_RETRIES: '0' });
  return { model, project, file, run };
}

test('what the model says, then what was typed verbatim, then the last turns whole', async () => {
  const { model, project, file, run } = await compressing([says('BY THE MODEL')]);
  const before = readFileSync(file, 'utf8');
  const ran = await run('--model', 'haiku', '--keep', '1', '--json');
  expect(ran.err).toBe('');
  const [request] = model.requests;
  expect(request?.body).toMatchObject({ model: 'claude-haiku-5-5' });
  expect(request?.body.tools).toBeUndefined();
  const asked = JSON.stringify(request?.messages);
  expect(asked).toMatch(/prompt 1.*\/src\/3\.ts.*answer 3/s);
  expect(asked).not.toContain('prompt 4');
  expect(asked.length).toBeLessThan(8000);
  const made = readdirSync(project).find((name) => !name.startsWith(SESSION)) ?? '';
  const words = asString(contextOf(join(project, made)).messages[0]?.content[0]?.text);
  expect(words).toMatch(
    /^This session is being continued.*Summary:\nBY THE MODEL.*prompt 1\n {2}as it is.*prompt 3\n {2}as it is/s,
  );
  expect(words).not.toContain('answer 1');
  expect(contextOf(join(project, made)).messages).toHaveLength(4);
  expect(wrongIn(join(project, made), ['error'])).toEqual([]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a model that fails: nothing is written, and it says why', async () => {
  const { project, run } = await compressing([fails(401, { message: 'bad key' })]);
  await expect(run('--model', 'haiku', '--keep', '1')).rejects.toThrow('bad key');
  expect(readdirSync(project)).toEqual([`${SESSION}.jsonl`]);
});

test('too long for the model: less is told', async () => {
  const { model, run } = await compressing([tooLong(), says('SHORTER')]);
  expect((await run('--model', 'haiku', '--keep', '1')).code).toBe(0);
  const [first, second] = model.requests.map(({ messages }) => JSON.stringify(messages).length);
  expect(second).toBeLessThan(first ?? 0);
});

test('nothing older than what is kept: no model is asked', async () => {
  const { model, run } = await compressing([]);
  await expect(run('--model', 'haiku', '--keep', '9')).rejects.toThrow('nothing to compress');
  expect(model.requests).toEqual([]);
});
