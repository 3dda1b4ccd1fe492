/** What `skein chat` is told: options, prompts, lines of stream-json. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../src/cli/arguments.ts';
import { joinPrompt, parseInputLine } from '../../src/cli/chat/input.ts';
import { choiceOf } from '../../src/cli/chat/options.ts';
import { chat } from '../../src/cli/commands/chat.ts';
import type { Context } from '../../src/cli/context.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { tempFolder } from '../support/files.ts';

function choose(args: readonly string[], env: Record<string, string> = {}, cwd = '/work') {
  const out = openTerminal(process.stdout, { isTerminal: false, color: 'never', env });
  const signal = new AbortController().signal;
  const context: Context = { env, home: '/home', cwd, now: () => new Date(0), out, err: out, signal };
  return choiceOf(context, parseArguments(chat, args));
}

describe('options', () => {
  test('without any: a console that asks', () => {
    expect(choose([])).toEqual({
      print: false,
      output: 'text',
      input: 'text',
      partial: false,
      replay: false,
      folders: [],
      rules: [],
      mode: 'default',
    });
  });

  test('all that can be said', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'more.txt'), 'from a file');
    const args =
      '-p --output-format stream-json --input-format stream-json --include-partial-messages --replay-user-messages --model opus --fallback-model haiku --thinking 2000 --max-turns 3 --max-budget-usd 0.5 --system-prompt mine --append-system-prompt-file more.txt --add-dir a --add-dir /b --tools Bash,Read --allowedTools Bash --disallowedTools Edit --permission-mode plan';
    expect(choose(args.split(' '), {}, folder)).toEqual({
      print: true,
      output: 'stream-json',
      input: 'stream-json',
      partial: true,
      replay: true,
      model: 'opus',
      fallbackModel: 'haiku',
      thinking: 2000,
      maxTurns: 3,
      maxBudgetUSD: 0.5,
      systemPrompt: 'mine',
      appendSystemPrompt: 'from a file',
      folders: [join(folder, 'a'), '/b'],
      tools: ['Bash', 'Read'],
      rules: [expect.objectContaining({ tool: 'Bash' }), expect.objectContaining({ tool: 'Edit' })],
      mode: 'plan',
    });
  });

  test('MAX_THINKING_TOKENS is heard, --thinking counts more', () => {
    expect(choose([], { MAX_THINKING_TOKENS: '4000' }).thinking).toBe(4000);
    expect(choose(['--thinking', '0'], { MAX_THINKING_TOKENS: '4000' }).thinking).toBe(0);
    expect(choose([], { MAX_THINKING_TOKENS: 'lots' }).thinking).toBeUndefined();
  });

  test('--dangerously-skip-permissions is a mode; --tools "" is none, default is all', () => {
    expect(choose(['--dangerously-skip-permissions']).mode).toBe('bypassPermissions');
    expect(choose(['--tools', '']).tools).toEqual([]);
    expect(choose(['--tools', 'default']).tools).toBeUndefined();
  });

  test.each([
    ['--output-format json'],
    ['-p --input-format stream-json'],
    ['-p --include-partial-messages'],
    ['-p --output-format xml'],
    ['-p --max-turns 0'],
    ['-p --max-budget-usd -1'],
    ['-p --max-budget-usd x'],
    ['-p --thinking some'],
    ['-p --allowedTools Edit(src/**'],
    ['-p --system-prompt a --system-prompt-file b'],
    ['-p --append-system-prompt-file missing.txt'],
  ])('%s is refused as wrong usage', (args) => {
    expect(() => choose(args.split(' '))).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});

describe('prompts', () => {
  test.each([
    [['the prompt'], 'piped\n', 'the prompt\npiped\n'],
    [['two', 'words'], '', 'two words'],
    [[], 'piped\n', 'piped\n'],
    [['  '], ' \n', ''],
  ])('%j with %j on standard input is %j', (words, piped, prompt) => {
    expect(joinPrompt(words, piped)).toBe(prompt);
  });
});

describe('lines of stream-json', () => {
  const line = (value: unknown) => JSON.stringify(value);

  test('a prompt is text or blocks', () => {
    expect(parseInputLine(line({ type: 'user', message: { role: 'user', content: 'hi' } }), 1)).toEqual({
      kind: 'prompt',
      prompt: 'hi',
    });
    const content = [{ type: 'text', text: 'hi' }];
    const uuid = '11111111-1111-4111-8111-111111111111';
    const message = { type: 'user', uuid, message: { role: 'user', content }, session_id: '' };
    expect(parseInputLine(line(message), 1)).toEqual({ kind: 'prompt', prompt: content, uuid });
  });

  test('control requests have an id; other types are passed over', () => {
    const request = { subtype: 'interrupt' };
    expect(parseInputLine(line({ type: 'control_request', request_id: 'r', request }), 1)).toEqual({
      kind: 'control',
      id: 'r',
      request,
    });
    expect(parseInputLine(line({ type: 'keep_alive' }), 1)).toEqual({ kind: 'other' });
  });

  test.each([
    'nonsense',
    '[]',
    '{}',
    '{"type":"user"}',
    '{"type":"user","message":{"role":"assistant","content":"x"}}',
    '{"type":"user","message":{"role":"user","content":""}}',
    '{"type":"control_request"}',
  ])('%s is refused, and the line is named', (text) => {
    expect(() => parseInputLine(text, 7)).toThrow(/Line 7/);
  });

  test('whatever comes is a message or an error with a next step', () => {
    const property = fc.property(fc.oneof(fc.string(), fc.json(), fc.object().map(line)), (text) => {
      try {
        expect(['prompt', 'control', 'other']).toContain(parseInputLine(text, 1).kind);
      } catch (error) {
        expect(error).toMatchObject({ next: expect.stringContaining('{"type":"user"') });
      }
    });
    fc.assert(property);
  });
});
