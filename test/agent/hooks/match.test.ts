/** Which hooks an event is for, as seen of the published client. */
import { expect, test } from 'vitest';
import { hooksFor, isMatch } from '../../../src/agent/hooks/match.ts';

test.each([
  ['Bash', true],
  ['*', true],
  ['', true],
  ['Ba', false],
  ['Ba.*', true],
  ['bash', false],
  ['Edit|Bash', true],
  ['^B', true],
  ['Read', false],
  [' Bash ', true],
  ['Edit, Bash', true],
  ['(', false],
])('%s is%s for Bash', (matcher, fits) => {
  expect(isMatch(matcher, 'Bash')).toBe(fits);
});

test('the same command once; events without a matched field run all', () => {
  const hook = (event: string, matcher: string, command: string) => ({
    event,
    matcher,
    command,
    isAsync: false,
    from: 'user' as const,
  });
  const all = [
    hook('Stop', 'x', 'a'),
    hook('Stop', '', 'a'),
    hook('PreToolUse', 'Task', 'b'),
    hook('SessionStart', 'start', 'c'),
  ];
  expect(hooksFor(all, 'Stop', {}).length).toBe(1);
  expect(hooksFor(all, 'PreToolUse', { tool_name: 'Agent' }).length).toBe(1);
  expect(hooksFor(all, 'SessionStart', { source: 'startup' })).toEqual([]);
});
