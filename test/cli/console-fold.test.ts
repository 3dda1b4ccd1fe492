/** Events of a turn into what the console shows, without a terminal. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LoopEvent } from '../../src/agent/ports.ts';
import { fold } from '../../src/cli/console/fold.ts';
import { liveLines } from '../../src/cli/console/liveview.ts';
import { paletteFor } from '../../src/cli/console/palette.ts';
import { pieceLines } from '../../src/cli/console/pieceview.ts';
import { emptyState, type Piece, type ScreenEvent, type ScreenState } from '../../src/cli/console/state.ts';
import { statusLine } from '../../src/cli/console/statusline.ts';
import { displayWidth } from '../../src/views/width.ts';

const palette = paletteFor(false);
const look = (width = 80) => ({ width, palette, cwd: '/work' });

function folded(events: readonly ScreenEvent[]): { state: ScreenState; pieces: Piece[] } {
  let state = emptyState();
  const pieces: Piece[] = [];
  for (const [i, event] of events.entries()) {
    const after = fold(state, event, i * 1000);
    state = after.state;
    pieces.push(...after.pieces);
  }
  return { state, pieces };
}

const began: ScreenEvent = { kind: 'began', prompt: 'go', isNotice: false };
const says = (text: string): LoopEvent => ({ kind: 'model', event: { kind: 'delta', index: 0, what: 'text', text } });
const blockEnd: LoopEvent = { kind: 'model', event: { kind: 'block', index: 0, block: { type: 'text', text: '' } } };
const start = (id: string, name: string, input: Record<string, string>): LoopEvent => ({
  kind: 'tool-start',
  id,
  name,
  input,
});
const end = (id: string, name: string, content: string, result: object | string = {}): LoopEvent => ({
  kind: 'tool-end',
  id,
  name,
  outcome: { content, result: JSON.parse(JSON.stringify(result)) },
});
const textOf = (pieces: readonly Piece[], width = 80) =>
  pieces.flatMap((piece) => pieceLines(piece, look(width))).join('\n');
const live = (state: ScreenState, height = 24, width = 80) =>
  liveLines(
    { state, below: ['---', '> '], status: 'status', now: 5000, isJoined: false, isAsking: false },
    look(width),
    height,
  );

test('whole blocks of an answer are finished as they come; the last one stays live until it ends', () => {
  const events = [began, says('# Title\n\nfirst '), says('paragraph\n\nsecond')];
  const { state, pieces } = folded(events);
  expect(textOf(pieces)).toBe('❯ go\nTitle\nfirst paragraph');
  expect(state.answer).toBe('second');
  expect(live(state).join('\n')).toContain('second');
  expect(textOf(folded([...events, blockEnd]).pieces)).toBe('❯ go\nTitle\nfirst paragraph\nsecond');
});

test('however an answer is cut into deltas, all of it is shown once', () => {
  const words = fc.constantFrom(
    'word ',
    'more\n',
    '\n\n',
    '- item\n',
    '```ts\n',
    'const x = 1;\n',
    '```\n',
    '# head\n',
    '1. one\n',
    '中文 ',
  );
  const property = fc.property(
    fc.array(words, { maxLength: 60 }),
    fc.array(fc.nat(7), { maxLength: 60 }),
    (parts, cuts) => {
      const text = parts.join('');
      const deltas: string[] = [];
      for (let i = 0, at = 0; at < text.length; i += 1) {
        const size = 1 + (cuts[i % Math.max(1, cuts.length)] ?? 0);
        deltas.push(text.slice(at, at + size));
        at += size;
      }
      const { state, pieces } = folded([began, ...deltas.map(says), blockEnd]);
      expect(state.answer).toBe('');
      const shown = pieces.flatMap((piece) => (piece.kind === 'answer' ? [piece.text] : [])).join('');
      const letters = (of: string) => of.replace(/```(?:ts)?|[^\p{L}\p{N}]/gu, '');
      expect(letters(shown)).toBe(letters(text));
    },
  );
  fc.assert(property, { numRuns: 200 });
});

test('a long code block and a long list are finished line by line, so that little has to be drawn again', () => {
  const code = `\`\`\`ts\n${Array.from({ length: 200 }, (_, i) => `const x${i} = ${i};`).join('\n')}\n\`\`\`\n`;
  const { pieces } = folded([began, ...[...code].map(says), blockEnd]);
  const answers = pieces.filter(({ kind }) => kind === 'answer');
  expect(answers.length).toBeGreaterThan(10);
  expect(textOf(answers)).toBe(Array.from({ length: 200 }, (_, i) => `│ const x${i} = ${i};`).join('\n'));
});

test('a call is one line with what came of it; an edit has its diff, a command the end of its output', () => {
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: ['-a', '+b', '+c'] }];
  const { pieces } = folded([
    began,
    start('1', 'Edit', { file_path: '/work/src/x.ts' }),
    end('1', 'Edit', 'ok', { filePath: '/work/src/x.ts', oldString: 'a', newString: 'b\nc', structuredPatch: patch }),
    start('2', 'Bash', { command: 'seq 9' }),
    end('2', 'Bash', '1\n2\n3\n4\n5\n6\n7\n8\n9', { stdout: '1\n2', stderr: '' }),
  ]);
  expect(textOf(pieces)).toBe(
    [
      '❯ go',
      `● Edit src/x.ts  +2 −1${' '.repeat(80 - 22 - 5)}1.0 s`,
      '  1 - a',
      '  1 + b',
      '  2 + c',
      `● Bash seq 9${' '.repeat(80 - 12 - 5)}1.0 s`,
      '  │ … 6 lines more (Ctrl-O)',
      '  │ 7',
      '  │ 8',
      '  │ 9',
    ].join('\n'),
  );
});

test('what was denied is told once; what failed says why; what was stopped says so', () => {
  const denied: LoopEvent = { kind: 'denied', id: '1', name: 'Bash', input: { command: 'rm x' }, message: 'no rule' };
  const failed: LoopEvent = {
    kind: 'tool-end',
    id: '2',
    name: 'Read',
    outcome: { content: 'no such file', result: 'Error', isError: true },
  };
  const stopped: LoopEvent = {
    kind: 'tool-end',
    id: '3',
    name: 'Read',
    outcome: { content: 'x', result: 'User rejected tool use', isError: true },
  };
  const { pieces } = folded([denied, end('1', 'Bash', 'no rule', 'Error: no rule'), failed, stopped]);
  expect(textOf(pieces)).toBe('● Bash rm x\n  not allowed: no rule\n● Read\n  │ no such file\n● Read  stopped');
});

test('agents are shown at their calls, with calls, tokens and what they do; in the background they stay', () => {
  const task = { id: '1', agentId: 'a', agentType: 'Explore', description: 'd', depth: 1, isBackground: false };
  const inner = (event: LoopEvent): LoopEvent => ({ kind: 'agent', ...task, event });
  const usage = { output_tokens: 1500 };
  const entry: LoopEvent = { kind: 'entry', entry: { type: 'assistant', message: { id: 'm', usage } } };
  const events = [
    began,
    start('1', 'Agent', { description: 'Look' }),
    inner(entry),
    inner(entry),
    inner(start('x', 'Grep', { pattern: 'a' })),
  ];
  const { state } = folded(events);
  expect(live(state).join('\n')).toContain('○ Agent Look');
  expect(live(state).join('\n')).toContain('└ 1 call · 1.50k tokens · Grep a');
  const after = folded([...events, end('1', 'Agent', 'launched', { isAsync: true, agentId: 'a' })]).state;
  expect(after.background).toHaveLength(1);
  const notice =
    '<task-notification><tool-use-id>1</tool-use-id><summary>Agent "Look" finished</summary></task-notification>';
  const told = folded([
    ...events,
    end('1', 'Agent', 'l', { isAsync: true }),
    { kind: 'began', prompt: notice, isNotice: true },
  ]);
  expect(told.state.background).toEqual([]);
  expect(textOf(told.pieces)).toContain('Agent "Look" finished');
});

test('a compaction is a ruled line; a retry drops what came of the answer', () => {
  const boundary: LoopEvent = {
    kind: 'entry',
    entry: { type: 'system', subtype: 'compact_boundary', compactMetadata: { preTokens: 167_000, postTokens: 9000 } },
  };
  expect(textOf(folded([boundary]).pieces)).toMatch(/^── context compacted: 167k → 9\.00k tokens ─+$/);
  const failure = { type: 'overloaded_error', message: 'Overloaded', status: 529 };
  const retry: LoopEvent = {
    kind: 'model',
    event: { kind: 'retry', failure, attempt: 1, maxRetries: 10, delayMs: 900 },
  };
  const { state, pieces } = folded([says('half'), retry]);
  expect(state.answer).toBe('');
  expect(textOf(pieces)).toBe('Overloaded; again in 1 s (1 of 10)');
});

test('no line is wider than the terminal, none of them drives it, and there are never more than it has rows', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.constantFrom(
      '\u001b[2J',
      '\u001b]0;x\u0007',
      '\u009b31m',
      '\u202e',
      'a\rb',
      '```\n',
      '宽字符'.repeat(30),
      '| a | b |\n|---|---|\n| \u001b[31m | 2 |\n',
    ),
  );
  const property = fc.property(
    fc.array(hostile, { maxLength: 6 }),
    fc.integer({ min: 20, max: 140 }),
    fc.integer({ min: 6, max: 40 }),
    (parts, width, height) => {
      const text = parts.join('');
      const events = [
        { kind: 'began', prompt: text, isNotice: false } as const,
        says(`${text}\n\n${text}`),
        start('1', 'Bash', { command: text }),
        { kind: 'tool-progress', id: '1', data: { output: text, totalLines: 3 } } as const,
        start('2', text, { file_path: text }),
        end('2', text, text),
        { kind: 'queued', text } as const,
        { kind: 'denied', id: '9', name: text, input: { command: text }, message: text } as const,
      ];
      const { state, pieces } = folded(events);
      const shown = live(state, height, width);
      expect(shown.length).toBeLessThan(height);
      for (const line of [...shown, ...pieces.flatMap((piece) => pieceLines(piece, look(width)))]) {
        expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }
    },
  );
  fc.assert(property, { numRuns: 120 });
});

test('the status line drops what matters least first', () => {
  const status = {
    model: 'claude-opus-5-5',
    mode: 'default',
    context: 120_000,
    window: 200_000,
    costUSD: 1.5,
    gitBranch: 'main',
    keys: '? for keys',
  };
  expect(statusLine(status, 80, palette).trim()).toMatch(
    /^asks first · opus-5-5 · 120k of 200k \(60%\) · \$1\.50 · ⎇ main +\? for keys$/,
  );
  expect(statusLine(status, 40, palette).trim()).toMatch(/^asks first · opus-5-5 +\? for keys$/);
});
