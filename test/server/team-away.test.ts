/** The viewer of a team whose server is away or does not answer: it says why, and it ends when told to. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { asArray, at } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { silentServer } from '../support/silent.ts';
import { serve, until } from './helpers.ts';

const ID = '11111111-1111-4111-8111-111111111111';

test('nobody there: the list is empty and says why, so does a chat; it goes on trying', async () => {
  const { server: gone, url } = await silentServer();
  gone.close();
  await once(gone, 'close');
  const server = await serve(['--team', url], { home: tempFolder(), env: { SKEIN_TEAM_POLL_MS: '50' } });
  const list = (await server.ask('/api/chats')).json();
  expect(at(list, 'chats')).toEqual([]);
  expect(at(list, 'team')).toBe(new URL(url).host + new URL(url).pathname);
  const reason = { what: expect.stringContaining('nobody answers there'), next: expect.stringContaining('Check') };
  expect(asArray(at(list, 'problems'))).toMatchObject([reason]);
  const chat = await server.ask(`/api/chats/${ID}`);
  expect([chat.status, chat.json()]).toMatchObject([422, reason]);
  // It is there again, or at least something is: asked once more.
  let asked = 0;
  const again = createServer((request) => {
    request.resume();
    asked += 1;
  });
  again.listen(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    again.closeAllConnections();
    again.close();
  });
  await until(() => asked > 0);
  expect(await server.stop()).toBe(143);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it while the team does not answer', async (signal, code) => {
  const { url, asked } = await silentServer();
  const server = await serve(['--team', url], { home: tempFolder(), env: { SKEIN_TEAM_TIMEOUT: '600' } });
  await until(() => asked() > 0);
  expect(await server.stop(signal)).toBe(code);
  expect(server.stderr()).toBe('');
});
