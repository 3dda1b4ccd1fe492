/** Slash commands and skills, recorded as the published client does (recordings i-slash). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expand, withArguments } from '../../../src/agent/commands/expand.ts';
import { findCommands } from '../../../src/agent/commands/find.ts';
import { parseMatter } from '../../../src/agent/commands/frontmatter.ts';
import { calledIn } from '../../../src/agent/commands/parse.ts';
import { asArray, asObject, asString, type JsonObject } from '../../../src/format/json.ts';
import { transcriptsBelow } from '../../support/files.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { talkWith } from '../talkwith.ts';
import { linesOf } from '../world.ts';

const GREET =
  '---\ndescription: Greets\nallowed-tools: Bash(touch:*), Read\nargument-hint: [name]\n---\nPlease greet $ARGUMENTS warmly. Args were: $ARGUMENTS\n';
const DEMO = '---\nname: demo\ndescription: Does the demo\n---\n\n# Demo skill\n\nDo the demo. ARGS=$ARGUMENTS\n';
const TRUSTED = { '~/.claude.json': { projects: { '/': { hasTrustDialogAccepted: true } } } };
const FILES = { '.claude/commands/greet.md': GREET, '.claude/skills/demo/SKILL.md': DEMO, 'CLAUDE.md': 'Be kind.\n' };
const RECORDED = new URL('../../fixtures/recorded/2.1.325/i-slash/projects', import.meta.url).pathname;

/** The lines of people and of commands, without ids, times and folders. */
function saidIn(entries: readonly JsonObject[], cwd: string): string[] {
  return entries.flatMap((entry) => {
    const { type, message, isMeta, subtype, content, attachment } = entry;
    const words = asObject(message)?.content;
    const text = asString(words) ?? asString(asObject(asArray(words)?.[0])?.text);
    const kind = asString(asObject(attachment)?.type);
    if (type === 'user' && text !== undefined)
      return [`${isMeta === true ? 'meta' : 'user'} ${text.replaceAll(cwd, 'CWD')}`];
    if (kind === 'command_permissions') return [kind];
    return subtype === 'local_command' ? [`local ${String(content).slice(0, 40)}`] : [];
  });
}

test('the session of the recording: the same lines', async () => {
  const [file = ''] = transcriptsBelow(RECORDED);
  const theirs = linesOf(file);
  const cwd = asString(theirs.find((entry) => entry.cwd !== undefined)?.cwd) ?? '';
  const answers = [
    'Hello Bob.',
    'Welcome.',
    'Demo done.',
    calls('Skill', { skill: 'demo', args: 'model' }),
    'Skill used.',
    'Unknown handled.',
    'Seen.',
    'Bye.',
  ];
  const chat = await talkWith(
    answers.map((each) => (typeof each === 'string' ? says(each) : each)),
    FILES,
  );
  const prompts = [
    '/greet Bob Smith',
    'Thanks',
    '/demo now',
    'Use the demo skill',
    '/cost',
    '/context',
    '/nosuchcmd hi',
    'Look at @CLAUDE.md please',
    'Bye',
  ];
  for (const prompt of prompts) expect((await chat.say(prompt, 'bypassPermissions')).reason).toBe('end_turn');
  const isCaveat = (line: string) => line.includes('<local-command-caveat>');
  const ours = saidIn(chat.entries(), chat.cwd);
  const apart = (lines: readonly string[]) =>
    lines.filter((line) => !isCaveat(line)).map((line) => (line.startsWith('local') ? line.slice(0, 28) : line));
  expect(apart(ours)).toEqual(apart(saidIn(theirs, cwd)));
  expect(ours.filter(isCaveat).length).toBe(2);
  const sent = JSON.stringify(chat.model.requests.map(({ body }) => body.messages));
  expect(sent).toContain('Result of calling the Read tool:\\n1\\tBe kind.');
  expect(sent).toContain('begins like the slash command /nosuchcmd');
  expect(JSON.stringify(chat.model.requests[0]?.body.system)).toContain('- demo: Does the demo');
  expect(chat.entries().findLast(({ type }) => type === 'last-prompt')?.lastPrompt).toBe('Bye');
});

describe('what a command may do', () => {
  test('allowed-tools hold for its turn, and only then; deny rules hold in it', async () => {
    const script = [
      calls('Bash', { command: 'touch one' }),
      says('ok'),
      calls('Bash', { command: 'touch two' }),
      says('ok'),
    ];
    const chat = await talkWith(script, { ...FILES, ...TRUSTED });
    await chat.say('/greet Bob');
    await chat.say('and again');
    expect([existsSync(join(chat.cwd, 'one')), existsSync(join(chat.cwd, 'two'))]).toEqual([true, false]);
    const strict = await talkWith(script, {
      ...FILES,
      ...TRUSTED,
      '~/.claude/settings.json': { permissions: { deny: ['Bash(touch:*)'] } },
    });
    await strict.say('/greet Bob');
    expect(existsSync(join(strict.cwd, 'one'))).toBe(false);
  });

  test.each([true, false])(
    'what the model loads from a project lets run only what trust allows (%s)',
    async (isTrusted) => {
      const skill = DEMO.replace('---\n', '---\nallowed-tools: Bash(touch:*)\n');
      const script = [calls('Skill', { skill: 'demo' }), calls('Bash', { command: 'touch one' }), says('ok')];
      const chat = await talkWith(script, { '.claude/skills/demo/SKILL.md': skill, ...(isTrusted && TRUSTED) });
      await chat.say('Go');
      expect(existsSync(join(chat.cwd, 'one'))).toBe(isTrusted);
    },
  );

  test('!`command` runs after the same question; what may not run makes the command fail', async () => {
    const body = '---\nallowed-tools: Bash(touch:*)\n---\nNow: !`touch made` and !`echo $0`\n';
    const chat = await talkWith([says('ok')], {
      ...TRUSTED,
      '.claude/commands/go.md': body,
      '.claude/commands/bad.md': 'Run !`touch bad`\n',
    });
    await chat.say('/go there');
    expect(existsSync(join(chat.cwd, 'made'))).toBe(true);
    expect(JSON.stringify(chat.model.requests[0]?.messages)).toContain('Now:  and there');
    const { text } = await chat.say('/bad');
    expect(text).toContain('Shell command permission check failed for pattern \\"!`touch bad`\\"'.replaceAll('\\', ''));
    expect(existsSync(join(chat.cwd, 'bad'))).toBe(false);
    expect(chat.model.requests.length).toBe(1);
    expect(chat.entries().find(({ commandOutcome }) => commandOutcome !== undefined)).toMatchObject({
      subtype: 'local_command',
      commandRun: { command: 'bad', args: '' },
      commandOutcome: { kind: 'failed' },
    });
  });

  test('its model answers its turn', async () => {
    const chat = await talkWith([says('ok'), says('ok')], {
      '.claude/commands/small.md': '---\nmodel: haiku\n---\nHi\n',
    });
    await chat.say('/small');
    expect(String(chat.model.requests[0]?.body.model)).toContain('haiku');
  });

  test('a skill for people is not offered; one that is not there is told', async () => {
    const files = {
      '.claude/skills/a/SKILL.md': DEMO,
      '.claude/skills/b/SKILL.md': DEMO.replace('---\n', '---\ndisable-model-invocation: true\n'),
    };
    const chat = await talkWith([calls('Skill', { skill: 'b' }), says('ok')], files);
    await chat.say('Go');
    const result = chat.entries().find(({ toolUseResult }) => toolUseResult !== undefined);
    expect(result?.toolUseResult).toBe('Error: There is no skill named b. There are: a');
    const none = await talkWith([says('ok')]);
    await none.say('Go');
    expect(JSON.stringify(none.model.requests[0]?.body.tools)).not.toContain('"Skill"');
  });
});

test('local commands: answered without a model, and the session goes on', async () => {
  const chat = await talkWith([says('ok', { usage: { input_tokens: 1200, output_tokens: 30 } }), says('ok')]);
  await chat.say('Hi');
  expect((await chat.say('/cost')).text).toMatch(/^Total cost: +\$0\.\d{4}\n/);
  expect((await chat.say('/rename My title')).text).toBe('Session renamed to: My title');
  expect((await chat.say('/model haiku')).text).toMatch(/^Set model to .*haiku/);
  for (const command of ['/help', '/clear', '/resume', '/model', '/context']) {
    expect((await chat.say(command)).text).not.toBe('');
  }
  expect(chat.model.requests.length).toBe(1);
  await chat.say('More');
  expect(chat.model.requests.at(-1)?.refused).toBeUndefined();
  expect(chat.entries().some(({ customTitle }) => customTitle === 'My title')).toBe(true);
});

describe('parts', () => {
  test.each([
    ['Greet $ARGUMENTS ($1,$2,$ARGUMENTS[1])', 'Bob "Big Smith"', 'Greet Bob "Big Smith" (Big Smith,$2,Big Smith)'],
    ['No place', 'some words', 'No place\n\nARGUMENTS: some words'],
    ['No place', '', 'No place'],
    ['$ARGUMENTS', "$& $1 $'", "$& $1 $'"],
  ])('%s with %s', (body, args, made) => {
    expect(withArguments(body, args)).toBe(made);
  });

  test.each([
    ['/greet Bob', { name: 'greet', args: 'Bob' }],
    ['/sub:deep', { name: 'sub:deep', args: '' }],
    ['/usr/bin/env is broken', undefined],
    ['see /greet', undefined],
    ['/ greet', undefined],
  ])('%s', (prompt, called) => {
    expect(calledIn(prompt)).toEqual(called);
  });

  test('heads: texts, lists, folded lines, none', () => {
    const head = `---\ndescription: "A: b"\nallowed-tools:\n  - Bash(git log:*)\n  - Read\nlong: >\n  one\n  two\nlist: [a, 'b, c']\nempty:\n---\nBody\n`;
    expect(parseMatter(head)).toMatchObject({
      fields: { description: 'A: b', 'allowed-tools': ['Bash(git log:*)', 'Read'], long: 'one two', empty: '' },
      body: 'Body\n',
    });
    expect(parseMatter('No head\n---\n')).toEqual({ fields: {}, body: 'No head\n---\n' });
  });

  test("names: folders with colons, the user's own first, skills before commands", async () => {
    const chat = await talkWith([], {
      '.claude/commands/sub/deep.md': 'Deep',
      '.claude/commands/same.md': 'project',
      '~/.claude/commands/same.md': 'user',
      '.claude/commands/both.md': 'command',
      '.claude/skills/both/SKILL.md': 'skill',
    });
    const found = findCommands({ cwd: chat.cwd, home: chat.home, config: join(chat.home, '.claude') });
    expect([...found.keys()].sort()).toEqual(['both', 'same', 'sub:deep']);
    expect([found.get('same')?.body, found.get('both')?.body]).toEqual(['user', 'skill']);
    const both = found.get('both');
    const text = both && (await expand(both, '', 'id', async () => ''));
    expect(text).toBe(`Base directory for this skill: ${join(chat.cwd, '.claude/skills/both')}\n\nskill`);
    expect(readFileSync(both?.file ?? '', 'utf8')).toBe('skill');
  });
});

test('heads and arguments: nothing is thrown, and a text without a head is all body', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, args) => {
      const { body } = parseMatter(text);
      expect(text.endsWith(body)).toBe(true);
      if (!/^\uFEFF?---/.test(text)) expect(body).toBe(text);
      withArguments(text, args);
      calledIn(text);
    }),
  );
});
