/** What told the lines of a very large file apart is given back before more is made of its messages. */
import vm from 'node:vm';
import { expect, test, vi } from 'vitest';
import { factsOf } from '../../src/cli/usage/facts.ts';
import { gatherMessages } from '../../src/cli/usage/gather.ts';
import { demoChats } from '../support/browse.ts';

test('after a very large file garbage is given back, after others not', () => {
  const collect = vi.fn();
  vi.spyOn(vm, 'runInNewContext').mockReturnValue(collect);
  const { context, library } = demoChats();
  const [first, ...more] = library.files;
  if (first === undefined) throw new Error('the demo has no files');
  const counted = gatherMessages(context, library.files).messages.length;
  expect(collect).not.toHaveBeenCalled();
  const large = { ...first, bytes: 400e6 };
  expect(gatherMessages(context, [large, ...more]).messages.length).toBe(counted);
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
  const { length } = gatherMessages(context, library.files).messages;
  const sums = factsOf(context, args, asked, library, library.files).facts;
  expect(sums.length).toBeLessThan(length / 2);
  expect(sums.reduce((sum, { messages }) => sum + messages, 0)).toBe(length);
  expect(factsOf(context, args, { ...asked, needsTimes: true }, library, library.files).facts).toHaveLength(length);
});
