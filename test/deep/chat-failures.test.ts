import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chatWith, entriesOf } from '../support/chat.ts';
import { calls, fails, says, text } from '../support/scripted-model.ts';

describe('failures', () => {
  const failing = async (script: Parameters<typeof chatWith>[0], args: readonly string[] = [], env = {}) => {
    const chat = await chatWith(script);
    const ran = await chat.run(['-p', 'hi', '--output-format', 'json', ...args], { env });
    return { chat, ...ran, story: await chat.story() };
  };

  test('no key: said with the names of the variables, nothing is asked', async () => {
    const { chat, code, result } = await failing([], [], { ANTHROPIC_API_KEY: '' });
    expect(code).toBe(1);
    expect(result).toMatchObject({ is_error: true, result: expect.stringContaining('ANTHROPIC_API_KEY') });
    expect(chat.model.requests).toHaveLength(0);
  });

  test('a key that is refused', async () => {
    const { chat, code, result } = await failing([fails(401, { message: 'invalid x-api-key' })]);
    expect(code).toBe(1);
    expect(result).toMatchObject({
      is_error: true,
      subtype: 'success',
      api_error_status: 401,
      terminal_reason: 'api_error',
    });
    const text = await chat.run(['-p', 'again']);
    expect(text.out).toBe('');
    expect(text.err).toContain('skein:');
  });

  test('overloaded, then fine', async () => {
    const chat = await chatWith([fails(529, { retryAfter: 0 }), says('ok')]);
    const { code, lines, result } = await chat.run(['-p', 'hi', '--output-format', 'stream-json']);
    expect({ code, result: result.result }).toEqual({ code: 0, result: 'ok' });
    expect(lines[1]).toMatchObject({ subtype: 'api_retry', attempt: 1, error_status: 529, error: 'overloaded' });
    expect(await chat.story()).toContain('ok');
  });

  test('a stream that is cut is asked for again; the history holds the answer once', async () => {
    const cut = says([text('half'), text('lost')], { cut: { at: { inside: 1 }, how: 'reset' } });
    const chat = await chatWith([cut, says('whole'), says('next')]);
    expect(await chat.run(['-p', 'hi'])).toMatchObject({ code: 0, out: 'whole\n' });
    await chat.run(['-p', 'go on', '--continue']);
    expect(JSON.stringify(chat.model.requests[2]?.messages)).not.toContain('half');
    await chat.story();
  });

  test('refusal', async () => {
    const { code, result } = await failing([says('I', { stopReason: 'refusal' })]);
    expect({ code, isError: result.is_error, stop: result.stop_reason }).toEqual({
      code: 1,
      isError: true,
      stop: 'refusal',
    });
  });

  test('an answer that never ends', async () => {
    const { code, result } = await failing(() => says('and', { stopReason: 'max_tokens' }));
    expect({ code, isError: result.is_error }).toEqual({ code: 1, isError: true });
  });

  test('--max-turns', async () => {
    const { chat, code, result } = await failing(() => calls('Glob', { pattern: '*' }), ['--max-turns', '2']);
    expect(code).toBe(1);
    expect(chat.model.requests).toHaveLength(2);
    expect(result).toMatchObject({
      subtype: 'error_max_turns',
      is_error: true,
      errors: [expect.stringContaining('(2)')],
    });
  });

  test('--max-budget-usd', async () => {
    const { chat, code, result } = await failing(
      () => calls('Glob', { pattern: '*' }),
      ['--max-budget-usd', '0.000001'],
    );
    expect(code).toBe(1);
    expect(chat.model.requests).toHaveLength(1);
    expect(result).toMatchObject({ subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted' });
  });

  test('--fallback-model is asked when the model is overloaded', async () => {
    const chat = await chatWith((request) =>
      request.body.model === 'claude-haiku-5-5' ? says('small') : fails(529, { retryAfter: 0 }),
    );
    const env = { CLAUDE_CODE_MAX_RETRIES: '5' };
    expect(await chat.run(['-p', 'hi', '--fallback-model', 'haiku'], { env })).toMatchObject({
      code: 0,
      out: 'small\n',
    });
    await chat.story();
  });

  test.each([
    [['-p']],
    [['-p', 'hi', '--session-id', 'x']],
    [['-p', 'hi', '--fork-session']],
    [['-p', 'hi', '--continue', '--resume', 'x']],
    [['-p', 'hi', '--no-such-option']],
    [['-p', 'hi', '--add-dir', 'missing']],
  ])('%j is wrong usage', async (args) => {
    const chat = await chatWith([]);
    expect((await chat.run(args)).code).toBe(2);
    expect(chat.model.requests).toHaveLength(0);
  });
});

describe('sessions', () => {
  test('--continue goes on in the newest session of the folder, with its history', async () => {
    const chat = await chatWith([says('Hello Ann.'), says('Ann.')]);
    await chat.run(['-p', 'I am Ann.']);
    expect((await chat.run(['-p', 'Who am I?', '-c'])).out).toBe('Ann.\n');
    expect(chat.model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(chat.sessions()).toHaveLength(1);
    expect(await chat.story()).toMatch(/Ann[\s\S]*Who am I/);
  });

  test('--resume takes a selector; --fork-session leaves the first as it was', async () => {
    const chat = await chatWith(() => says('ok'));
    const id = '11111111-2222-4333-8444-555555555555';
    await chat.run(['-p', 'Zebra', '--session-id', id, '--name', 'Striped animals']);
    const [first = ''] = chat.sessions();
    expect(first).toContain(id);
    await chat.run(['-p', 'more', '--resume', 'striped animals']);
    await chat.run(['-p', 'again', '-r', '1111']);
    expect(chat.model.requests[2]?.messages).toHaveLength(5);
    const before = readFileSync(first, 'utf8');
    const { result } = await chat.run(['-p', 'apart', '-r', id, '--fork-session', '--output-format', 'json']);
    expect(readFileSync(first, 'utf8')).toBe(before);
    expect(result.session_id).not.toBe(id);
    expect(chat.model.requests[3]?.messages).toHaveLength(7);
    expect(chat.sessions()).toHaveLength(2);
    await chat.story();
  });

  test('what is not there is said, with what to do', async () => {
    const chat = await chatWith([]);
    const none = await chat.run(['-p', 'hi', '--continue']);
    expect(none.code).toBe(1);
    expect(none.err).toContain('skein list');
    const missing = await chat.run(['-p', 'hi', '--resume', '99999999-aaaa']);
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('Nothing fits');
    const id = '11111111-2222-4333-8444-555555555555';
    const taken = await chatWith([says('ok')]);
    await taken.run(['-p', 'hi', '--session-id', id]);
    const twice = await taken.run(['-p', 'hi', '--session-id', id]);
    expect(twice).toMatchObject({ code: 1, err: expect.stringContaining('--resume') });
    expect(entriesOf(taken.sessions()[0] ?? '').filter(({ promptSource }) => promptSource)).toHaveLength(1);
  });

  test('--root is where sessions are kept', async () => {
    const chat = await chatWith([says('ok')]);
    await chat.run(['-p', 'hi', '--root', 'kept']);
    expect(existsSync(join(chat.cwd, 'kept', 'projects'))).toBe(true);
    expect(existsSync(join(chat.home, '.claude', 'projects'))).toBe(false);
  });
});
