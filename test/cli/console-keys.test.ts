/** Who presses what when: keys that were meant for something else answer no question. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createApp } from '../../src/cli/console/app.ts';
import { type Chosen, dialogOf } from '../../src/cli/console/dialog.ts';
import { paletteFor } from '../../src/cli/console/palette.ts';
import { endLostPastes } from '../../src/cli/terminal/pastes.ts';
import { terminalOf } from '../support/terminal.ts';

function appWith() {
  let time = 10_000;
  let send = (_: string) => {};
  let written = '';
  let rows = 24;
  const nothing = () => {};
  const terminal = terminalOf({
    start: (onInput) => {
      send = onInput;
    },
    write: (data) => {
      written += data;
    },
    columns: 80,
    rows: () => rows,
  });
  const app = createApp({
    terminal,
    palette: paletteFor(false),
    cwd: '/w',
    now: () => time,
    signal: new AbortController().signal,
    status: () => ({ model: 'm', mode: 'default', window: 0, gitBranch: '' }),
    onKey: () => false,
    onSubmit: nothing,
  });
  app.screen.start();
  const answers: (Chosen | undefined)[] = [];
  return {
    app,
    answers,
    ask: async () => {
      const options = [{ label: 'Yes', key: 'y' }, { label: 'No' }];
      void app
        .choose(dialogOf({ title: 'May it?', options }), new AbortController().signal)
        .then((each) => answers.push(each));
      await settled();
    },
    press: async (...keys: readonly string[]) => {
      for (const key of keys) send(key);
      await settled();
    },
    wait: (ms: number) => {
      time += ms;
    },
    resize: (to: number) => {
      rows = to;
    },
    written: () => written,
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('a paste is no answer; a key is', async () => {
  const { ask, press, answers } = appWith();
  await ask();
  await press('\u001b[200~y\u001b[201~', '\u001b[200~1\u001b[201~', '\u001b[200~\n\u001b[201~');
  expect(answers).toEqual([]);
  await press('y');
  expect(answers).toHaveLength(1);
});

test('who sent one message and begins the next does not answer; Esc is heard at once', async () => {
  const { app, ask, press, answers, wait } = appWith();
  app.tell({ kind: 'began', prompt: 'p', isNotice: false });
  wait(5000);
  await press('x', '\r');
  expect(app.editor.getText()).toBe('');
  wait(100);
  await ask();
  await press('y', 'e', 's');
  expect([answers, app.editor.getText()]).toEqual([[], 'yes']);
  await press('\u001b');
  expect(answers).toEqual([undefined]);
});

test('a key that is held answers the question that is seen, not those behind it', async () => {
  const { ask, press, answers, wait } = appWith();
  await ask();
  await ask();
  await press('y');
  await press('y');
  wait(200);
  await press('y');
  expect(answers).toHaveLength(1);
  wait(400);
  await press('y');
  expect(answers).toHaveLength(2);
});

test('a paste whose end is lost ends with Ctrl-C; within a whole one it is text', () => {
  const stdin = new EventEmitter();
  const came: string[] = [];
  const stop = endLostPastes(stdin);
  stdin.on('data', (data) => came.push(data));
  for (const data of ['\u001b[200~a\u0003b\u001b[201~', '\u0003', '\u001b[200~lost', 'x', '\u0003', '\u0003']) {
    stdin.emit('data', data);
  }
  expect(came.slice(-4)).toEqual(['x', '\u001b[201~', '\u0003', '\u0003']);
  expect(came).toHaveLength(7);
  stop();
  expect(stdin.listenerCount('data')).toBe(1);
});

test('in a window that becomes smaller what is asked about is shown whole, once', async () => {
  const { app, resize, written } = appWith();
  const body = () => Array.from({ length: 8 }, (_, i) => `line ${i} of it`);
  void app.choose(dialogOf({ title: 'May it?', options: [{ label: 'Yes' }], body }), new AbortController().signal);
  await settled();
  app.screen.renderNow();
  const before = written().length;
  resize(6);
  for (let i = 0; i < 3; i += 1) app.screen.renderNow();
  expect(
    written()
      .slice(before)
      .match(/line 0 of it/g),
  ).toHaveLength(1);
});

test('after the screen was given back the cursor is shown again', async () => {
  const { app, written } = appWith();
  app.screen.renderNow();
  app.screen.wipe();
  app.screen.stop();
  const before = written().length;
  app.screen.start();
  app.screen.renderNow();
  expect(written().slice(before)).toContain('\u001b[?25h');
});
