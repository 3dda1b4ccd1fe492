/** Parts of the console that need no terminal: what is asked, what comes along, what is offered, what is kept. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Asked } from '../../src/agent/ports.ts';
import { failed } from '../../src/agent/tools/tool.ts';
import { otherArguments } from '../../src/cli/chat/console.ts';
import { keepRule } from '../../src/cli/chat/keeprule.ts';
import { requestLines } from '../../src/cli/console/askedview.ts';
import { completions } from '../../src/cli/console/complete.ts';
import { contextText } from '../../src/cli/console/contextview.ts';
import { type Chosen, type Dialog, dialogOf, takesText } from '../../src/cli/console/dialog.ts';
import { withImages } from '../../src/cli/console/images.ts';
import { markdownLines } from '../../src/cli/console/markdown.ts';
import { paletteFor } from '../../src/cli/console/palette.ts';
import { plannedHunks } from '../../src/cli/console/plannedhunks.ts';
import { askPerson } from '../../src/cli/console/questions.ts';
import { cutMarkdown } from '../../src/cli/console/split.ts';
import { demoAnswer } from '../../src/cli/demo/script.ts';
import { tempFolder } from '../support/files.ts';
import { PNG } from '../support/png.ts';

const palette = paletteFor(false);

function askedOf(name: string, acts: Asked['tool']['acts'], input: Asked['input']): Asked {
  const tool: Asked['tool'] = {
    name,
    description: '',
    acts,
    definition: () => ({ name }),
    refuse: () => undefined,
    parallel: () => false,
    run: async () => failed('not in a test'),
  };
  return { id: '1', tool, input, signal: new AbortController().signal };
}

test('a command is shown whole, with what would change how it is shown spelled out', () => {
  const command = `echo ${'long '.repeat(60)}\u001b[2J\u202e; rm -rf /`;
  const lines = requestLines(askedOf('Bash', 'runs', { command }), 60, palette);
  expect(
    lines
      .map((line) => line.replace('│ ', ''))
      .join('')
      .replaceAll(' ', ''),
  ).toBe(command.replace('\u001b', '\\u001b').replace('\u202e', '\\u202e').replaceAll(' ', ''));
  expect(lines.every((line) => line.startsWith('│ ') && line.length <= 60)).toBe(true);
});

test('whatever is asked about, no line breaks out of its row', () => {
  const lines = [
    askedOf('WebFetch', 'fetches', { url: 'https://a.b/\n\u001b[2J', prompt: 'x\ny' }),
    askedOf('Bash', 'runs', { command: 'make', run_in_background: true }),
    askedOf('mcp__s\n__t', 'runs', { deep: { a: ['b\n'] } }),
  ].flatMap((asked) => requestLines(asked, 40, palette));
  expect(lines.join('')).not.toMatch(/[\n\u001b]/);
  expect(lines).toContain('│ run_in_background: true');
});

test('nothing that runs is left out of what is asked: unseen characters, and what stands beside a path', () => {
  const shown = (name: string, input: Asked['input']) => requestLines(askedOf(name, 'writes', input), 80, palette);
  const command = 'curl\u00a0x\u200b y\u00ad\u3164 \u{e0041}z ✅\ufe0f a\ufe0f';
  expect(shown('Bash', { command })).toEqual(['│ curl\\u00a0x\\u200b y\\u00ad\\u3164 \\ue0041z ✅\ufe0f a\\ufe0f']);
  expect(shown('mcp__s__t', { file_path: 'a', command: 'evil' })).toContain('│ command: evil');
  const edit = shown('Edit', { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: true });
  expect(edit).toEqual(['Edit a', '│ replace_all: true', '1 - b', '1 + c']);
  expect(shown('Write', { file_path: 'a', new_string: 'harmless', content: 'evil' }).at(-1)).toBe('1 + evil');
  const edits = [{ old_string: 'b', new_string: 'c' }];
  expect(shown('MultiEdit', { file_path: 'a', edits })).toEqual(['MultiEdit a', '1 - b', '1 + c']);
  const all = shown('MultiEdit', { file_path: 'a', edits: [{ ...edits[0], replace_all: true }] });
  expect(all.join('')).toContain('replace_all');
});

test('line by line, too, whatever a call is given is told', () => {
  const input = { file_path: 'a', content: 'one\n\u001b[2Jtwo', mode: { deep: '\u202e' } };
  expect(otherArguments(input, 'a')).toEqual(['content: one', '\\u001b[2Jtwo', 'mode: {"deep":"\\u202e"}']);
  expect(otherArguments({ x: 1 }, '{"x":1}')).toEqual([]);
});

test('what is pasted onto a question is no answer to it', () => {
  const dialog = dialogOf({
    title: '',
    options: [
      { label: 'Yes', key: 'y' },
      { label: 'No', takesWords: '' },
    ],
  });
  expect([dialog, { ...dialog, index: 1 }, { ...dialog, filter: '' }].map(takesText)).toEqual([false, true, true]);
});

test('an answer nested deeper than can be read is shown as it is; a block without an end is written out', () => {
  const deep = `${'>'.repeat(5000)} deep\n`;
  expect(markdownLines(deep, 80, palette).join('')).toContain('deep');
  expect(cutMarkdown(deep).rest).toBe(deep);
  const long = 'words\n'.repeat(20_000);
  expect(cutMarkdown(`${long}more`)).toEqual({ done: long, goesOn: true, rest: 'more' });
});

test('more lines than a call takes arguments', () => {
  expect(markdownLines(`\`\`\`\n${'x\n'.repeat(200_000)}\`\`\``, 80, palette)).toHaveLength(200_000);
});

test('an edit is shown where it stands in the file', async () => {
  const path = join(tempFolder(), 'a.txt');
  writeFileSync(path, 'one\ntwo\nthree\n');
  const asked = askedOf('Edit', 'writes', { file_path: path, old_string: 'two', new_string: 'zwei\ndrei' });
  const shown = async (each: Asked) => requestLines(each, 80, palette, await plannedHunks(each, '/')).slice(1);
  expect(await shown(asked)).toEqual(['1   one', '2 - two', '2 + zwei', '3 + drei', '4   three']);
  // Line ends of another kind, several places, and a file that is written anew.
  writeFileSync(path, `${'x\r\n'.repeat(98)}a\r\nb\r\n${'y\r\n'.repeat(98)}a\r\nb\r\n`);
  const everywhere = { file_path: path, old_string: 'a\nb', new_string: 'a\nc', replace_all: true };
  const changed = (lines: string[]) => lines.filter((line) => /^ *\d+ [+-]/.test(line));
  const places = ['100 - b', '100 + c', '200 - b', '200 + c'];
  expect(changed(await shown(askedOf('Edit', 'writes', everywhere)))).toEqual(places);
  const anew = { file_path: path, content: `${'x\n'.repeat(98)}a\nB\n${'y\n'.repeat(98)}a\nb\n` };
  expect(changed(await shown(askedOf('Write', 'writes', anew)))).toEqual(['100 - b', '100 + B']);
  const misses = askedOf('Edit', 'writes', { file_path: path, old_string: 'nowhere', new_string: 'n' });
  expect(await shown(misses)).toEqual(['1 - nowhere', '1 + n']);
  const wide = askedOf('Write', 'writes', { file_path: path, content: `${'word '.repeat(30)}end` });
  const lines = requestLines(wide, 40, palette);
  expect(lines.every((line) => line.length <= 40)).toBe(true);
  expect(lines.join(' ').match(/word/g)).toHaveLength(30);
  expect(lines.at(-1)).toContain('end');
  const hidden = askedOf('Write', 'writes', { file_path: 'x', content: 'if (admin\u202e) {\u001b[8m' });
  expect(requestLines(hidden, 80, palette).at(-1)).toBe('1 + if (admin\\u202e) {\\u001b[8m');
});

test.each([
  [{ index: 0, picked: [0], words: '' }, 'once', []],
  [{ index: 1, picked: [1], words: '' }, 'always', ['Bash(make)']],
  [{ index: 2, picked: [2], words: '' }, 'no', []],
  [
    { index: 2, picked: [2], words: 'use ninja' },
    { deny: 'The user said no to this, and: use ninja', interrupt: false },
    [],
  ],
  [undefined, 'no', []],
] as const)('permission: %j is %j', async (chosen, consent, rules) => {
  const kept: string[] = [];
  const host = {
    palette,
    cwd: '/',
    choose: async (_: Dialog): Promise<Chosen | undefined> => chosen && { ...chosen, picked: [...chosen.picked] },
    ruleFor: () => 'Bash(make)',
    keepRule: (rule: string) => void kept.push(rule),
  };
  expect(await askPerson(askedOf('Bash', 'runs', { command: 'make' }), 'why', host)).toEqual(consent);
  expect(kept).toEqual(rules);
});

test('Esc to what an agent asks ends the turn, not that agent alone', async () => {
  let stopped = 0;
  const stop = () => {
    stopped += 1;
  };
  const host = { palette, cwd: '/', choose: async () => undefined, ruleFor: () => undefined, keepRule: () => {}, stop };
  const asked = askedOf('Bash', 'runs', { command: 'make' });
  expect([await askPerson(asked, '', host), stopped]).toEqual(['no', 0]);
  const agent = { id: 'a', type: 'worker', cwd: '/', isReadOnly: false };
  expect([await askPerson({ ...asked, agent }, '', host), stopped]).toEqual(['no', 1]);
});

test('questions of the model are answered by their labels, or in own words', async () => {
  const questions = [
    { question: 'Which?', header: 'One', options: [{ label: 'A' }, { label: 'B' }] },
    { question: 'And?', multiSelect: true, options: [{ label: 'C' }, { label: 'D' }] },
  ];
  const said: Chosen[] = [
    { index: 1, picked: [1], words: '' },
    { index: 2, picked: [0, 2], words: 'mine' },
  ];
  const host = { palette, cwd: '/', choose: async () => said.shift(), ruleFor: () => undefined, keepRule: () => {} };
  const consent = await askPerson(askedOf('AskUserQuestion', 'notes', { questions }), '', host);
  expect(consent).toMatchObject({ input: { answers: { 'Which?': 'B', 'And?': 'C, mine' } } });
});

test('a rule is added to what stands in the settings; what cannot be read is left as it is', () => {
  const cwd = tempFolder();
  const file = join(cwd, '.claude', 'settings.local.json');
  keepRule(cwd, 'Bash(make)');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ permissions: { allow: ['Bash(make)'] } });
  writeFileSync(file, JSON.stringify({ model: 'opus', permissions: { deny: ['Read(x)'], allow: ['Bash(ls)'] } }));
  keepRule(cwd, 'Bash(make)');
  keepRule(cwd, 'Bash(make)');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    model: 'opus',
    permissions: { deny: ['Read(x)'], allow: ['Bash(ls)', 'Bash(make)'] },
  });
  writeFileSync(file, '{ broken');
  expect(() => keepRule(cwd, 'Bash(make)')).toThrow('settings');
  expect(readFileSync(file, 'utf8')).toBe('{ broken');
});

test('images come along by their paths; other files, commands and large ones do not', () => {
  const cwd = tempFolder();
  const picture = Buffer.from(PNG, 'base64');
  for (const name of ['a.png', 'b c.jpg', 'd.txt']) writeFileSync(join(cwd, name), picture);
  writeFileSync(join(cwd, 'big.png'), Buffer.concat([picture, Buffer.alloc(6 << 20)]));
  writeFileSync(join(cwd, 'words.png'), 'none at all, and the API would refuse it from then on');
  const types = (text: string) => {
    const content = withImages(text, cwd);
    return typeof content === 'string' ? content : content.map(({ type }) => type);
  };
  expect(types('see a.png and "b c.jpg"')).toEqual(['text', 'image', 'image']);
  expect(types('see @a.png')).toEqual(['text', 'image']);
  expect(types('see b\\ c.jpg')).toEqual(['text', 'image']);
  for (const text of ['see d.txt', 'see big.png', 'see words.png', 'see none.png', '/model a.png', 'plain'])
    expect(types(text)).toBe(text);
});

test('completion: commands at the beginning, files after @, none whose name drives a terminal', async () => {
  const files = async () => ['src/app.ts', 'src/evil\u001b[2J.ts', 'readme.md'];
  const provider = completions({ commandList: [{ name: 'greet', description: 'says hello' }] }, { files });
  const ask = async (text: string) => {
    const found = await provider.getSuggestions([text], 0, text.length, { signal: new AbortController().signal });
    return found?.items.map(({ value }) => value);
  };
  expect(await ask('/gre')).toEqual(['/greet']);
  expect(await ask('look /gre')).toBeUndefined();
  expect(await ask('look @app')).toEqual(['@src/app.ts']);
  expect((await ask('@'))?.length).toBe(2);
  const applied = provider.applyCompletion(['look @app now'], 0, 9, { value: '@src/app.ts', label: '' }, '@app');
  expect(applied).toEqual({ lines: ['look @src/app.ts now'], cursorLine: 0, cursorCol: 17 });
});

test('/context tells what fills the window, the largest first', () => {
  const messages = [
    { role: 'user', content: 'x'.repeat(400) },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'y'.repeat(80) },
        { type: 'tool_use', input: { a: 'z' } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', content: 'w'.repeat(4000) }] },
  ];
  const text = contextText(messages, { used: 2000, isGuess: false, window: 200_000 }, 'm');
  expect(text.split('\n').map((line) => line.replace(/\s+█*$/, ''))).toEqual([
    'm: 2.00k of 200k tokens (1%), as counted at the last answer',
    '  results of tools         1.00k',
    '  instructions and tools     877',
    '  your words                 100',
    '  answers                     20',
    '  calls                        2',
  ]);
});

test('the demo comes to an end, whatever is asked of it', () => {
  for (const prompt of ['hello', 'mend it', 'ask me', 'explore', 'plan', 'long', 'Look for what the test expects.']) {
    const messages: { role: string; content: { type: string; text?: string }[] }[] = [
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ];
    let rounds = 0;
    for (; rounds < 10; rounds += 1) {
      const calls = demoAnswer(JSON.parse(JSON.stringify(messages)), '').blocks.filter(
        ({ type }) => type === 'tool_use',
      );
      if (calls.length === 0) break;
      messages.push({ role: 'user', content: calls.map(() => ({ type: 'tool_result' })) });
    }
    expect(rounds).toBeLessThan(6);
  }
});
