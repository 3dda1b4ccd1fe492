/** What told the lines of a very large file apart is given back before more is made of its messages. */
import vm from 'node:vm';
import { expect, test, vi } from 'vitest';
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
