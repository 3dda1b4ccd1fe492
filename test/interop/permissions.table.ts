// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell
/** Rules and calls for both clients. The third of a call is what is known to come out differently: theirs, then ours. */
import type { RuleSet } from '../agent/permissions/sets.table.ts';

export type Outcome = 'allow' | 'ask' | 'deny' | 'none';

export interface Case {
  readonly name: string;
  readonly set: RuleSet;
  readonly calls: readonly (readonly [string, string, `${Outcome}/${Outcome}`?])[];
}

const bash = (...commands: string[]): Case['calls'] => commands.map((command) => ['Bash', command] as const);

export const CASES: readonly Case[] = [
  {
    name: 'rules about commands',
    set: {
      allow: [
        'Bash(mkdir:*)',
        'Bash(cp:*)',
        'Bash(touch:*)',
        'Bash(tee:*)',
        'Bash(git * main)',
        'Bash(npm run test *)',
        'Bash(python3:*)',
        'Bash(bash:*)',
      ],
      ask: ['Bash(id:*)'],
      deny: ['Bash(whoami:*)', 'Read(.env)'],
    },
    calls: [
      ...bash(
        'mkdir d1',
        'mkdir @/out/d2',
        'cp a.txt c.txt',
        'cp a.txt @/out/c.txt',
        'cp a.txt .git/x',
        'touch t1',
        'echo x | tee t2',
      ),
      ...bash(
        'echo hi > r.txt',
        'echo hi > @/out/r.txt',
        'echo hi > /dev/null',
        'ls @/out',
        'cat a.txt',
        'cat .env',
        'cat @/out/o.txt',
        'cat *.txt',
      ),
      ...bash(
        'whoami',
        'ls; whoami',
        'echo $(whoami)',
        'echo `whoami`',
        'X=$(whoami)',
        'who""ami',
        '/usr/bin/whoami',
        'command whoami',
        'env FOO=1 whoami',
      ),
      ...bash(
        'id',
        'id -u && ls',
        'git checkout main',
        'npm run test',
        'npm run testx',
        'FOO=1 touch x',
        'NODE_ENV=1 touch x',
        'timeout 5 touch y',
      ),
      ...bash(
        'ls -la | head -3',
        'true',
        'echo "$HOME"',
        'if true; then echo a; fi',
        '[ -f a.txt ] && echo y',
        'echo a | xargs echo',
        'sort a.txt',
        'sed -n 1p a.txt',
        'date',
        'which node',
        'rg x .',
        'grep -r x .',
        'echo a &',
        'echo ${HOME:-x}',
        'x=1; echo $x',
        'cat <<EOF\n$(whoami)\nEOF',
        'awk 1 a.txt',
        'export A=1',
        '! echo a',
        'node --version',
        'python3 x.py',
      ),
      // The program is parsed here, and what is in it decides.
      ['Bash', 'bash -c "whoami"', 'allow/deny'],
      ['Bash', 'bash -c "echo hi"', 'allow/ask'],
      ['Bash', 'python3 -c "print(1)"', 'allow/ask'],
      ['Bash', 'eval whoami', 'ask/deny'],
      // All that could run is known and harmless.
      ['Bash', '(echo a)', 'ask/allow'],
      ['Bash', '{ echo a; }', 'ask/allow'],
      ['Bash', 'cat <<EOF\nhi\nEOF', 'ask/allow'],
      ['Bash', 'for f in a b; do echo "$f"; done', 'ask/allow'],
    ],
  },
  {
    name: 'acceptEdits',
    set: { mode: 'acceptEdits', deny: ['Bash(whoami:*)', 'Read(.env)'] },
    calls: [
      ['Read', 'a.txt'],
      ['Read', '@/out/o.txt'],
      ['Read', '.env'],
      ['Write', 'n.txt'],
      ['Write', '@/out/n.txt'],
      ['Write', '.git/n'],
      ['Write', '.bashrc'],
      ['Write', 'src/q.ts'],
      ...bash(
        'echo hi > r.txt',
        'mkdir d',
        'cp a.txt b.txt',
        'sed -i s/x/y/ a.txt',
        'touch .git/x',
        'touch @/out/x',
        'npm --version',
        'python3 -c 1',
        'whoami',
        'rm b.txt',
      ),
    ],
  },
  {
    name: 'everything but',
    set: { allow: ['Bash'], deny: ['Edit(.env)', 'Bash(zz -rf *)', 'Bash(git push:*)'] },
    calls: [
      ...bash(
        'whoami',
        'echo a > .env',
        'cp a.txt .env',
        'tee .env < a.txt',
        'zz -rf x',
        'xargs zz -rf < a.txt',
        'echo hi > .git/config',
        'echo a > @/out/z',
        'python3 -c 1 && ls @/out',
      ),
      ['Bash', '$X', 'allow/ask'],
      ['Bash', 'eval "zz -rf x"', 'allow/deny'],
      ['Bash', 'bash -c "zz -rf x"', 'allow/deny'],
      ['Bash', 'git -C . push', 'allow/deny'],
      ['Bash', 'find . -exec zz -rf x ;', 'allow/deny'],
      ['Bash', 'cat "unterminated', 'allow/ask'],
    ],
  },
  {
    name: 'rules about paths',
    set: { allow: ['Edit(src/**)', 'Read(//tmp/**)'], ask: ['Edit(src/b.ts)'] },
    calls: [
      ['Write', 'src/b.ts'],
      // What is to be asked is asked here too.
      ['Bash', 'echo hi > src/b.ts', 'allow/ask'],
      ['Write', 'src/n.ts'],
      ['Write', 'x/src/n.ts'],
      ['Write', 'n.ts'],
      ['Write', 'src/.git/n'],
      ['Read', '@/out/o.txt'],
      ...bash('echo hi > src/z.ts', 'echo hi > z.ts', 'echo hi >> src/z.ts && cat src/z.ts'),
    ],
  },
  {
    name: 'rules that are broken',
    set: { allow: ['Bash(', 'Bash(npm', 'Bash()', 'Edit(', 'Write(src/**)', 'B*', 'Foo(bar)'] },
    calls: [...bash('npm --version x', 'python3 -c 1', 'touch x'), ['Write', 'src/a.ts'], ['Write', 'z.ts']],
  },
];
