/** The console from end to end, in a terminal: going back, going on, being resized, stopped and killed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesOf } from '../support/chat.ts';
import { type ConsoleWorld, consoleWith } from '../support/console.ts';
import { runHere } from '../support/inprocess.ts';
import { calls, hold, says } from '../support/scripted-model.ts';
import { BIN } from '../support/skein.ts';
import { openTmux, type Tmux } from '../support/tmux.ts';

const IDLE = '? for keys';

async function say(terminal: Tmux, words: string, answer: string): Promise<string> {
  terminal.type(words);
  terminal.keys('Enter');
  return terminal.until((screen) => screen.includes(answer) && screen.includes(IDLE));
}

/** Nothing in the transcripts that `skein check` calls an error. */
async function expectSound({ config, home }: ConsoleWorld): Promise<void> {
  const env = { HOME: home, CLAUDE_CONFIG_DIR: config, SKEIN_HOME: join(home, 'kept') };
  const ran = await runHere(['check', join(config, 'projects'), '--json'], env);
  expect(ran.text).not.toContain('"severity": "error"');
}

test('rewind: Esc Esc, files and conversation as before a prompt, which can be changed and sent again', async () => {
  const world = await consoleWith([
    says('Hello.'),
    calls('Write', { file_path: 'made.txt', content: 'one\n' }),
    says('Made.'),
    says('Another answer.'),
  ]);
  const terminal = world.open(['--permission-mode', 'acceptEdits']);
  await terminal.until(IDLE);
  await say(terminal, 'first', 'Hello.');
  await say(terminal, 'make it', 'Made.');
  expect(existsSync(join(world.cwd, 'made.txt'))).toBe(true);
  terminal.keys('Escape');
  await terminal.until('Esc again');
  terminal.keys('Escape');
  await terminal.until('Back to before which prompt?');
  terminal.keys('Enter');
  await terminal.until('What should be as it was?');
  terminal.type('b');
  await terminal.until(/goes on from before that prompt[\s\S]*❯ make it/);
  expect(existsSync(join(world.cwd, 'made.txt'))).toBe(false);
  terminal.keys('Enter');
  await terminal.until('Another answer.');
  expect(JSON.stringify(world.model.requests[3]?.messages)).not.toContain('Made.');
  await expectSound(world);
});

test('resume: the picker shows what there is, and the conversation goes on; branch leaves it as it is', async () => {
  const world = await consoleWith([says('The answer is 42.'), says('Still 42.'), says('In the copy.')]);
  const first = world.open();
  await first.until(IDLE);
  await say(first, 'what is it', 'The answer is 42.');
  first.keys('C-d');
  await first.until('[exit 0]');
  const second = world.open();
  await second.until(IDLE);
  second.type('/resume');
  second.keys('Enter');
  await second.until(/Go on with a session[\s\S]*what is it/);
  second.keys('Enter');
  await second.until((screen) => screen.includes('The answer is 42.') && screen.includes(IDLE));
  await say(second, 'sure', 'Still 42.');
  expect(world.sessions()).toHaveLength(1);
  second.type('/branch');
  second.keys('Enter');
  await second.until('Going on in a copy');
  await say(second, 'and here', 'In the copy.');
  expect(world.sessions()).toHaveLength(2);
  await expectSound(world);
});

test('/compact: a ruled line, and the conversation goes on from the summary', async () => {
  const world = await consoleWith([says('Long ago.'), says('<summary>We spoke.</summary>'), says('On we go.')]);
  const terminal = world.open();
  await terminal.until(IDLE);
  await say(terminal, 'begin', 'Long ago.');
  await say(terminal, '/compact', 'context compacted');
  await say(terminal, 'on', 'On we go.');
  await expectSound(world);
});

test('resized while it writes: the answer is whole, the live lines stand once', async () => {
  const middle = hold();
  const words = Array.from({ length: 60 }, (_, i) => `Sentence number ${i} of a long answer.`).join('\n\n');
  const world = await consoleWith([says(words, { piece: 400, holdAt: { at: { inside: 0 }, hold: middle } })]);
  const terminal = world.open([], { columns: 100, rows: 30 });
  await terminal.until(IDLE);
  terminal.type('go');
  terminal.keys('Enter');
  await middle.reached;
  for (const [columns, rows] of [
    [60, 20],
    [120, 40],
    [80, 24],
  ] as const) {
    terminal.resize(columns, rows);
    // The terminal breaks lines anew at once; the program hears of it a little later.
    await terminal.until((screen) => {
      const rules = screen.split('\n').filter((line) => /^─+$/.test(line));
      return rules.length === 2 && rules.every((line) => line.length === columns);
    });
  }
  middle.release();
  await terminal.until((screen) => screen.includes('number 59') && screen.includes(IDLE));
  const all = terminal.all();
  for (let i = 0; i < 60; i += 1) expect(all.split(`Sentence number ${i} of`)).toHaveLength(2);
  expect(all.split(IDLE)).toHaveLength(2);
});

test('a paste of 10,000 lines is a mark in the editor and comes to the model whole', async () => {
  const world = await consoleWith([says('Much.')]);
  const terminal = world.open();
  await terminal.until(IDLE);
  const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i} 行`).join('\n');
  terminal.paste(lines);
  await terminal.until('+10000 lines]');
  await say(terminal, ' what is it?', 'Much.');
  expect(JSON.stringify(world.model.requests[0]?.messages.at(-1))).toContain(
    JSON.stringify(`${lines} what is it?`).slice(1, -1),
  );
});

test('killed while it works, it is gone on with: nothing that was said is lost', async () => {
  const middle = hold();
  const world = await consoleWith([
    says('First.'),
    says('Second.', { holdAt: { at: { inside: 0 }, hold: middle } }),
    says('Third.'),
  ]);
  const terminal = world.open();
  await terminal.until(IDLE);
  await say(terminal, 'one', 'First.');
  terminal.type('two');
  terminal.keys('Enter');
  await middle.reached;
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.until('[exit 137]');
  const again = world.open(['--continue']);
  await again.until((screen) => screen.includes('❯ two') && screen.includes(IDLE));
  await say(again, 'three', 'Third.');
  const sent = JSON.stringify(world.model.requests[2]?.messages);
  for (const words of ['one', 'First.', 'two', 'three']) expect(sent).toContain(words);
  await expectSound(world);
});

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends the turn as it should be ended and leaves the terminal as it was', async (signal, code) => {
  const middle = hold();
  const world = await consoleWith([says('Half of it', { holdAt: { at: { inside: 0 }, hold: middle } })]);
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('go');
  terminal.keys('Enter');
  await middle.reached;
  const { pid } = terminal;
  process.kill(pid, signal);
  // A terminal that goes away says so more than once; by then it may be over.
  if (signal === 'SIGHUP') execFileSync('bash', ['-c', `sleep 0.01; kill -HUP ${pid} 2>/dev/null || true`]);
  await terminal.until(`[exit ${code}]`);
  const [file = ''] = world.sessions();
  expect(JSON.stringify(entriesOf(file))).toContain('[Request interrupted by user]');
  expect(readdirSync(join(world.config, 'sessions'))).toEqual([]);
  // What is typed now is echoed again.
  terminal.type('echoed');
  await terminal.until('echoed');
});

test('the terminal goes away: the turn is ended all the same', async () => {
  const middle = hold();
  const world = await consoleWith([says('Half of it', { holdAt: { at: { inside: 0 }, hold: middle } })]);
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('go');
  terminal.keys('Enter');
  await middle.reached;
  terminal.hangUp();
  const [file = ''] = world.sessions();
  await expect.poll(() => readFileSync(file, 'utf8')).toContain('[Request interrupted by user]');
  await expect.poll(() => readdirSync(join(world.config, 'sessions'))).toEqual([]);
});

test('a fault of ours leaves the terminal as it was, too', async () => {
  const world = await consoleWith([]);
  const fault = join(world.home, 'fault.cjs');
  writeFileSync(fault, "setTimeout(() => { throw new Error('a fault'); }, 1500);\n");
  const terminal = world.open([], undefined, { NODE_OPTIONS: `--require ${fault}` });
  await terminal.until(IDLE);
  await terminal.until(/a fault[\s\S]*\[exit 1\]/);
  terminal.type('echoed');
  await terminal.until('echoed');
});

test('without colour nothing is painted; with it, no escape of the model or of a tool gets through', async () => {
  const evil = '\u001b[2J\u001b]0;owned\u0007\u009b31mred';
  const world = await consoleWith([calls('Bash', { command: `printf '\\033[2Jbad'` }), says(`Says ${evil} this.`)]);
  const terminal = world.open(['--permission-mode', 'bypassPermissions'], undefined, { NO_COLOR: '1' });
  await terminal.until(IDLE);
  await say(terminal, 'go', 'this.');
  expect(terminal.painted()).not.toContain('\u001b[3');
  expect(terminal.all()).toContain('❯ go');
  expect(terminal.all()).toContain('│ bad');
});

test('a question that comes while somebody writes is not answered by what they write', async () => {
  const before = hold();
  const world = await consoleWith([calls('Bash', { command: 'touch made' }, { hold: before }), says('Not done.')]);
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('go');
  terminal.keys('Enter');
  await before.reached;
  terminal.type('say');
  await terminal.until('❯ say');
  before.release();
  await terminal.until('May it run this?');
  terminal.type('y');
  // A pause, and keys are answers again.
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(existsSync(join(world.cwd, 'made'))).toBe(false);
  terminal.type('nwait');
  terminal.keys('Enter');
  await terminal.until((screen) => screen.includes('Not done.') && screen.includes('❯ sayy'));
  expect(existsSync(join(world.cwd, 'made'))).toBe(false);
});

test('what was typed is found again: by ↑, and by Ctrl-R', async () => {
  const world = await consoleWith([says('A.'), says('B.'), says('C.')]);
  const first = world.open();
  await first.until(IDLE);
  await say(first, 'alpha question', 'A.');
  await say(first, 'beta question', 'B.');
  first.keys('C-d');
  await first.until('[exit 0]');
  const second = world.open();
  await second.until(IDLE);
  second.keys('Up');
  await second.until('❯ beta question');
  second.keys('C-u', 'C-r');
  await second.until('What you typed before');
  second.type('alp');
  await second.until((screen) => !screen.includes('beta'));
  second.keys('Enter');
  await second.until('❯ alpha question');
});

test('completion: a command by its name, a file by @, and ignored files not', async () => {
  const world = await consoleWith([says('Seen.')]);
  execFileSync('git', ['init', '-q'], { cwd: world.cwd });
  writeFileSync(join(world.cwd, '.gitignore'), 'hidden*\n');
  writeFileSync(join(world.cwd, 'visible-file.txt'), 'the words in it\n');
  writeFileSync(join(world.cwd, 'hidden-file.txt'), 'x\n');
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('/ren');
  await terminal.until(/→ rename +TITLE/);
  terminal.keys('C-u');
  terminal.type('look at @file');
  const offered = await terminal.until('→ visible-file.txt');
  expect(offered).not.toContain('hidden-file');
  terminal.keys('Tab');
  await terminal.until('look at @visible-file.txt');
  terminal.keys('Enter');
  await terminal.until('Seen.');
  expect(JSON.stringify(world.model.requests[0]?.messages)).toContain('the words in it');
});

test('! runs a command; what it printed is known to the model afterwards (E8)', async () => {
  const world = await consoleWith([says('I saw it.')]);
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('!echo from-bang');
  terminal.keys('Enter');
  await terminal.until(/! echo from-bang\n {2}from-bang/);
  expect(readFileSync(join(world.config, 'history.jsonl'), 'utf8')).toContain('"display":"!echo from-bang"');
  await say(terminal, 'what did it print', 'I saw it.');
  const sent = JSON.stringify(world.model.requests[0]?.messages);
  expect(sent).toContain('<bash-stdout>from-bang</bash-stdout>');
  await expectSound(world);
});

test('an image that is named comes along (E8)', async () => {
  const world = await consoleWith([says('A dot.')]);
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  writeFileSync(join(world.cwd, 'a dot.png'), Buffer.from(png, 'base64'));
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.paste(`'${join(world.cwd, 'a dot.png')}' what is it?`);
  await say(terminal, '', 'A dot.');
  expect(JSON.stringify(world.model.requests[0]?.messages.at(-1))).toContain(png);
  await expectSound(world);
});

test('Ctrl-Z gives the terminal back, and fg goes on', async () => {
  const world = await consoleWith([says('Before.'), says('After.')]);
  const env = { PATH: process.env.PATH ?? '', HOME: world.home, CLAUDE_CONFIG_DIR: world.config, ...world.model.env };
  const terminal = openTmux({ command: ['bash', '--norc', '-i'], cwd: world.cwd, env });
  terminal.type(`${process.execPath} ${BIN} chat`);
  terminal.keys('Enter');
  await terminal.until(IDLE);
  await say(terminal, 'one', 'Before.');
  terminal.keys('C-z');
  await terminal.until('Stopped');
  terminal.type('echo shell$((1+1))');
  terminal.keys('Enter');
  await terminal.until('shell2');
  terminal.type('fg');
  terminal.keys('Enter');
  await terminal.until((screen) => screen.trimEnd().endsWith(IDLE));
  await say(terminal, 'two', 'After.');
});

test('SIGTERM while a list is open ends it all the same', async () => {
  const world = await consoleWith([]);
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('/model');
  terminal.keys('Enter');
  await terminal.until('Which model?');
  process.kill(terminal.pid, 'SIGTERM');
  await terminal.until('[exit 143]');
});

test('Shift+Tab goes through the modes, and the mode holds', async () => {
  const world = await consoleWith([calls('Write', { file_path: 'x.txt', content: 'x' }), says('Written.')]);
  const terminal = world.open();
  await terminal.until('asks first');
  terminal.keys('BTab');
  await terminal.until('edits unasked');
  await say(terminal, 'write', 'Written.');
  terminal.keys('BTab');
  await terminal.until('◇ plan');
  terminal.keys('BTab');
  await terminal.until('asks first');
});

test('the demo shows every screen without a key, and leaves nothing behind', async () => {
  const { home, cwd } = await consoleWith([]);
  const before = demoFolders();
  const terminal = openTmux({
    command: [process.execPath, BIN, 'chat', '--demo'],
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: home },
  });
  await terminal.until(IDLE);
  await say(terminal, 'hello', 'to go back.');
  terminal.type('mend it');
  terminal.keys('Enter');
  await terminal.until('May it change this file?');
  terminal.type('y');
  await terminal.until('May it run this?');
  terminal.type('y');
  await terminal.until((screen) => screen.includes('Mended') && screen.includes(IDLE));
  terminal.type('ask me');
  terminal.keys('Enter');
  await terminal.until('How should the greeter');
  terminal.keys('Enter');
  await terminal.until((screen) => screen.includes('Noted.') && screen.includes(IDLE));
  terminal.type('explore');
  terminal.keys('Enter');
  await terminal.until((screen) => screen.includes('Both came back') && screen.includes(IDLE));
  terminal.type('plan');
  terminal.keys('Enter');
  await terminal.until('May it?');
  terminal.type('y');
  await terminal.until('The plan is ready');
  terminal.type('y');
  await terminal.until((screen) => screen.includes('settled') && screen.includes(IDLE));
  terminal.keys('C-c');
  await terminal.until('Ctrl-C again');
  terminal.keys('C-c');
  await terminal.until('[exit 0]');
  expect(demoFolders()).toEqual(before);
});

function demoFolders(): string[] {
  return readdirSync('/tmp').filter((name) => name.startsWith('skein-demo-'));
}

test('without a key: what works, how to set one, and no more', async () => {
  const world = await consoleWith([]);
  const terminal = world.open([], undefined, { ANTHROPIC_API_KEY: '' });
  const screen = await terminal.until('There is no key');
  expect(screen).toContain('skein chat --demo');
  expect(screen).toContain('ANTHROPIC_API_KEY');
});
