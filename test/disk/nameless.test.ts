/** A line that tells neither id nor request: whose it is is told by what hangs together with it, however large its file is. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { usageOfFile } from '../../src/disk/usage.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { agentProgress, assistant, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';

function written(lines: readonly JsonObject[]): string {
  const file = join(tempFolder(), 'session.jsonl');
  writeFileSync(file, toJsonl(lines));
  return file;
}

const outputs = (file: string) => usageOfFile(file).map(({ key, usage }) => [key, usage.output]);
const far = Array.from({ length: 50 }, (_, n) => [
  user(`${n}`),
  assistant('x', { id: `far${n}`, output: 1 }, { uuid: `f${n}` }),
]).flat();
const nameless = (output: number, uuid: string) => assistant('y', { output }, { uuid });

test('E4: it belongs to the line before, whatever stands far away', () => {
  const lines = [...far, assistant('a', { id: 'm1', output: 2 }, { uuid: 'u1' }), nameless(7, 'u2'), ...far];
  expect(outputs(written(lines))).toContainEqual(['m1', 7]);
});

test('E4: not where a person spoke between, nor to what another said', () => {
  const before = assistant('a', { id: 'm1', output: 2 }, { uuid: 'u1' });
  const lines = [...far, before, user('b'), nameless(7, 'u2'), ...far, { ...nameless(8, 'u3'), agentId: 'a1' }];
  const told = outputs(written(lines));
  expect(told).toContainEqual(['m1', 2]);
  expect(told).toContainEqual(['u2', 7]);
  expect(told).toContainEqual(['u3', 8]);
});

test('E12: it is the message of its uuid, however far away that was told', () => {
  const lines = [nameless(7, 'u1'), ...far, assistant('a', { id: 'm1', output: 2 }, { uuid: 'u1' })];
  expect(outputs(written(lines))).toContainEqual(['m1', 7]);
});

test('E4: it follows one without usage, and that one another', () => {
  const silent = { ...assistant('a', { id: 'm1', usage: null }), uuid: 'u1' };
  const lines = [silent, { ...assistant('b', { usage: null }), uuid: 'u2' }, nameless(7, 'u3'), ...far];
  expect(outputs(written(lines))).toContainEqual(['m1', 7]);
});

test('E18: copies in progress entries follow copies', () => {
  const copy = (line: JsonObject) => agentProgress(line);
  const lines = [
    copy(assistant('a', { id: 'm1', output: 2 }, { uuid: 'u1' })),
    copy(user('the "assistant" is asked')),
    assistant('z', { id: 'm2', output: 3 }, { uuid: 'z' }),
    copy(nameless(7, 'u2')),
    ...far,
  ];
  const told = outputs(written(lines));
  expect(told).toContainEqual(['m1', 7]);
  expect(told).toContainEqual(['m2', 3]);
});

test('one in a large file: the others do not fill the memory', () => {
  const lines = Array.from({ length: 40_000 }, (_, n) =>
    assistant(
      'x',
      { id: `msg_${n}_abcdefghijkl`, requestId: `req_${n}_abcdefghijkl`, output: 1 },
      { uuid: `uuid-${n}-abcdefghijkl` },
    ),
  );
  const file = written([...lines, user('b'), nameless(7, 'u')]);
  const usage = new URL('../../src/disk/usage.ts', import.meta.url).href;
  const script = `const { readUsage } = await import(${JSON.stringify(usage)});
    let [count, last] = [0];
    readUsage(${JSON.stringify(file)}, ({ key }) => { count += 1; last = key; });
    console.log(count, last);`;
  const args = ['--max-old-space-size=24', '--input-type=module', '-e', script];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toBe('40001 u\n');
});

test('what hangs together line by line from the end of a file on is looked through once', () => {
  const COUNT = 60_000;
  const linked = Array.from({ length: COUNT }, (_, n) =>
    assistant('x', { id: `m${n >> 1}`, output: 1 }, { uuid: `u${(n + 1) >> 1}` }),
  );
  const file = written([nameless(7, 'u0'), ...linked].reverse());
  const told = usageOfFile(file);
  expect(told.length).toBe(COUNT / 2);
  expect(told.filter(({ usage }) => usage.output === 7).length).toBe(1);
});
