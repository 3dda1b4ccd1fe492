/** Which calls run, are asked about, or are denied, and what is said and written of it. What the engine decides is in permissions/. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Consent, createGate, type GateOptions, MODES } from '../../src/agent/gate.ts';
import type { Asked } from '../../src/agent/ports.ts';
import type { Tool } from '../../src/agent/tools/tool.ts';
import { asString, type JsonObject } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { rulesOf } from './permissions/folder.ts';

function tool(name: string, acts: Tool['acts']): Tool {
  return {
    name,
    description: '',
    acts,
    definition: () => ({ name }),
    refuse: () => undefined,
    parallel: () => false,
    ...(acts !== 'runs' && acts !== 'fetches' && { path: (input: JsonObject) => asString(input.file_path) }),
    run: async () => ({ content: '', result: null }),
  };
}

const READ = tool('Read', 'reads');
const EDIT = tool('Edit', 'writes');
const BASH = tool('Bash', 'runs');
const FETCH = tool('WebFetch', 'fetches');

const NOWHERE = { cwd: () => '/nowhere', root: '/nowhere', home: '/home/me', folders: ['/nowhere'] };

async function decide(of: Tool, input: JsonObject, options: Partial<GateOptions> = {}, hook?: Asked['hook']) {
  const gate = createGate({ mode: 'default', ...NOWHERE, ...options });
  const { signal } = new AbortController();
  return gate.decide({ id: 'toolu_1', tool: of, input, signal, ...(hook && { hook }) });
}

describe('modes', () => {
  test.each(MODES)('reading in the folders of the work needs no permission in %s', async (mode) => {
    expect(await decide(READ, { file_path: 'a' }, { mode })).toEqual({
      allow: true,
      record: { decision: 'accept', source: 'config', reasonType: 'mode' },
    });
  });

  test('reading elsewhere does, but in bypassPermissions', async () => {
    const input = { file_path: '/etc/hosts' };
    expect(await decide(READ, input)).toMatchObject({ allow: false, record: { reasonCode: 'workingDir' } });
    expect(await decide(READ, input, { mode: 'bypassPermissions' })).toMatchObject({ allow: true });
  });

  test.each([EDIT, BASH, FETCH])(
    'with nobody to ask $name is denied, and the way to allow it is named',
    async (each) => {
      const decision = await decide(each, { command: 'make', file_path: 'a', url: 'https://a.example' });
      expect(decision).toMatchObject({
        allow: false,
        denial: 'user-rejected',
        record: { decision: 'reject', source: 'config' },
      });
      const message = decision.allow ? '' : decision.message;
      expect(message).toContain(`--allowedTools ${each.name}`);
      expect(message).toContain('--permission-mode');
    },
  );

  test('plan denies what a rule allows; bypassPermissions allows all but what is forbidden', async () => {
    const mode = 'bypassPermissions';
    expect(
      await decide(BASH, { command: 'make' }, { mode: 'plan', rules: rulesOf({ allow: ['Bash'] }) }),
    ).toMatchObject({ allow: false });
    expect(await decide(BASH, { command: 'make' }, { mode })).toMatchObject({ allow: true });
    expect(
      await decide(BASH, { command: 'ls; rm -rf x' }, { mode, rules: rulesOf({ deny: ['Bash(rm:*)'] }) }),
    ).toMatchObject({
      allow: false,
      denial: 'permission-rule',
      record: { reasonType: 'rule', ruleSource: 'projectSettings', reasonCode: 'rule:projectSettings' },
    });
  });

  test('bypassPermissions tells a person of protected files', async () => {
    const told: string[] = [];
    const options = { mode: 'bypassPermissions' as const, notice: (words: string) => told.push(words) };
    expect(await decide(EDIT, { file_path: '.git/config' }, options)).toMatchObject({ allow: true });
    expect(await decide(BASH, { command: 'echo x >> .bashrc' }, options)).toMatchObject({ allow: true });
    expect(told).toEqual([
      expect.stringContaining('/nowhere/.git/config'),
      expect.stringContaining('/nowhere/.bashrc'),
    ]);
  });

  test('dontAsk denies without asking, as the client records it', async () => {
    const ask = () => Promise.reject(new Error('asked'));
    expect(await decide(EDIT, { file_path: 'a' }, { mode: 'dontAsk', ask })).toMatchObject({
      allow: false,
      denial: 'permission-rule',
      record: { decision: 'reject', source: 'config', reasonType: 'mode', reasonCode: 'mode:dontAsk' },
    });
  });
});

describe('asking', () => {
  const asking = (answers: Consent[], options: Partial<GateOptions> = {}) => {
    const asked: string[] = [];
    const gate = createGate({
      mode: 'default',
      ...NOWHERE,
      ...options,
      ask: async (what, why) => {
        asked.push(`${what.tool.name}: ${why}`);
        return answers.shift() ?? 'no';
      },
    });
    const { signal } = new AbortController();
    return { asked, decide: (of: Tool, input: JsonObject) => gate.decide({ id: 'a', tool: of, input, signal }) };
  };
  const record = { decision: 'accept', source: 'user_temporary', reasonCode: 'unknown' };
  const make = { command: 'make' };

  test('yes holds for one call, always for the same one in this session, each recorded as the client does', async () => {
    const { asked, decide: each } = asking(['once', 'always']);
    expect(await each(BASH, make)).toEqual({ allow: true, record: { ...record, grantScope: 'once' } });
    expect(await each(BASH, make)).toEqual({ allow: true, record: { ...record, grantScope: 'session' } });
    expect(await each(BASH, make)).toEqual({ allow: true, record: { ...record, grantScope: 'session' } });
    expect(asked).toEqual(['Bash: No rule allows "make".', 'Bash: No rule allows "make".']);
    expect(await each(BASH, { command: 'make install' })).toMatchObject({ allow: false });
  });

  test('always to an edit is about all edits in the folders of the work, and nothing else', async () => {
    const { asked, decide: each } = asking(['always']);
    for (const file_path of ['a', 'b']) expect(await each(EDIT, { file_path })).toMatchObject({ allow: true });
    expect(asked).toHaveLength(1);
    for (const file_path of ['/elsewhere/a', '.git/config'])
      expect(await each(EDIT, { file_path })).toMatchObject({ allow: false });
  });

  test('what a rule wants to be asked is asked each time', async () => {
    const { asked, decide: each } = asking(['always', 'once'], {
      rules: rulesOf({ allow: ['Bash'], ask: ['Bash(make:*)'] }),
    });
    expect(await each(BASH, make)).toMatchObject({ allow: true, record: { grantScope: 'once' } });
    expect(await each(BASH, make)).toMatchObject({ allow: true });
    expect(asked).toHaveLength(2);
  });

  test('no ends the turn with the words other programs look for, and leaves no record', async () => {
    const decision = await asking(['no']).decide(EDIT, { file_path: 'a' });
    expect(decision).toMatchObject({ allow: false, interrupt: true });
    expect(decision.record).toBeUndefined();
    expect(decision.allow ? '' : decision.message).toMatch(/^The user doesn't want to proceed with this tool use\. /);
  });
});

describe('a hook before the call', () => {
  const allows = { what: 'allow' } as const;

  test('saves the question, no more', async () => {
    expect(await decide(BASH, { command: 'make' }, {}, allows)).toMatchObject({
      allow: true,
      record: { source: 'hook' },
    });
    const rules = rulesOf({ deny: ['Bash(rm:*)'], ask: ['Bash(git push:*)'] });
    for (const command of ['rm x', 'git push', 'echo x > .git/config', 'rm -rf /', '$X']) {
      expect(await decide(BASH, { command }, { rules }, allows), command).toMatchObject({ allow: false });
    }
  });

  test('can want a person to decide what a rule allows', async () => {
    const ask = async () => 'no' as const;
    expect(await decide(READ, { file_path: 'a' }, { ask }, { what: 'ask' })).toMatchObject({
      allow: false,
      interrupt: true,
    });
  });
});

describe('records, as the client writes them', () => {
  test.each([
    [
      { allow: ['Edit(a)'] },
      EDIT,
      { file_path: 'a' },
      { decision: 'accept', source: 'config', reasonType: 'rule', ruleSource: 'projectSettings' },
    ],
    [
      { allow: ['Bash(make:*)'] },
      BASH,
      { command: 'make' },
      { decision: 'accept', source: 'config', reasonType: 'subcommandResults' },
    ],
    [{}, BASH, { command: 'ls' }, { decision: 'accept', source: 'config', reasonType: 'subcommandResults' }],
    [{}, BASH, { command: 'make' }, { decision: 'reject', source: 'config', reasonCode: 'bashMiss:no-rule-match' }],
    [{}, EDIT, { file_path: 'a' }, { decision: 'reject', source: 'config', reasonCode: 'unknown' }],
    [{}, EDIT, { file_path: '.git/a' }, { decision: 'reject', source: 'config', reasonCode: 'safetyCheck' }],
    [
      { ask: ['Bash(id)'] },
      BASH,
      { command: 'id' },
      { decision: 'reject', source: 'config', ruleSource: 'projectSettings', reasonCode: 'rule:projectSettings' },
    ],
  ])('%j %o', async (set, of, input, record) => {
    expect((await decide(of, input, { rules: rulesOf(set, '/nowhere') })).record).toEqual(record);
  });
});

test('what the session keeps elsewhere may be read, not written', async () => {
  const readable = () => ['/keep/session'];
  expect(await decide(READ, { file_path: '/keep/session/a.txt' }, { readable })).toMatchObject({ allow: true });
  expect(await decide(BASH, { command: 'head /keep/session/a.txt' }, { readable })).toMatchObject({ allow: true });
  expect(await decide(BASH, { command: 'touch /keep/session/a.txt' }, { readable, mode: 'acceptEdits' })).toMatchObject(
    { allow: false },
  );
  expect(await decide(EDIT, { file_path: '/keep/session/a.txt' }, { readable, mode: 'acceptEdits' })).toMatchObject({
    allow: false,
  });
});

test('acceptEdits follows links before it lets an edit pass', async () => {
  const root = realpathSync(tempFolder());
  for (const folder of ['work', 'other']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'work', 'a.txt'), '');
  symlinkSync(join(root, 'other'), join(root, 'work', 'out'));
  symlinkSync(join(root, 'work'), join(root, 'link'));
  const work = join(root, 'work');
  const options = { mode: 'acceptEdits' as const, cwd: () => work, root: work, folders: [join(root, 'link')] };
  const passes = async (file_path: string) => (await decide(EDIT, { file_path }, options)).allow;
  expect(await Promise.all(['a.txt', 'new/b.txt', '../link/a.txt'].map(passes))).toEqual([true, true, true]);
  expect(await Promise.all(['out/x', '../other/x', '../work-not/x', '.git/x'].map(passes))).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
