import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asObject, type JsonObject } from '../../src/format/json.ts';
import { calls, says } from '../support/scripted-model.ts';
import { isResult, program } from './control-program.ts';

const bash = (command: string) => calls('Bash', { command });

describe('hooks of the program', () => {
  const hooked = async (event: string, more: JsonObject = {}) => {
    const it = await program([bash('touch made'), says('done')], { mode: 'bypassPermissions' });
    const hooks = { [event]: [{ hookCallbackIds: ['h'], ...more }] };
    expect((await it.ask({ subtype: 'initialize', hooks })).response).toMatchObject({ hooks_applied: true });
    it.say('hi');
    return it;
  };

  test('are told what happens, and decide', async () => {
    const it = await hooked('PreToolUse', { matcher: 'Bash' });
    const request = await it.asked('hook_callback');
    expect(request.request).toMatchObject({
      callback_id: 'h',
      input: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'touch made' } },
    });
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'no',
    };
    it.answer(request, { hookSpecificOutput });
    expect(await it.next(isResult)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    expect(existsSync(join(it.cwd, 'made'))).toBe(false);
  });

  test.each([
    ['continue', true],
    ['block', false],
  ])('one that fails: %s', async (onFailure, isMade) => {
    const it = await hooked('PreToolUse', { onFailure });
    const { request_id } = await it.asked('hook_callback');
    it.send(JSON.stringify({ type: 'control_response', response: { subtype: 'error', request_id, error: 'boom' } }));
    await it.next(isResult);
    expect(existsSync(join(it.cwd, 'made'))).toBe(isMade);
    expect(it.told.some(({ tag }) => tag === 'hook_callback_failed')).toBe(isMade);
  });

  test('one that never answers is given up in its time, and told so; what it says then is nothing', async () => {
    const it = await hooked('PostToolUse', { timeout: 0.1 });
    const request = await it.asked('hook_callback');
    await it.next(({ type, request_id }) => type === 'control_cancel_request' && request_id === request.request_id);
    it.answer(request, { continue: false, stopReason: 'too late' });
    expect(await it.next(isResult)).toMatchObject({ result: 'done' });
  });

  test('SessionStart is told before the first prompt, and may add to it', async () => {
    const it = await program([says('ok')]);
    const hooks = { SessionStart: [{ hookCallbackIds: ['h'] }] };
    const ready = it.ask({ subtype: 'initialize', hooks });
    const request = await it.asked('hook_callback');
    expect(request.request).toMatchObject({ input: { hook_event_name: 'SessionStart', source: 'startup' } });
    it.answer(request, { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'It is Monday.' } });
    await ready;
    it.say('hi');
    await it.next(isResult);
    expect(JSON.stringify((await it.model.request(0)).body.messages)).toContain('It is Monday.');
  });

  test('a program that is gone holds nothing up', async () => {
    const it = await hooked('Stop');
    await it.asked('hook_callback');
    it.end();
    expect(await it.done).toBe(true);
    expect(await it.next(isResult)).toMatchObject({ result: 'done' });
  });
});

describe('can_use_tool', () => {
  const asking = async () => {
    const it = await program([bash('touch one'), bash('touch one'), says('done')], { asks: true });
    it.say('hi');
    return { it, request: await it.asked('can_use_tool') };
  };

  test('what is suggested saves the next question, when the program agrees', async () => {
    const { it, request } = await asking();
    const { permission_suggestions: updatedPermissions } = asObject(request.request) ?? {};
    it.answer(request, { behavior: 'allow', updatedPermissions });
    await it.next(isResult);
    const asked = it.told.filter(({ request: of }) => asObject(of)?.subtype === 'can_use_tool');
    expect(asked).toHaveLength(1);
    const settings = join(it.cwd, '.claude', 'settings.local.json');
    await expect.poll(() => existsSync(settings) && readFileSync(settings, 'utf8')).toContain('"Bash(touch one)"');
    expect(existsSync(join(it.cwd, 'one'))).toBe(true);
  });

  test.each([
    [
      {
        behavior: 'allow',
        updatedPermissions: [{ type: 'setMode', mode: 'bypassPermissions', destination: 'session' }],
      },
      'default',
    ],
    [{ behavior: 'allow', updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits' }] }, 'acceptEdits'],
    [
      {
        behavior: 'allow',
        updatedPermissions: [null, 3, { type: 'addRules' }, { type: 'x' }, { type: 'setMode', mode: 7 }],
      },
      'default',
    ],
  ])('the mode after %j', async (answer, mode) => {
    const it = await program([bash('touch one'), says('done'), says('again')], { asks: true });
    it.say('hi');
    it.answer(await it.asked('can_use_tool'), answer);
    await it.next(isResult);
    it.say('again');
    await it.next(isResult);
    expect(it.told.findLast(({ subtype }) => subtype === 'init')).toMatchObject({ permissionMode: mode });
  });

  test('an answer that comes twice, or to nothing that was asked, is nothing', async () => {
    const { it, request } = await asking();
    it.answer({ request_id: 'unknown' }, { behavior: 'allow' });
    it.answer(request, { behavior: 'deny', message: 'no' });
    it.answer(request, { behavior: 'allow' });
    it.answer(await it.asked('can_use_tool'), { behavior: 'deny', message: 'no' });
    expect(await it.next(isResult)).toMatchObject({ result: 'done' });
    expect(existsSync(join(it.cwd, 'one'))).toBe(false);
  });

  test('an interrupt takes the question back', async () => {
    const { it, request } = await asking();
    await it.ask({ subtype: 'interrupt' });
    await it.next(({ type, request_id }) => type === 'control_cancel_request' && request_id === request.request_id);
    expect(await it.next(isResult)).toMatchObject({
      subtype: 'error_during_execution',
      terminal_reason: 'aborted_tools',
    });
  });
});
