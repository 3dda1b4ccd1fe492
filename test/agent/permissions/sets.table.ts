/** Rule sets people have, by name. */
export interface RuleSet {
  readonly mode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export const SETS = {
  none: {},
  /** A project that lets its own work run. */
  typical: {
    allow: [
      'Bash(git log:*)',
      'Bash(git diff:*)',
      'Bash(git status:*)',
      'Bash(git add:*)',
      'Bash(git commit:*)',
      'Bash(npm test:*)',
      'Bash(npm run *)',
      'Bash(npx tsc:*)',
      'Bash(ls:*)',
      'Bash(cat:*)',
      'Bash(echo:*)',
      'Bash(grep:*)',
      'Bash(find:*)',
      'Bash(make test)',
      'Edit(src/**)',
      'WebFetch(domain:docs.example.com)',
      'mcp__files__read_file',
    ],
    ask: ['Bash(git push:*)'],
    deny: ['Bash(rm:*)', 'Bash(curl:*)', 'Read(.env)', 'Read(secrets/**)', 'Edit(package-lock.json)'],
  },
  /** Allows programs that can do anything by an option. */
  wide: {
    allow: [
      'Bash(git:*)',
      'Bash(find:*)',
      'Bash(tar:*)',
      'Bash(rsync:*)',
      'Bash(sed:*)',
      'Bash(awk:*)',
      'Bash(xargs:*)',
      'Bash(env:*)',
      'Bash(sudo:*)',
      'Bash(bash:*)',
      'Bash(sh:*)',
      'Bash(python3:*)',
      'Bash(node:*)',
      'Bash(perl:*)',
      'Bash(ssh:*)',
      'Bash(npm:*)',
      'Bash(make:*)',
      'Bash(sort:*)',
      'Bash(go:*)',
      'Bash(watch:*)',
      'Bash(flock:*)',
      'Bash(setsid:*)',
      'Bash(man:*)',
      'Bash(vim:*)',
      'Bash(tee:*)',
      'Bash(cp:*)',
      'Bash(mv:*)',
      'Bash(ln:*)',
      'Bash(dd:*)',
      'Bash(rg:*)',
      'Bash(zip:*)',
      'Bash(wget:*)',
      'Bash(printf:*)',
      'Bash(test:*)',
      'Bash(read:*)',
      'Bash(touch:*)',
    ],
  },
  /** Everything but. */
  bare: {
    allow: ['Bash', 'Edit', 'WebFetch'],
    deny: [
      'Bash(rm:*)',
      'Bash(git push:*)',
      'Bash(curl *)',
      'Read(.env)',
      'Edit(src/generated/**)',
      'WebFetch(domain:*.evil.example)',
    ],
    ask: ['Bash(npm publish:*)'],
  },
  bypass: {
    mode: 'bypassPermissions',
    deny: ['Bash(rm:*)', 'Read(.env)', 'Edit(secrets/**)', 'mcp__db'],
    ask: ['Bash(git push:*)', 'Edit(docs/**)'],
  },
  edits: { mode: 'acceptEdits', allow: ['Bash(npm test)'] },
  plan: { mode: 'plan', allow: ['Bash', 'Edit', 'Bash(npm test:*)'] },
  broken: {
    allow: [
      'Bash(',
      'Bash(ls',
      'Bash()',
      'Edit(',
      'Write(src/**)',
      '*',
      'B*',
      'mcp__*',
      'Foo(bar)',
      '(x',
      'Bash(command:rm *)',
      'WebFetch(example.com)',
      'Edit(!src/**)',
      'Bash (rm)',
      'bash',
      'Bash(git:* push)',
    ],
  },
  brokenDeny: { allow: ['Bash', 'Edit', 'Read'], deny: ['Bash(', 'Edit(!x)'] },
} as const satisfies Record<string, RuleSet>;

export type SetName = keyof typeof SETS;
export type Expected = 'allow' | 'ask' | 'deny' | 'not allow';
/** Rules, tool, what it is told (the command, path or address; or the whole input), what has to come out. `@` is the folder around. */
export type Row = readonly [SetName, string, string | Readonly<Record<string, string | boolean>>, Expected];

/** Rows for commands of which the same is expected. */
export const bash = (set: Row[0], expected: Row[3], ...commands: string[]): Row[] =>
  commands.map((command) => [set, 'Bash', command, expected]);
