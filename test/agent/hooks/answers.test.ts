/** What hooks can say, and what comes of it: shapes and words as the published client 2.1.325 wrote them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asObject, type JsonObject } from '../../../src/format/json.ts';
import { calls, type Script, says } from '../../support/scripted-model.ts';
import { type TalkWith, talkWith } from '../talkwith.ts';

const BYPASS = 'bypassPermissions';

/** `say`: a shell command, or the JSON that the hook prints. */
type Say = string | object;

async function withHooks(hooks: Readonly<Record<string, Say | readonly Say[]>>, script: Script, more: object = {}) {
  const command = (say: Say) => (typeof say === 'string' ? say : `echo '${JSON.stringify(say)}'`);
  const events = Object.entries(hooks).map(([event, say]) => {
    const list = Array.isArray(say) ? say : [say];
    return [event, [{ hooks: list.map((each) => ({ type: 'command', command: command(each), timeout: 5 })) }]];
  });
  return talkWith(script, { '~/.claude/settings.json': { hooks: Object.fromEntries(events), ...more } });
}

function attachments(chat: TalkWith): JsonObject[] {
  return chat.entries().flatMap((entry) => {
    const attachment = asObject(entry.attachment);
    return attachment === undefined ? [] : [{ ...attachment, rendered: asArray(entry.rendered)?.[0] ?? null }];
  });
}

function result(chat: TalkWith): JsonObject | undefined {
  return chat.entries().find((entry) => entry.toolUseResult !== undefined);
}

const pre = (fields: object) => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });
const touch = () => [calls('Bash', { command: 'touch x' }), says('ok')];

describe('PreToolUse', () => {
  test('allow saves the question; its reason of record is the hook', async () => {
    const chat = await withHooks(
      { PreToolUse: pre({ permissionDecision: 'allow', additionalContext: 'pctx' }) },
      touch(),
    );
    await chat.say('Hi');
    expect(existsSync(join(chat.cwd, 'x'))).toBe(true);
    expect(result(chat)?.permissionDecision).toMatchObject({ decision: 'accept', source: 'hook', reasonType: 'hook' });
    expect(attachments(chat)).toMatchObject([
      { type: 'hook_success', hookName: 'PreToolUse:Bash', content: '', exitCode: 0 },
      {
        type: 'hook_additional_context',
        content: ['pctx'],
        hookName: 'PreToolUse:Bash',
        rendered: { content: '<system-reminder>\nPreToolUse:Bash hook additional context: pctx\n</system-reminder>' },
      },
    ]);
  });

  test.each(['Bash(touch:*)', 'Bash'])('allow never overrides a deny rule (%s)', async (rule) => {
    const more = { permissions: { deny: [rule] } };
    const chat = await withHooks({ PreToolUse: pre({ permissionDecision: 'allow' }) }, touch(), more);
    await chat.say('Hi');
    expect(existsSync(join(chat.cwd, 'x'))).toBe(false);
    expect(result(chat)?.toolUseResult).toMatch(/^Error: /);
  });

  test('nor an ask rule, nor what it changes the command to', async () => {
    const ask = await withHooks({ PreToolUse: pre({ permissionDecision: 'allow' }) }, touch(), {
      permissions: { ask: ['Bash(touch:*)'] },
    });
    await ask.say('Hi');
    expect(existsSync(join(ask.cwd, 'x'))).toBe(false);
    const changed = pre({ permissionDecision: 'allow', updatedInput: { command: 'touch y' } });
    const deny = await withHooks({ PreToolUse: changed }, [calls('Bash', { command: 'echo hi' }), says('ok')], {
      permissions: { deny: ['Bash(touch:*)'] },
    });
    await deny.say('Hi');
    expect(existsSync(join(deny.cwd, 'y'))).toBe(false);
  });

  test('updatedInput is what runs', async () => {
    const hook = pre({ permissionDecision: 'allow', updatedInput: { command: 'echo changed' } });
    const chat = await withHooks({ PreToolUse: hook }, touch());
    await chat.say('Hi');
    expect(result(chat)?.toolUseResult).toMatchObject({ stdout: 'changed' });
  });

  test('deny in any mode, with its reason; several hooks: deny before ask before allow', async () => {
    const allow = pre({ permissionDecision: 'allow' });
    const deny = pre({ permissionDecision: 'deny', permissionDecisionReason: 'nope' });
    const chat = await withHooks({ PreToolUse: [allow, pre({ permissionDecision: 'ask' }), deny] }, touch());
    await chat.say('Hi', BYPASS);
    expect(result(chat)).toMatchObject({
      toolUseResult: 'Error: PreToolUse:Bash hook error: nope',
      toolDenialKind: 'permission-rule',
      permissionDecision: { decision: 'reject', source: 'hook', reasonType: 'hook', reasonCode: 'hook:PreToolUse' },
    });
    expect(existsSync(join(chat.cwd, 'x'))).toBe(false);
  });

  test.each<[string, Say]>([
    ['ask, with nobody there, is no', pre({ permissionDecision: 'ask', permissionDecisionReason: 'check' })],
    ['the older words: block', { decision: 'block', reason: 'old' }],
    ['exit code 2', 'echo no >&2; exit 2'],
    ['exit code 2 beside JSON that allows', `echo '${JSON.stringify(pre({ permissionDecision: 'allow' }))}'; exit 2`],
    ['a no that is said badly', { hookSpecificOutput: { permissionDecision: 'deny' } }],
    ['an end of everything', { continue: false, stopReason: 'halt' }],
  ])('%s', async (_name, hook) => {
    const chat = await withHooks({ PreToolUse: hook }, touch());
    await chat.say('Hi', BYPASS);
    expect(existsSync(join(chat.cwd, 'x'))).toBe(false);
    expect(result(chat)?.toolUseResult).toMatch(/^Error: /);
  });

  test.each<[string, Say, JsonObject]>([
    ['words', 'echo plain', { type: 'hook_success', content: 'plain', stdout: 'plain\n', exitCode: 0, rendered: null }],
    [
      'another exit code',
      'echo out; echo oops >&2; exit 1',
      {
        type: 'hook_non_blocking_error',
        stderr: 'Failed with non-blocking status code: oops',
        stdout: 'out\n',
        exitCode: 1,
      },
    ],
    [
      'JSON that means nothing',
      { hookSpecificOutput: { permissionDecision: 'allow' } },
      { type: 'hook_non_blocking_error' },
    ],
    ['a message for the person', { systemMessage: 'look' }, { type: 'hook_system_message', content: 'look' }],
  ])('%s: the call runs, and it is written down', async (_name, hook, shape) => {
    const chat = await withHooks({ PreToolUse: hook }, touch());
    await chat.say('Hi', BYPASS);
    expect(existsSync(join(chat.cwd, 'x'))).toBe(true);
    expect(attachments(chat)[0]).toMatchObject({ hookName: 'PreToolUse:Bash', hookEvent: 'PreToolUse', ...shape });
    expect(chat.notices.length === 0).toBe(shape.type === 'hook_success');
  });

  test('too slow: it is ended with all it started, and the call runs', async () => {
    const command = 'sh -c "sleep 30; touch late" & sleep 30; touch late';
    const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command, timeout: 0.3 }] }] };
    const chat = await talkWith(touch(), { '.claude/settings.json': { hooks } });
    await chat.say('Hi', BYPASS);
    expect(attachments(chat)[0]).toMatchObject({ type: 'hook_cancelled', command, timedOut: true, timeoutMs: 300 });
    expect(existsSync(join(chat.cwd, 'x'))).toBe(true);
  });
});

describe('UserPromptSubmit', () => {
  test('blocked: nothing is asked, the words are those of the client, the prompt is not kept', async () => {
    const chat = await withHooks({ UserPromptSubmit: { decision: 'block', reason: 'because' } }, [says('ok')]);
    const { text, reason } = await chat.say('Hi');
    const content = 'UserPromptSubmit operation blocked by hook:\nbecause\n\nOriginal prompt: Hi';
    expect([reason, text]).toEqual(['stopped', content]);
    expect(chat.model.requests).toEqual([]);
    expect(chat.entries()).toMatchObject([
      {
        type: 'system',
        subtype: 'informational',
        content,
        level: 'warning',
        preventContinuation: true,
        promptSubmitEnding: { ending: { kind: 'blocked_by_hook', reason: 'because' }, promptKept: false },
      },
    ]);
  });

  test('continue: false keeps the prompt and ends', async () => {
    const chat = await withHooks({ UserPromptSubmit: { continue: false, stopReason: 'halt' } }, [
      says('ok'),
      says('later'),
    ]);
    expect((await chat.say('Hi')).text).toBe('Operation stopped by hook: halt');
    expect(chat.model.requests).toEqual([]);
    const said = chat.entries().filter(({ type }) => type === 'user' || type === 'system');
    expect(said.slice(0, 3).map(({ type, subtype, isMeta }) => [type, subtype, isMeta])).toEqual([
      ['user', undefined, undefined],
      ['user', undefined, true],
      ['system', 'informational', false],
    ]);
    expect((await chat.say('Again')).text).toBe('Operation stopped by hook: halt');
  });
});

describe('after the call and at the end', () => {
  test('PostToolUse that blocks tells the model', async () => {
    const chat = await withHooks({ PostToolUse: 'echo fix it >&2; exit 2' }, [
      calls('Bash', { command: 'echo hi' }),
      says('ok'),
    ]);
    await chat.say('Hi', BYPASS);
    const error = { blockingError: '[echo fix it >&2; exit 2]: fix it\n', command: 'echo fix it >&2; exit 2' };
    expect(attachments(chat)).toMatchObject([
      { type: 'hook_blocking_error', hookName: 'PostToolUse:Bash', blockingError: error },
    ]);
    expect(JSON.stringify(chat.model.requests[1]?.body.messages)).toContain(
      'PostToolUse:Bash hook blocking error from command',
    );
  });

  test('PostToolUse can end the turn', async () => {
    const chat = await withHooks({ PostToolUse: { continue: false, stopReason: 'halt' } }, [
      calls('Bash', { command: 'echo hi' }),
      says('ok'),
    ]);
    await chat.say('Hi', BYPASS);
    expect(chat.model.requests.length).toBe(1);
    expect(attachments(chat).at(-1)).toMatchObject({ type: 'hook_stopped_continuation', message: 'halt' });
  });

  test('Stop in JSON: feedback, error and summary in the order of the client', async () => {
    const stop = `grep -q '"stop_hook_active":true' || echo '{"decision":"block","reason":"go on"}'`;
    const chat = await withHooks({ Stop: stop }, [says('one'), says('two')]);
    expect((await chat.say('Hi')).text).toBe('two');
    const kinds = chat
      .entries()
      .flatMap(
        ({ subtype, attachment, isMeta }) => asObject(attachment)?.type ?? (isMeta === true ? 'meta' : (subtype ?? [])),
      );
    expect(kinds).toEqual(['meta', 'hook_blocking_error', 'stop_hook_summary', 'stop_hook_summary', 'turn_duration']);
    const [summary] = chat.entries().filter(({ subtype }) => subtype === 'stop_hook_summary');
    expect(summary).toMatchObject({
      hookCount: 1,
      hookErrors: ['go on'],
      hasOutput: true,
      level: 'suggestion',
      stopReason: '',
    });
  });
});

describe('PermissionRequest', () => {
  const answer = (decision: object) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
  test('allow, with another input', async () => {
    const hook = answer({ behavior: 'allow', updatedInput: { command: 'echo other' } });
    const chat = await withHooks({ PermissionRequest: hook }, touch());
    await chat.say('Hi');
    expect(result(chat)).toMatchObject({
      toolUseResult: { stdout: 'other' },
      permissionDecision: { decision: 'accept', source: 'hook', reasonType: 'hook' },
    });
    expect(attachments(chat).at(-1)).toMatchObject({
      type: 'hook_permission_decision',
      decision: 'allow',
      hookEvent: 'PermissionRequest',
    });
  });
  test('deny with a message; what is forbidden is not asked about', async () => {
    const chat = await withHooks({ PermissionRequest: answer({ behavior: 'deny', message: 'nono' }) }, touch());
    await chat.say('Hi');
    expect(result(chat)).toMatchObject({
      toolUseResult: 'Error: nono',
      permissionDecision: { reasonCode: 'hook:PermissionRequest' },
    });
    const denied = await withHooks({ PermissionRequest: answer({ behavior: 'allow' }) }, touch(), {
      permissions: { deny: ['Bash'] },
    });
    await denied.say('Hi');
    expect(existsSync(join(denied.cwd, 'x'))).toBe(false);
  });
});

test('hooks have the folder of the project and the env of the settings; async ones are not waited for', async () => {
  const chat = await withHooks({ SessionStart: 'echo $FOO $CLAUDE_PROJECT_DIR > seen' }, [says('ok')], {
    env: { FOO: 'foo' },
  });
  const local = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'sleep 20', async: true }] }] } };
  mkdirSync(join(chat.cwd, '.claude'));
  writeFileSync(join(chat.cwd, '.claude', 'settings.local.json'), JSON.stringify(local));
  const began = Date.now();
  await chat.say('Hi');
  expect(Date.now() - began).toBeLessThan(15_000);
  expect(readFileSync(join(chat.cwd, 'seen'), 'utf8')).toBe(`foo ${chat.cwd}\n`);
});
