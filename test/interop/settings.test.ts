/** One settings file, two clients: the same calls run, the same prompts pass; and sessions with hooks and commands go from one to the other. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { talkWith } from '../agent/talkwith.ts';
import { tempFolder, transcriptsBelow } from '../support/files.ts';
import { PROMPT } from '../support/resume-cases.ts';
import { calls, type Reply, says } from '../support/scripted-model.ts';
import { BIN } from '../support/skein.ts';
import { startApi } from './api.ts';
import { clientCommand, installClient, NEWEST, OLD } from './clients.ts';
import { historyOf, ours, promptsIn } from './history.ts';
import { createJudge } from './judge.ts';

beforeAll(() => {
  for (const version of [NEWEST, OLD]) installClient(version);
});

type Files = Readonly<Record<string, string | object>>;

interface Outcome {
  /** The call was run. */
  readonly ran: boolean;
  readonly requests: number;
  /** A second folder of lines that hooks wrote. */
  readonly log: string;
}

async function outcomeOf(
  command: readonly string[],
  files: Files,
  script: readonly Reply[],
  args: readonly string[],
  prompt = 'Hi',
): Promise<Outcome> {
  let next = 0;
  const api = await startApi(() => script[next++] ?? says('END'));
  onTestFinished(() => api.close());
  const root = realpathSync(tempFolder());
  const [home, cwd] = [join(root, 'home'), join(root, 'ws')];
  for (const folder of [join(home, '.claude'), cwd]) mkdirSync(folder, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const file = path.startsWith('~/') ? join(home, path.slice(2)) : join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content.replaceAll('$CWD', cwd) : JSON.stringify(content));
  }
  const [program = '', ...first] = command;
  const child = spawn(program, [...first, '-p', prompt, '--output-format', 'stream-json', '--verbose', ...args], {
    cwd,
    env: {
      HOME: home,
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: 'sk-ant-dummy',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
      TERM: 'dumb',
    },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await new Promise((resolve) => child.on('close', resolve));
  const log = existsSync(join(cwd, 'log')) ? readFileSync(join(cwd, 'log'), 'utf8') : '';
  return { ran: existsSync(join(cwd, 'x')), requests: api.turns.length, log: log.split('\n').sort().join('\n') };
}

const touch = () => [calls('Bash', { command: 'touch x', description: 'd' }), says('ok')];
const RULE = { permissions: { allow: ['Bash(touch:*)'] } };
const hook = (event: string, command: string, matcher = '') => ({
  hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command }] }] },
});
const pre = (decision: string) =>
  hook('PreToolUse', `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"${decision}"}}'`);
const USER = '~/.claude/settings.json';
const PROJECT = '.claude/settings.json';
const LOCAL = '.claude/settings.local.json';
const TRUSTED = { '~/.claude.json': '{"projects":{"$CWD":{"hasTrustDialogAccepted":true}}}' };
const BYPASS = ['--permission-mode', 'bypassPermissions'];
const MATCHERS = ['Bash', '*', '', 'Ba', 'Ba.*', 'bash', 'Edit|Bash', '^B', 'Read', ' Bash ', 'Edit, Bash'];

describe('both clients with one settings file', () => {
  test.each<[string, Files, readonly string[]]>([
    ['nothing', {}, []],
    ['allowed by the user', { [USER]: RULE }, []],
    ['comments', { [USER]: `// c\n${JSON.stringify(RULE)}` }, []],
    ['a byte order mark', { [USER]: `\uFEFF${JSON.stringify(RULE)}` }, []],
    ['a wrong value', { [USER]: { ...RULE, model: 3 } }, []],
    ['a wrong item', { [USER]: { permissions: { allow: [3, 'Bash(touch:*)'] } } }, []],
    ['a wrong hook', { [USER]: { ...RULE, hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } } }, []],
    ['a wrong mode', { [USER]: { permissions: { ...RULE.permissions, defaultMode: 'wild' } } }, []],
    ['denied by the project', { [USER]: RULE, [PROJECT]: { permissions: { deny: ['Bash(touch:*)'] } } }, []],
    ['a project nobody trusted', { [PROJECT]: RULE }, []],
    ['a trusted project', { [PROJECT]: RULE, ...TRUSTED }, []],
    ['local', { [LOCAL]: RULE }, []],
    ['bypass of a project', { [PROJECT]: { permissions: { defaultMode: 'bypassPermissions' } } }, []],
    ['bypass of local settings', { [LOCAL]: { permissions: { defaultMode: 'bypassPermissions' } } }, []],
    ['bypass of the user', { [USER]: { permissions: { defaultMode: 'bypassPermissions' } } }, []],
    ['bypass turned off', { [USER]: { permissions: { disableBypassPermissionsMode: 'disable' } } }, BYPASS],
    ['only some sources', { [LOCAL]: RULE }, ['--setting-sources', 'user']],
    ['--settings', {}, ['--settings', JSON.stringify(RULE)]],
    ['a hook allows', { [USER]: pre('allow') }, []],
    ['a hook allows what is denied', { [USER]: { ...pre('allow'), permissions: { deny: ['Bash(touch:*)'] } } }, []],
    ['a hook allows what is to be asked', { [USER]: { ...pre('allow'), permissions: { ask: ['Bash(touch:*)'] } } }, []],
    ['a hook denies', { [USER]: pre('deny') }, BYPASS],
    ['a hook asks', { [USER]: pre('ask') }, BYPASS],
    ['a hook blocks', { [USER]: hook('PreToolUse', 'exit 2') }, BYPASS],
    ['a hook fails', { [USER]: hook('PreToolUse', 'exit 1') }, BYPASS],
    ['a hook of the project', { [PROJECT]: hook('PreToolUse', 'exit 2') }, BYPASS],
    ['hooks turned off', { [USER]: hook('PreToolUse', 'exit 2'), [PROJECT]: { disableAllHooks: true } }, BYPASS],
    ['a prompt is blocked', { [USER]: hook('UserPromptSubmit', 'exit 2') }, BYPASS],
    [
      'matchers',
      {
        [USER]: {
          hooks: {
            PreToolUse: MATCHERS.map((m) => ({
              matcher: m,
              hooks: [{ type: 'command', command: `echo '${m}' >> log` }],
            })),
          },
        },
      },
      BYPASS,
    ],
  ])('%s', async (_name, files, args) => {
    const [theirs, own] = await Promise.all([
      outcomeOf(clientCommand(NEWEST), files, touch(), args),
      outcomeOf(
        [process.execPath, BIN, 'chat'],
        files,
        touch(),
        args.filter((arg) => arg !== '--verbose'),
      ),
    ]);
    expect(own).toEqual(theirs);
  });
});

const COMMAND = '---\nallowed-tools: Bash(touch:*)\n---\nGreet\n';

test.each<[string, Files]>([
  ['a trusted project', { '.claude/commands/greet.md': COMMAND, ...TRUSTED }],
  ['a project nobody trusted', { '.claude/commands/greet.md': COMMAND }],
  ['the user', { '~/.claude/commands/greet.md': COMMAND }],
  [
    'the user, denied',
    { '~/.claude/commands/greet.md': COMMAND, [USER]: { permissions: { deny: ['Bash(touch:*)'] } } },
  ],
])('both clients with a command of %s', async (_name, files) => {
  const [theirs, own] = await Promise.all([
    outcomeOf(clientCommand(NEWEST), files, touch(), [], '/greet Bob'),
    outcomeOf([process.execPath, BIN, 'chat'], files, touch(), [], '/greet Bob'),
  ]);
  expect(own).toEqual(theirs);
});

const SAYING = {
  hooks: Object.fromEntries(
    [
      ['SessionStart', 'echo started'],
      ['UserPromptSubmit', 'echo heard'],
      ['PreToolUse', 'echo looking'],
      ['PostToolUse', 'echo fix it >&2; exit 2'],
      ['Stop', `grep -q '"stop_hook_active":true' || { echo more >&2; exit 2; }`],
    ].map(([event, command]) => [event ?? '', [{ hooks: [{ type: 'command', command }] }]]),
  ),
};

test.each([NEWEST, OLD])('W: a session with hooks, commands and skills is resumed by %s', async (version) => {
  const judge = await createJudge(version);
  onTestFinished(() => judge.close());
  const chat = await talkWith(
    [
      calls('Bash', { command: 'echo hi' }),
      says('Stopping.'),
      says('Stopped.'),
      calls('Skill', { skill: 'demo' }),
      says('a'),
      says('b'),
    ],
    {
      [USER]: SAYING,
      '.claude/commands/greet.md': 'Greet $ARGUMENTS\n',
      '.claude/skills/demo/SKILL.md': '# Demo\n',
    },
  );
  for (const prompt of ['Go', '/greet Bob', '/cost', '/rename x']) await chat.say(prompt, 'bypassPermissions');
  const [file = ''] = transcriptsBelow(join(chat.home, '.claude', 'projects'));
  const session = basename(file, '.jsonl');
  judge.place(session, readFileSync(file, 'utf8'));
  const expected = ours(judge.transcriptOf(session));
  const verdict = await judge.resume(session, PROMPT);
  expect(verdict.requests.map(({ refused }) => refused)).toEqual([undefined]);
  // The old client joins texts and words its own notes otherwise.
  if (version === NEWEST) expect(historyOf(verdict)).toEqual(expected);
  else expect(promptsIn(historyOf(verdict) ?? [])).toEqual(promptsIn(expected));
});
