/** What is written to the terminal: finished lines once, live lines where they changed, and never the whole screen. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialogLines, dialogOf, type Pressed, press } from '../../src/cli/console/dialog.ts';
import { paletteFor } from '../../src/cli/console/palette.ts';
import { ruleFor } from '../../src/cli/console/rules.ts';
import { Screen } from '../../src/cli/console/screen.ts';
import { terminalOf } from '../support/terminal.ts';

/** A terminal of so many rows: what it shows, and what scrolled away. */
function fakeTerminal(columns: number, rows: number) {
  const lines: string[] = [''];
  let [row, column] = [0, 0];
  let written = '';
  const write = (data: string) => {
    written += data;
    for (const [part] of data.matchAll(/\u001b\[[?\d;]*[A-Za-z]|\r|\n|[^\u001b\r\n]+/g)) {
      const count = Number(/\d+/.exec(part)?.[0] ?? 1);
      if (part === '\r') column = 0;
      else if (part === '\n') {
        row += 1;
        lines[row] ??= '';
      } else if (!part.startsWith('\u001b')) {
        const line = (lines[row] ?? '').padEnd(column);
        lines[row] = line.slice(0, column) + part + line.slice(column + part.length);
        column += part.length;
      } else if (part.endsWith('A')) row = Math.max(lines.length - rows, row - count);
      else if (part.endsWith('B')) row = Math.min(lines.length - 1, row + count);
      else if (part.endsWith('C')) column += count;
      else if (part.endsWith('K')) lines[row] = '';
      else if (part.endsWith('J')) {
        lines[row] = (lines[row] ?? '').slice(0, column);
        // Rows below stay rows of the terminal.
        for (let i = row + 1; i < lines.length; i += 1) lines[i] = '';
      }
    }
  };
  const terminal = terminalOf({ columns, rows: () => rows, write });
  return {
    terminal,
    text: () =>
      lines
        .map((line) => line.trimEnd())
        .join('\n')
        .trimEnd(),
    written: () => written,
  };
}

test('whatever is finished and whatever is live, the terminal holds both, in order, and no line twice', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 6 });
  const frame = fc.record({ done: words, live: words });
  const property = fc.property(fc.array(frame, { minLength: 1, maxLength: 30 }), (frames) => {
    const { terminal, text, written } = fakeTerminal(80, 10);
    let live: readonly string[] = [];
    const screen = new Screen(terminal, () => live);
    const all: string[] = [];
    for (const { done, live: next } of frames) {
      live = next;
      all.push(...done);
      screen.commit(done);
      screen.renderNow();
    }
    expect(text()).toBe([...all, ...live].join('\n').trimEnd());
    // Neither the screen nor the scrollback is wiped, and no other screen is opened.
    expect(written()).not.toMatch(/\u001b\[[23]J|\u001b\[\?1049h|\u001b\[H/);
  });
  fc.assert(property, { numRuns: 300 });
});

test('a frame in which one line changed writes that line and no other', () => {
  const { terminal, written } = fakeTerminal(80, 10);
  let last = 'a';
  const screen = new Screen(terminal, () => ['first line', 'second line', last]);
  screen.renderNow();
  const before = written().length;
  last = 'b';
  screen.renderNow();
  expect(written().slice(before)).not.toContain('line');
  expect(written().slice(before).length).toBeLessThan(40);
  const after = written().length;
  screen.renderNow();
  expect(written().length).toBe(after);
});

const palette = paletteFor(false);
const asked = dialogOf({
  title: 'May it?',
  options: [
    { label: 'Yes', key: 'y' },
    { label: 'Always', key: 'a' },
    { label: 'No', key: 'n', takesWords: 'why' },
  ],
});

function pressing(keys: readonly string[], from = asked): Pressed {
  let now: Pressed = { dialog: from };
  for (const key of keys)
    if ('dialog' in now) now = press(now.dialog, key, [...key].length === 1 ? key : key === 'space' ? ' ' : undefined);
  return now;
}

test.each([
  [['y'], { chosen: { index: 0, picked: [0], words: '' } }],
  [['down', 'enter'], { chosen: { index: 1, picked: [1], words: '' } }],
  [['up', 'x', 'space', 'z', 'backspace', 'enter'], { chosen: { index: 2, picked: [2], words: 'x' } }],
  [['n', 'n', 'o', 'enter'], { chosen: { index: 2, picked: [2], words: 'no' } }],
  [['2'], { chosen: { index: 1, picked: [1], words: '' } }],
  [['escape'], { cancelled: true }],
])('a question: %j', (keys, result) => {
  expect(pressing(keys)).toEqual(result);
});

test('typing narrows a list down; several can be marked', () => {
  const list = dialogOf({
    title: 'Which?',
    options: ['apple', 'pear', 'plum'].map((label) => ({ label })),
    filter: '',
  });
  expect(pressing(['p', 'l', 'u', 'enter'], list)).toEqual({ chosen: { index: 2, picked: [2], words: '' } });
  expect(pressing(['x', 'enter'], list)).toHaveProperty('dialog');
  const many = dialogOf({
    title: 'Which?',
    options: ['a1', 'b1', 'c1'].map((label) => ({ label })),
    picked: new Set<number>(),
  });
  expect(pressing(['space', 'down', 'down', 'space', 'enter'], many)).toEqual({
    chosen: { index: 2, picked: [0, 2], words: '' },
  });
});

test('the answers are seen however much a question is about', () => {
  const long = { ...asked, body: () => Array.from({ length: 200 }, (_, i) => `line ${i}`) };
  const lines = dialogLines(long, 60, 18, palette);
  expect(lines.length).toBeLessThanOrEqual(18);
  expect(lines.join('\n')).toMatch(/lines above[\s\S]*line 199[\s\S]*Yes[\s\S]*Always[\s\S]*No/);
});

test('a rule is written only for what means just this', () => {
  const rule = (name: string, input: Record<string, string>) => ruleFor({ tool: { name }, input });
  expect(rule('Bash', { command: 'npm test' })).toBe('Bash(npm test)');
  for (const command of ['rm *.tmp', 'a\nb', 'x:*', 'echo \\(', '']) expect(rule('Bash', { command })).toBeUndefined();
  expect(rule('WebFetch', { url: 'https://example.com/a?b' })).toBe('WebFetch(domain:example.com)');
  expect(rule('mcp__s__t', {})).toBe('mcp__s__t');
  expect(rule('Edit', { file_path: 'x' })).toBeUndefined();
});
