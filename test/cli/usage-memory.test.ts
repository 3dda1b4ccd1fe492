/** What told the lines of a very large file apart is given back before more is made of its messages. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import { expect, test, vi } from 'vitest';
import { factsOf } from '../../src/cli/usage/facts.ts';
import { gatherMessages } from '../../src/cli/usage/gather.ts';
import { parseJson } from '../../src/format/json.ts';
import { demoChats } from '../support/browse.ts';
import { assistant, result, toJsonl, toolUse } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { skein } from '../support/skein.ts';

test('after a very large file garbage is given back, after others not', () => {
  const collect = vi.fn();
  vi.spyOn(vm, 'runInNewContext').mockReturnValue(collect);
  const { context, library } = demoChats();
  const [first, ...more] = library.files;
  if (first === undefined) throw new Error('the demo has no files');
  const countIn = (...given: Parameters<typeof gatherMessages>) => [...gatherMessages(...given).messages].length;
  const counted = countIn(context, library.files);
  expect(collect).not.toHaveBeenCalled();
  const large = { ...first, bytes: 400e6 };
  expect(countIn(context, [large, ...more])).toBe(counted);
  expect(collect.mock.calls).toEqual([[{ type: 'major', execution: 'sync', flavor: 'last-resort' }]]);
  gatherMessages(context, [large], { known: () => [] });
  expect(collect).toHaveBeenCalledOnce();
  vi.restoreAllMocks();
});

test('what is made of messages are sums, unless their times are asked for', () => {
  const { context, library } = demoChats();
  const args = {
    positionals: [],
    value: () => undefined,
    values: () => [],
    flag: () => false,
  };
  const question = { by: ['day' as const], timeZone: 'UTC', wanted: () => true, needsTimes: false, times: [] };
  const asked = { ...question, since: undefined, until: undefined };
  const { length } = [...gatherMessages(context, library.files).messages];
  const sums = [...factsOf(context, args, asked, library, library.files).facts];
  expect(sums.length).toBeLessThan(length / 2);
  expect(sums.reduce((sum, { messages }) => sum + messages, 0)).toBe(length);
  expect([...factsOf(context, args, { ...asked, needsTimes: true }, library, library.files).facts]).toHaveLength(
    length,
  );
});

test('of very many messages of one file little stays in the heap, and each is counted', () => {
  const { context, library } = demoChats();
  const [like] = library.files;
  if (like === undefined) throw new Error('the demo has no files');
  const folder = join(tempFolder(), 'projects', '-work-app');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, '11111111-1111-4111-8111-111111111111.jsonl');
  const COUNT = 40_000;
  const lines = Array.from({ length: COUNT }, (_, number) =>
    assistant('x', { id: `msg_${number}_abcdefghijkl`, requestId: `req_${number}_abcdefghijkl`, output: number }),
  );
  writeFileSync(file, toJsonl(lines));
  lines.length = 0;
  setFlagsFromString('--expose-gc');
  const collect: unknown = vm.runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('there is no gc');
  collect();
  const before = process.memoryUsage().heapUsed;
  const { messages } = gatherMessages(context, [{ ...like, file, bytes: 10e6 }]);
  collect();
  // As objects each takes more than 400.
  expect((process.memoryUsage().heapUsed - before) / COUNT).toBeLessThan(60);
  let [count, output] = [0, 0];
  for (const { usage } of messages) {
    count += 1;
    output += usage.output;
  }
  expect([count, output]).toEqual([COUNT, (COUNT * (COUNT - 1)) / 2]);
});

test('--by tool keeps no answer that calls none', () => {
  const folder = join(tempFolder(), 'projects', '-work-app');
  mkdirSync(folder, { recursive: true });
  const answers = Array.from({ length: 30_000 }, (_, number) => assistant('x', { id: `m${number}` }));
  const called = [assistant(toolUse('t1'), { id: 'm' }), result('t1')];
  writeFileSync(join(folder, '11111111-1111-4111-8111-111111111111.jsonl'), toJsonl([...answers, ...called]));
  const { out } = skein(['usage', '--by', 'tool', '--json', '--root', join(folder, '..', '..')], {
    env: { NODE_OPTIONS: '--max-old-space-size=20' },
  });
  expect(parseJson(out.toString())).toMatchObject({ totals: { calls: 1, pending: 0 } });
});
