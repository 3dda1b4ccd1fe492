/** What holds for every rule and every command. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLine } from '../../src/agent/permissions/bash/parts.ts';
import type { Behaviour, World } from '../../src/agent/permissions/types.ts';
import { callOf, decideIn, parser } from '../agent/permissions/folder.ts';
import { HOSTILE } from '../agent/permissions/hostile.table.ts';
import { ORDINARY } from '../agent/permissions/ordinary.table.ts';
import { type RuleSet, SETS } from '../agent/permissions/sets.table.ts';

/** Nothing is a link here: the disk has its say in the tables. */
const world: World = {
  cwd: '/home/me/ws',
  root: '/home/me/ws',
  home: '/home/me',
  folders: ['/home/me/ws'],
  resolve: (path) => path,
};
const RANK: Record<Behaviour, number> = { allow: 0, ask: 1, deny: 2 };

const rows = [...HOSTILE, ...ORDINARY];
const calls = rows
  .filter(([, , told]) => typeof told === 'string' && !told.includes('@'))
  .map(([, tool, told]) => callOf(tool, told));
const commands = rows.flatMap(([, tool, told]) => (tool === 'Bash' && typeof told === 'string' ? [told] : []));
const pool = Object.values(SETS).flatMap((set: RuleSet) => [
  ...(set.allow ?? []),
  ...(set.ask ?? []),
  ...(set.deny ?? []),
]);

const rule = fc.oneof(
  fc.constantFrom(...pool),
  fc.constantFrom(...commands).map((command) => `Bash(${command.split(' ')[0]}:*)`),
  fc.constantFrom(...commands).map((command) => `Bash(${command})`),
  fc.string(),
);
const some = fc.array(rule, { maxLength: 6 });
const set = fc.record({
  allow: some,
  ask: some,
  deny: some,
  mode: fc.constantFrom('default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'),
});
const call = fc.constantFrom(...calls);

function rank(rules: RuleSet, of: ReturnType<typeof callOf>): number {
  return RANK[decideIn(rules, world, of).behaviour];
}

test('a further deny or ask rule never lets more through', () => {
  fc.assert(
    fc.property(set, rule, fc.constantFrom('deny', 'ask'), call, (rules, extra, list, of) => {
      const more = { ...rules, [list]: [...rules[list], extra] };
      expect(rank(more, of)).toBeGreaterThanOrEqual(rank(rules, of));
    }),
    { numRuns: 1500 },
  );
});

test('a further allow rule lets nothing through that is denied', () => {
  fc.assert(
    fc.property(set, rule, call, (rules, extra, of) => {
      const before = rank(rules, of);
      if (before === RANK.deny) expect(rank({ ...rules, allow: [...rules.allow, extra] }, of)).toBe(before);
    }),
    { numRuns: 1000 },
  );
});

describe('of commands put together', () => {
  const whole = commands.filter((each) => !/[#\n]|<</.test(each) && readLine(each, parser).opaque.length === 0);
  const command = fc.constantFrom(...whole);
  const joiner = fc.constantFrom(' && ', ' || ', '; ', ' | ', ' |& ');
  const named = fc.constantFrom(...Object.values(SETS));

  test('none is laxer than its parts', () => {
    expect(whole.length).toBeGreaterThan(200);
    fc.assert(
      fc.property(named, command, joiner, command, (rules, a, join, b) => {
        const together = rank(rules, callOf('Bash', `${a}${join}${b}`));
        expect(together).toBeGreaterThanOrEqual(rank(rules, callOf('Bash', a)));
        expect(together).toBeGreaterThanOrEqual(rank(rules, callOf('Bash', b)));
        // The grammar stumbles over some line ends; then it is asked.
        const lines = rank(rules, callOf('Bash', `${a}\n${b}`));
        if (lines === RANK.allow)
          expect([rank(rules, callOf('Bash', a)), rank(rules, callOf('Bash', b))]).toEqual([0, 0]);
      }),
      { numRuns: 1500 },
    );
  });

  const around = fc.constantFrom<(inner: string) => string>(
    (x) => `(${x})`,
    (x) => `{ ${x}; }`,
    (x) => `echo $(${x})`,
    (x) => `echo "a $(${x}) b"`,
    (x) => `cat <(${x})`,
    (x) => `if true; then ${x}; fi`,
    (x) => `for i in 1; do ${x}; done`,
    (x) => `while false; do ${x}; done`,
    (x) => `case a in a) ${x};; esac`,
    (x) => `f() { ${x}; }`,
    (x) => `ls && ${x}`,
    (x) => `A=$(${x})`,
    (x) => `bash -c '${x.replaceAll("'", `'\\''`)}'`,
    (x) => `eval '${x.replaceAll("'", `'\\''`)}'`,
    (x) => `[[ -n $(${x}) ]]`,
    (x) => `cat <<E\n$(${x})\nE\n`,
    (x) => `! ${x}`,
  );

  test('a forbidden one runs behind no nesting', () => {
    fc.assert(
      fc.property(
        fc.array(around, { maxLength: 6 }),
        fc.constantFrom<string>('rm x', 'git push', 'curl u'),
        (nest, inner) => {
          const outer = nest.reduce((x, wrap) => wrap(x), inner);
          for (const name of ['bare', 'none'] as const)
            expect(rank(SETS[name], callOf('Bash', outer)), outer).toBeGreaterThan(0);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('of quotes and blanks', () => {
  const disguise = fc.constantFrom<(char: string) => string>(
    (c) => c,
    (c) => `'${c}'`,
    (c) => `"${c}"`,
    (c) => `\\${c}`,
    (c) => `$'${c}'`,
    (c) => `$'\\x${c.charCodeAt(0).toString(16)}'`,
    (c) => `$'\\${c.charCodeAt(0).toString(8).padStart(3, '0')}'`,
    (c) => `''${c}`,
    (c) => `${c}""`,
    (c) => `\\\n${c}`,
  );
  const blank = fc.constantFrom(' ', '  ', '\t', ' \\\n', ' \\\n\t');

  test('a forbidden command stays forbidden in every spelling', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('rm -rf x', 'git push origin', 'curl http', '/bin/rm y'),
        fc.array(disguise, { minLength: 20, maxLength: 20 }),
        blank,
        (text, ways, gap) => {
          const spelled = [...text]
            .map((char, i) => (char === ' ' ? gap : (ways[i % ways.length]?.(char) ?? char)))
            .join('');
          expect(decideIn(SETS.bare, world, callOf('Bash', spelled)).behaviour, spelled).not.toBe('allow');
          expect(decideIn(SETS.none, world, callOf('Bash', spelled)).behaviour, spelled).not.toBe('allow');
        },
      ),
      { numRuns: 1500 },
    );
  });

  test('harmless words in quotes are only words', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'abc ;&|<>()*?~#!{}[]') }), (text) => {
        expect(decideIn(SETS.bare, world, callOf('Bash', `echo '${text}'`)).behaviour).toBe('allow');
      }),
    );
  });
});

test('whatever the command is, there is an answer', () => {
  const shell = fc.string({
    unit: fc.constantFrom(
      ...'ab rm$(){}[]<>|&;"\'\\`\n\t#!*?~=0\0\r\u202e',
      '$((',
      '<<E\n',
      '\nE\n',
      '${',
      '[[ ',
      ' ]]',
      'case a in ',
      ' esac',
      'if ',
      ' fi',
      "$'",
    ),
    maxLength: 60,
  });
  const deep = fc
    .tuple(fc.constantFrom('(', '$(', '{ ', '"$(', '[[ ', '${a:-', '`', '!', '<('), fc.integer({ min: 1, max: 3000 }))
    .map(([open, times]) => open.repeat(times));
  fc.assert(
    fc.property(
      fc.oneof(shell, deep, fc.string({ unit: 'binary' })),
      fc.constantFrom(...Object.values(SETS)),
      (command, rules) => {
        expect(['allow', 'ask', 'deny']).toContain(decideIn(rules, world, callOf('Bash', command)).behaviour);
      },
    ),
    { numRuns: 1500 },
  );
});
