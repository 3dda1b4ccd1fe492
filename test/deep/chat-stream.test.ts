/** Several turns of one process: stream-json input, interrupts, and the console through pipes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/format/json.ts';
import { chatWith, lastWords } from '../support/chat.ts';
import { calls, hold, says, text, toolUse } from '../support/scripted-model.ts';
import { BIN } from '../support/skein.ts';

const line = (value: JsonObject) => `${JSON.stringify(value)}\n`;
const user = (content: string) => line({ type: 'user', message: { role: 'user', content } });
const STREAM = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];

describe('stream-json input', () => {
  test('each line is a turn of one session; costs add up', async () => {
    const chat = await chatWith(() => says('ok'));
    const { child, done, printed } = chat.start(STREAM, { input: user('one') });
    await printed('"type":"result"');
    child.stdin?.end(user('two'));
    const { code, lines } = await done;
    expect(code).toBe(0);
    const results = lines.filter(({ type }) => type === 'result');
    expect(results).toHaveLength(2);
    expect(results[1]).toMatchObject({ usage: { input_tokens: 10 }, session_id: results[0]?.session_id });
    expect(results[1]?.total_cost_usd).toBeCloseTo(2 * Number(results[0]?.total_cost_usd));
    expect(lines.filter(({ subtype }) => subtype === 'init')).toHaveLength(2);
    expect(chat.model.requests[1]?.messages).toHaveLength(3);
    await chat.story();
  });

  test('what comes while a turn runs is told to the model beside the results (E9)', async () => {
    const chat = await chatWith([calls('Bash', { command: 'sleep 0.6' }), says('ok')]);
    const args = [...STREAM, '--replay-user-messages', '--allowedTools', 'Bash'];
    const { child, done, printed } = chat.start(args, { input: user('one') });
    await printed('tool_use');
    child.stdin?.end(user('and hurry'));
    const { code, lines } = await done;
    expect(code).toBe(0);
    expect(chat.model.requests).toHaveLength(2);
    expect(JSON.stringify(chat.model.requests[1]?.body.messages)).toContain('and hurry');
    expect(lines.filter(({ isReplay }) => isReplay)).toHaveLength(2);
    const operations = chat.entries().filter(({ type }) => type === 'queue-operation');
    expect(operations.map(({ operation }) => operation)).toEqual(['enqueue', 'remove']);
    expect(await chat.story()).toContain('and hurry');
  });

  test('what comes too late for the turn is the next one', async () => {
    const gate = hold();
    const chat = await chatWith([says('first', { holdAt: { at: 'end', hold: gate } }), says('second')]);
    const { child, done } = chat.start(STREAM, { input: user('one') });
    await gate.reached;
    child.stdin?.end(user('two'));
    setTimeout(() => gate.release(), 150);
    const { lines } = await done;
    expect(lines.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual(['first', 'second']);
    expect(lastWords(chat.model)).toBe('two');
    await chat.story();
  });

  describe('--permission-prompt-tool stdio: the program is asked', () => {
    const asking = async (response: JsonObject) => {
      const chat = await chatWith([calls('Bash', { command: 'echo one > a.txt' }), says('done')]);
      const { child, done, printed } = chat.start([...STREAM, '--permission-prompt-tool', 'stdio'], {
        input: user('go'),
      });
      child.stdout?.on('data', (text: string) => {
        const [, request_id] = /"control_request","request_id":"([^"]+)"/.exec(text) ?? [];
        if (request_id !== undefined)
          child.stdin?.write(line({ type: 'control_response', response: { request_id, ...response } }));
      });
      await printed('"type":"result"');
      child.stdin?.end();
      const { code, lines, result } = await done;
      const asked = lines.find(({ type }) => type === 'control_request')?.request;
      expect(asked).toMatchObject({
        subtype: 'can_use_tool',
        tool_name: 'Bash',
        input: { command: 'echo one > a.txt' },
        tool_use_id: expect.any(String),
      });
      const file = join(chat.cwd, 'a.txt');
      return {
        code,
        result,
        story: await chat.story(),
        left: existsSync(file) ? readFileSync(file, 'utf8') : undefined,
      };
    };
    const saying = (response: JsonObject) => asking({ subtype: 'success', response });

    test('allowed, also with another input', async () => {
      expect(await saying({ behavior: 'allow' })).toMatchObject({ code: 0, left: 'one\n' });
      const updatedInput = { command: 'echo two > a.txt' };
      expect(await saying({ behavior: 'allow', updatedInput })).toMatchObject({ code: 0, left: 'two\n' });
    });

    test('denied: the model is told why, or the turn ends', async () => {
      const denied = await saying({ behavior: 'deny', message: 'Not on a Sunday.' });
      expect(denied).toMatchObject({ code: 0, left: undefined, result: { result: 'done' } });
      expect(denied.story).toContain('denied');
      const stopped = await saying({ behavior: 'deny', message: 'Stop.', interrupt: true });
      expect(stopped).toMatchObject({ left: undefined, result: { is_error: true } });
    });

    test('anything but a clear yes is a no', async () => {
      for (const response of [{ subtype: 'error', error: 'broken' }, { subtype: 'success' }, {}]) {
        expect(await asking(response)).toMatchObject({ left: undefined });
      }
    });

    test('a program that goes away has not agreed', async () => {
      const chat = await chatWith([calls('Bash', { command: 'echo one > a.txt' }), says('done')]);
      const { child, done, printed } = chat.start([...STREAM, '--permission-prompt-tool', 'stdio'], {
        input: user('go'),
      });
      await printed('can_use_tool');
      child.stdin?.end();
      await done;
      expect(existsSync(join(chat.cwd, 'a.txt'))).toBe(false);
      await chat.story();
    });
  });

  test('an interrupt ends the turn, and the next goes on with a valid history', async () => {
    const gate = hold();
    const chat = await chatWith([says('never whole', { holdAt: { at: { inside: 0 }, hold: gate } }), says('fine')]);
    const { child, done, printed } = chat.start(STREAM, { input: user('one') });
    await gate.reached;
    child.stdin?.write(line({ type: 'control_request', request_id: 'r1', request: { subtype: 'interrupt' } }));
    await printed('"type":"result"');
    gate.release();
    child.stdin?.end(
      line({ type: 'control_request', request_id: 'r2', request: { subtype: 'set_weather' } }) + user('two'),
    );
    const { code, lines } = await done;
    expect(code).toBe(0);
    const answers = lines.filter(({ type }) => type === 'control_response').map(({ response }) => response);
    expect(answers).toMatchObject([
      { subtype: 'success', request_id: 'r1' },
      { subtype: 'error', request_id: 'r2' },
    ]);
    const results = lines.filter(({ type }) => type === 'result');
    expect(results[0]).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    expect(results[1]).toMatchObject({ result: 'fine' });
    expect(chat.model.requests[1]?.refused).toBeUndefined();
    await chat.story();
  });

  test('a line that is no message ends it with what is wrong', async () => {
    const chat = await chatWith(() => says('ok'));
    const { code, err } = await chat.run(STREAM, { input: 'nonsense\n' });
    expect(code).toBe(1);
    expect(err).toContain('Line 1');
    expect(err).toContain('next:');
  });
});

/** SIGHUP is listened for, which Node itself does not: then the others are, too. */
const LISTENS = /SigCgt:\s+[0-9a-f]*[13579bdf]\n/;

describe('signals', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends an answer on its way with %i, and the history is whole', async (signal, expected) => {
    const gate = hold();
    const chat = await chatWith([says('never whole', { holdAt: { at: { inside: 0 }, hold: gate } }), says('fine')]);
    const { child, done } = chat.start(['-p', 'hi', '--output-format', 'json']);
    await gate.reached;
    child.kill(signal);
    const { code, result } = await done;
    expect(code).toBe(expected);
    expect(result).toMatchObject({ is_error: true, terminal_reason: 'aborted_streaming' });
    gate.release();
    expect(await chat.story()).toContain('interrupted');
    expect((await chat.run(['-p', 'again', '-c'])).code).toBe(0);
    expect(chat.model.requests[1]?.refused).toBeUndefined();
  });

  test('SIGINT while standard input is waited for', async () => {
    const chat = await chatWith([]);
    const { child, done } = chat.start(['-p'], { input: 'begun' });
    await expect
      .poll(() => (child.pid === undefined ? '' : readFileSync(`/proc/${child.pid}/status`, 'utf8')))
      .toMatch(LISTENS);
    child.kill('SIGINT');
    expect(await done).toMatchObject({ code: 130, out: '', err: '' });
    expect(chat.model.requests).toHaveLength(0);
  });

  test('SIGINT while a command runs ends the command and its children', async () => {
    const chat = await chatWith([
      calls('Bash', { command: 'touch begun; (sleep 5; touch late) & sleep 5' }),
      says('x'),
    ]);
    const { child, done } = chat.start(['-p', 'hi', '--allowedTools', 'Bash']);
    await expect.poll(() => existsSync(join(chat.cwd, 'begun'))).toBe(true);
    child.kill('SIGINT');
    expect((await done).code).toBe(130);
    expect(chat.model.requests).toHaveLength(1);
    expect(existsSync(join(chat.cwd, 'late'))).toBe(false);
    expect(await chat.story()).toContain('interrupted');
  });
});

describe('the console through pipes', () => {
  test('a line is a turn; commands, long lines, and how to go on', async () => {
    const chat = await chatWith((_, index) => says(`answer ${index}`));
    const input = 'first \\\nline\n/help\n\nsecond\n/cost\n/nothing\n/exit\nnever\n';
    const { code, out, err } = await chat.run([], { input });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(lastWords(chat.model, 0)).toBe('first \nline');
    expect(lastWords(chat.model, 1)).toBe('second');
    expect(chat.model.requests).toHaveLength(2);
    for (const words of [
      'answer 0',
      'answer 1',
      '/clear',
      '$0',
      'There is no /nothing',
      'skein chat --resume ',
      'claude --resume ',
    ]) {
      expect(out).toContain(words);
    }
    const [prompt] = chat.entries().filter(({ promptSource }) => promptSource !== undefined);
    expect(prompt).toMatchObject({ promptSource: 'typed', origin: { kind: 'human' } });
    expect(await chat.story()).toContain('answer 1');
  });

  test('a call is asked about: y once, a for the session, n ends the turn', async () => {
    const append = (name: string) => calls('Bash', { command: `date >> ${name}` });
    const writes = calls('Write', { file_path: 'w', content: '' });
    const chat = await chatWith([append('one'), append('two'), says('both'), append('two'), says('all'), writes]);
    const { out } = await chat.run(['go'], { input: 'y\na\nagain\nwrite\nn\n' });
    const linesIn = (name: string) => readFileSync(join(chat.cwd, name), 'utf8').trim().split('\n').length;
    expect([linesIn('one'), linesIn('two'), existsSync(join(chat.cwd, 'w'))]).toEqual([1, 2, false]);
    expect(out.match(/\? Bash/g)).toHaveLength(2);
    expect(out).toContain('(interrupted)');
    const decisions = chat.entries().flatMap(({ permissionDecision }) => permissionDecision ?? []);
    expect(decisions).toMatchObject([{ grantScope: 'once' }, { grantScope: 'session' }, { grantScope: 'session' }]);
    await chat.story();
  });

  test('without an answer a call is not run', async () => {
    const chat = await chatWith([calls('Bash', { command: 'touch x' })]);
    await chat.run([], { input: 'go\n' });
    expect(existsSync(join(chat.cwd, 'x'))).toBe(false);
    await chat.story();
  });

  test('/clear begins a new session', async () => {
    const chat = await chatWith(() => says('ok'));
    await chat.run([], { input: 'one\n/clear\ntwo\n' });
    expect(chat.sessions()).toHaveLength(2);
    expect(chat.model.requests[1]?.messages).toHaveLength(1);
    await chat.story();
  });

  test('what the model says cannot drive the terminal; each call is one line', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2Jhello\u202e';
    const chat = await chatWith([says([text(evil), toolUse('Read', { file_path: `${evil}\nx` })]), says('done')]);
    const { out } = await chat.run(['--color', 'always'], { input: 'hi\n' });
    expect(out).toContain('hello');
    expect(out.replace(/\u001b\[\d+m/g, '')).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(out.split('\n').filter((each) => each.includes('Read'))).toHaveLength(1);
  });

  test('nothing said, nothing kept', async () => {
    const chat = await chatWith([]);
    expect(await chat.run([], { input: '' })).toMatchObject({ code: 0, out: '' });
    expect(existsSync(join(chat.home, '.claude', 'projects'))).toBe(false);
  });

  test('a failure does not end the console', async () => {
    const chat = await chatWith((_, index) => (index === 0 ? { status: 400, message: 'bad luck' } : says('fine')));
    const { out, code } = await chat.run([], { input: 'one\ntwo\n' });
    expect(code).toBe(0);
    expect(out).toMatch(/bad luck[\s\S]*fine/);
    await chat.story();
  });
});

describe('the plain console in a terminal', () => {
  test('/exit while it works ends it: what was typed before is not begun', async () => {
    const gate = hold();
    const chat = await chatWith([says('never whole', { holdAt: { at: { inside: 0 }, hold: gate } })]);
    const child = spawn('script', ['-qfec', `'${process.execPath}' '${BIN}' chat --plain`, '/dev/null'], {
      cwd: chat.cwd,
      env: { PATH: process.env.PATH, HOME: chat.home, TERM: 'xterm', SHELL: '/bin/sh', ...chat.model.env },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (bytes: Buffer) => {
      out += bytes.toString('utf8');
    });
    const printed = (words: string) => expect.poll(() => out).toContain(words);
    await printed('/help for help');
    child.stdin.write('one\r');
    await gate.reached;
    child.stdin.write('two\r');
    await printed('told as it goes on');
    child.stdin.write('/exit\r');
    const [code] = await once(child, 'close');
    expect([code, chat.model.requests.length]).toEqual([0, 1]);
    expect(out).toContain('Go on with it: skein chat --resume');
    await chat.story();
  });
});
