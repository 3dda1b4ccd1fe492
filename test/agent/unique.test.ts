import { expect, test } from 'vitest';
import { createUniqueIds } from '../../src/agent/transcript/unique.ts';
import { createIds } from '../../src/format/ids.ts';

test('A3: an id that comes again gets another, which never is the first one with a number behind it', () => {
  const known = createIds();
  const ids = createUniqueIds(known, () => '65872000-1111-4111-8111-111111111111');
  const call = { type: 'tool_use', id: 'toolu_same' };
  expect(ids.block(call)).toBe(call);
  const { id } = ids.block(call);
  expect(id).toMatch(/^toolu_same_\w+$/);
  expect(id).not.toMatch(/_\d+$/);
  expect(ids.message('', 0)).not.toMatch(/_\d+$/);
});
