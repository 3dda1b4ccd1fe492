/** A turn as it is shown in the console. */
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoopEvent } from '../../src/agent/ports.ts';
import { createPrinter } from '../../src/cli/chat/print.ts';
import { createView } from '../../src/cli/chat/view.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { displayWidth } from '../../src/views/width.ts';

function shown(events: readonly LoopEvent[], columns = 80): string {
  let text = '';
  const stream = new Writable({
    write: (chunk, _, done) => {
      text += chunk;
      done();
    },
  });
  const view = createView(openTerminal(stream, { isTerminal: true, columns, color: 'never', env: {} }));
  for (const event of events) view.watch(event);
  return text;
}

const says = (text: string): LoopEvent => ({ kind: 'model', event: { kind: 'delta', index: 0, what: 'text', text } });
const call = (command: string, content: string, isError = false): LoopEvent[] => [
  { kind: 'tool-start', id: 'a', name: 'Bash', input: { command } },
  { kind: 'tool-end', id: 'a', name: 'Bash', outcome: { content, result: null, isError } },
];

test('words stand as they come; a call begins a line of its own', () => {
  expect(shown([says('I '), says('look.'), ...call('ls', 'a\nb\n'), says('Two.')])).toBe(
    'I look.\n• Bash ls → 2 lines\nTwo.',
  );
});

test('what failed is told by its first line, what was not allowed once', () => {
  expect(shown(call('false', 'Exit code 1\nmore', true))).toBe('✗ Bash false → Exit code 1\n');
  const message = 'because';
  const denied: LoopEvent = { kind: 'denied', id: 'a', name: 'Bash', input: { command: 'rm x' }, message };
  expect(shown([denied, ...call('rm x', message, true).slice(1)])).toBe('✗ Bash rm x → not allowed\n');
});

test('a request that is made again is told, with how long it takes', () => {
  const failure = { type: 'overloaded_error', message: 'Overloaded', status: 529 };
  const retry: LoopEvent = {
    kind: 'model',
    event: { kind: 'retry', failure, attempt: 2, maxRetries: 10, delayMs: 1900 },
  };
  expect(shown([says('half'), retry])).toBe('half\n(Overloaded; again in 2 s, 2 of 10)\n');
});

test.each([true, false])('-p: escapes drive no terminal (%s); a program gets the words as they are', (isTerminal) => {
  const printed: string[] = [];
  const write = (text: string) => void printed.push(text);
  const choice = { print: true, output: 'text', input: 'text', partial: false, replay: false } as const;
  const options = { ...choice, folders: [], rules: [], mode: 'default' } as const;
  const printer = createPrinter(options, { write, isTerminal }, () => ({ write }));
  const agent = { sessionId: 's', limits: () => ({}) };
  const spent = { rounds: 1, durationMs: 1, apiMs: 1, costUSD: 0, usage: {}, denials: [] };
  printer.end(agent, { reason: 'end_turn', text: 'a\u001b[31mb', ...spent });
  const failure = { type: 'api_error', message: 'bad \u001b[31mpage' };
  printer.end(agent, { reason: 'failed', text: '', failure, ...spent });
  expect(printed).toEqual([isTerminal ? 'ab\n' : 'a\u001b[31mb\n', 'skein: bad page\n']);
});

test('a name that drives the terminal is only a name', () => {
  const [, end] = call('', 'no such tool', true);
  expect(shown(end?.kind === 'tool-end' ? [{ ...end, name: 'Ev\u001b[31mil\u009b2J\n' }] : [])).toBe(
    '✗ Evil2J → no such tool\n',
  );
});

test('a call takes one line and no more than the width, whatever it is about', () => {
  const property = fc.property(
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.integer({ min: 40, max: 200 }),
    (command, output, columns) => {
      const lines = shown(call(command, output), columns).split('\n');
      expect(lines).toHaveLength(2);
      expect(displayWidth(lines[0] ?? '')).toBeLessThanOrEqual(columns);
    },
  );
  fc.assert(property);
});
