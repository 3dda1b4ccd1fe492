/** `skein` without a verb in a terminal: the real program, its keys and its screen. */
import { expect, test } from 'vitest';
import { putSessions } from '../support/browse.ts';
import { consoleWith } from '../support/console.ts';
import { says } from '../support/scripted-model.ts';

test('choose, read, search, resume and back; leaving restores the screen', async () => {
  const world = await consoleWith([says('It went on.')]);
  putSessions(world, ['Where is the parrot?', 'Count the boats', 'Paint the harbour']);
  const terminal = world.run([]);
  await terminal.until((screen) => screen.includes('3 chats') && screen.includes('Answer 2.'));

  terminal.type('parrot');
  await terminal.until('1 of 3 chats');
  terminal.keys('Enter');
  await terminal.until((screen) => screen.includes('> Where is the parrot?') && screen.includes('Answer 0.'));
  terminal.keys('q');
  await terminal.until('1 of 3 chats');

  terminal.keys('Escape');
  await terminal.until((screen) => screen.includes('3 chats') && !screen.includes('1 of 3'));
  terminal.keys('/');
  terminal.type('boats');
  terminal.keys('Enter');
  await terminal.until((screen) => /1 found/.test(screen) && screen.includes('❯   prompt'));
  terminal.resize(120, 30);
  await terminal.until((screen) => screen.includes('│') && screen.includes('Answer 1.'));

  terminal.keys('Tab');
  await terminal.until('Resume here');
  terminal.keys('r');
  await terminal.until('? for keys');
  terminal.type('Go on');
  terminal.keys('Enter');
  await terminal.until((screen) => screen.includes('It went on.') && screen.includes('? for keys'));
  terminal.keys('C-d');
  await terminal.until('search ❯ boats');

  terminal.keys('C-c');
  const left = await terminal.until('[exit 0]');
  expect(left).not.toContain('search ❯');
  expect(left).not.toContain('Tab actions');
  expect(world.model.requests[0]?.messages).toHaveLength(3);
});
