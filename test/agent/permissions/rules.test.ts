/** How rules are read, and which paths and hosts they mean. */
import { describe, expect, test } from 'vitest';
import { matchesDomain } from '../../../src/agent/permissions/domains.ts';
import { whyOf } from '../../../src/agent/permissions/explain.ts';
import { readMode } from '../../../src/agent/permissions/modes.ts';
import { ruleFitsPlace } from '../../../src/agent/permissions/paths.ts';
import { isProtected } from '../../../src/agent/permissions/protected.ts';
import { parseRule, problemsOf, splitRules } from '../../../src/agent/permissions/rules.ts';
import type { World } from '../../../src/agent/permissions/types.ts';
import { commandPattern } from '../../../src/agent/permissions/wildcard.ts';
import { callOf, decideIn } from './folder.ts';

const source = { name: 'userSettings', where: '/home/me/.claude/settings.json:3', root: '/home/me/.claude' };
const world: World = { cwd: '/p', root: '/p', home: '/home/me', folders: ['/p'], resolve: (path) => path };

test('a mode that is not known is default, with a word', () => {
  expect(readMode('acceptEdits')).toEqual({ mode: 'acceptEdits' });
  expect(readMode('manual')).toEqual({ mode: 'default' });
  expect(readMode('auto')).toEqual({ mode: 'default', note: expect.stringContaining('"auto"') });
});

test('rules of a flag are told apart by commas and blanks outside brackets', () => {
  expect(splitRules(['Bash(git log:*) Edit,Read', 'Bash(npm test)'])).toEqual([
    'Bash(git log:*)',
    'Edit',
    'Read',
    'Bash(npm test)',
  ]);
});

test.each([
  'Bash(git',
  'Bash(',
  '(x)',
  'Bash()x',
  'Bash()',
  'WebFetch(a.example)',
  'Edit(!a)',
  'Write(src/**)',
  'Foo(bar)',
  '*',
  'mcp__*',
  'Bash(command:rm *)',
  '',
])('"%s" is a rule with a problem, and allows nothing', (text) => {
  const [problem] = problemsOf([parseRule(text, 'allow', source)]);
  expect(problem).toContain(`${source.where}: the allow rule "${text}": `);
  for (const command of ['make', 'rm x'])
    expect(decideIn({ allow: [text] }, world, callOf('Bash', command)).behaviour).toBe('ask');
});

test('a forbidding rule that is broken forbids the whole tool, and says so', () => {
  const verdict = decideIn({ allow: ['Bash'], deny: ['Bash(rm'] }, world, callOf('Bash', 'ls'));
  expect(verdict.behaviour).toBe('deny');
  expect(whyOf(verdict)).toContain('taken for the whole tool');
});

test.each([
  ['ls:*', 'ls', true],
  ['ls:*', 'ls -la', true],
  ['ls:*', 'lsof', false],
  ['ls *', 'ls', true],
  ['ls*', 'lsof', true],
  ['git * main', 'git push origin main', true],
  ['git * main', 'git main', false],
  ['* --version', 'node --version', true],
  ['npm run test', 'npm run test x', false],
  ['git:* push', 'git push', false],
  ['a.c', 'abc', false],
])('the command pattern %s matches "%s": %s', (pattern, command, matches) => {
  expect(commandPattern(pattern).matches(command)).toBe(matches);
});

describe('paths', () => {
  test.each([
    ['allow', 'src/**', '/p/src/a', true],
    ['allow', 'src/**', '/p/x/src/a', false],
    ['deny', 'src/**', '/p/x/src/a', true],
    ['allow', '**/src/**', '/p/x/src/a', true],
    ['deny', '.env', '/p/x/y/.env', true],
    ['deny', './.env', '/p/.env', true],
    ['deny', './.env', '/p/x/.env', false],
    ['deny', '.env', '/q/.env', false],
    ['deny', '//**/.env', '/q/.env', true],
    ['allow', '//tmp/**', '/tmp/a/b', true],
    ['allow', '/tmp/**', '/tmp/a', false],
    ['allow', '/tmp/**', '/home/me/.claude/tmp/a', true],
    ['allow', '~/x/*.md', '/home/me/x/a.md', true],
    ['allow', '~/x/*.md', '/home/me/x/y/a.md', false],
    ['allow', '../q/**', '/q/a', true],
    ['allow', 'src/*.ts', '/p/src/a.ts', true],
    ['allow', 'src/*.ts', '/p/src/a.tsx', false],
    ['allow', 'SRC/**', '/p/src/a', false],
    ['deny', 'SRC/**', '/p/src/a', true],
    ['deny', 'secrets', '/p/secrets/a/b', true],
    ['deny', '#a', '/p/#a', true],
    ['allow', '**', '/p', false],
  ] as const)('%s Edit(%s) is about %s: %s', (behaviour, spec, path, fits) => {
    expect(ruleFitsPlace(parseRule(`Edit(${spec})`, behaviour, source), { given: path, real: path }, world)).toBe(fits);
  });

  test.each([
    ['/p/.git/config', true],
    ['/p/.GIT/hooks/x', true],
    ['/p/.github/x', false],
    ['/p/.gitignore', false],
    ['/home/me/.bashrc', true],
    ['/p/.claude/agents/a.md', true],
    ['/p/.claude/worktrees/w/a.ts', false],
    ['/p/.claude/worktrees/w/.git/x', true],
    ['/p/.config/git/config', true],
    ['/p/src/a.ts', false],
    ['/p/.git', true],
    ['/p/bashrc', false],
  ])('%s is protected: %s', (path, expected) => {
    expect(isProtected(path)).toBe(expected);
  });
});

test.each([
  ['example.com', 'example.com', true],
  ['example.com', 'a.example.com', false],
  ['*.example.com', 'a.b.example.com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', 'badexample.com', false],
  ['example.*', 'example.org', true],
  ['example.*', 'example.evil.com', false],
  ['*', 'anything', true],
  ['EXAMPLE.com.', 'example.com', true],
])('domain:%s means %s: %s', (spec, host, matches) => {
  expect(matchesDomain(`domain:${spec}`, host)).toBe(matches);
});

describe('tools by name', () => {
  const decided = (set: Parameters<typeof decideIn>[0], name: string, input = {}) =>
    decideIn(set, world, callOf(name, input)).behaviour;

  test.each([
    [{ allow: ['mcp__a'] }, 'mcp__a__x', 'allow'],
    // The server "a__b".
    [{ allow: ['mcp__a__b'] }, 'mcp__a__b__x', 'ask'],
    [{ allow: ['mcp__a'], deny: ['mcp__a__b'] }, 'mcp__a__b__x', 'deny'],
    [{ allow: ['mcp__a__*'] }, 'mcp__a__x', 'allow'],
    [{ allow: ['mcp__a__get_*'] }, 'mcp__a__get_x', 'allow'],
    [{ allow: ['mcp__a__get_*'] }, 'mcp__a__set_x', 'ask'],
    [{ allow: ['mcp__a'] }, 'mcp__ab__x', 'ask'],
    [{ deny: ['mcp__*'], allow: ['mcp__a'] }, 'mcp__a__x', 'deny'],
    [{ deny: ['*'], allow: ['mcp__a'] }, 'mcp__a__x', 'deny'],
    [{ ask: ['mcp__a__x'], allow: ['mcp__a'] }, 'mcp__a__x', 'ask'],
  ] as const)('%j %s: %s', (set, name, expected) => {
    expect(decided(set, name)).toBe(expected);
  });

  test('agents and skills by the name they are called by, under both names of the tool', () => {
    for (const deny of ['Task(Explore)', 'Agent(Explore)']) {
      expect(decided({ deny: [deny], allow: ['Task'] }, 'Task', { subagent_type: 'Explore' })).toBe('deny');
      expect(decided({ deny: [deny], allow: ['Agent'] }, 'Agent', { subagent_type: 'Plan' })).toBe('allow');
    }
    expect(decided({ allow: ['Skill(pdf)'] }, 'Skill', { skill: 'pdf' })).toBe('allow');
    expect(decided({ allow: ['Skill(pdf)'] }, 'Skill', { skill: 'xls' })).toBe('ask');
  });

  test('deny and ask rules may name a parameter, allow rules may not', () => {
    expect(
      decided({ allow: ['Task'], deny: ['Task(model:opus)'] }, 'Task', { subagent_type: 'a', model: 'opus' }),
    ).toBe('deny');
    const inBackground = { command: 'make', run_in_background: true };
    expect(decided({ allow: ['Bash'], deny: ['Bash(run_in_background:true)'] }, 'Bash', inBackground)).toBe('deny');
    expect(decided({ allow: ['Bash(run_in_background:true)'] }, 'Bash', inBackground)).toBe('ask');
  });
});
