/** The process: where it listens, what it says, how it ends. */
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { asArray, at, parseJson } from '../../src/format/json.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { rootWith, skein, startSkein } from '../support/skein.ts';
import { listen, serve, until } from './helpers.ts';

const ID = '11111111-1111-4111-8111-111111111111';

function root(): string {
  return rootWith(
    { [`${ID}.jsonl`]: toJsonl(chain([user('hello'), assistant('world')], { sessionId: ID })) },
    writeFileSync,
  );
}

async function takenPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} ends it at once, with pages listening, and leaves no process behind`, async () => {
    const server = await serve(['--root', root()], { home: tempFolder() });
    await listen(server);
    await listen(server);
    expect(await server.stop(signal)).toBe(code);
    await expect(server.ask('/api/status')).rejects.toThrow();
    expect(server.stderr()).toBe('');
  });
}

test('with --json it prints one line and nothing else', async () => {
  const child = startSkein(['serve', '--json', '--no-open', '--no-sync', '--port', '0', '--root', root()]);
  let out = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  await until(() => out.includes('\n'));
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(Object.keys(parseJson(out) ?? {})).toEqual(['url']);
  expect(String(at(parseJson(out), 'url'))).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
});

test('a port that is taken is an error when it was asked for', async () => {
  const port = await takenPort();
  const { code, err, text } = skein(['serve', '--no-open', '--port', String(port), '--root', root()]);
  expect([code, text]).toEqual([1, '']);
  expect(err).toContain('The port is taken.');
  expect(err).toContain(String(port));
});

test('a port that is none is a wrong usage', () => {
  for (const port of ['x', '-1', '1.5']) expect(skein(['serve', `--port=${port}`]).code).toBe(2);
  expect(skein(['serve', '--no-open', '--port', '70000']).err).toContain('There is no such port.');
});

test('two servers side by side do not take each other’s cookie', async () => {
  const [one, two] = [
    await serve(['--root', root(), '--no-sync'], { home: tempFolder() }),
    await serve(['--root', root(), '--no-sync'], { home: tempFolder() }),
  ];
  const both = { headers: { cookie: `${one.cookie}; ${two.cookie}` } };
  expect((await one.askBare('/api/status', both)).status).toBe(200);
  expect((await two.askBare('/api/status', both)).status).toBe(200);
  expect((await one.askBare('/api/status', { headers: { cookie: two.cookie } })).status).toBe(401);
});

test('nothing is archived with --no-sync, and by the way without it', async () => {
  const home = tempFolder();
  const place = root();
  const server = await serve(['--root', place, '--no-sync'], { home });
  await server.settled();
  await until(async () => at((await server.ask('/api/status')).json(), 'archive', 'state') === 'off');
  await server.stop();
  const archive = join(home, '.local', 'share', 'skein', 'archive.db');
  expect(existsSync(archive)).toBe(false);
  const again = await serve(['--root', place], { home });
  await until(async () => at((await again.ask('/api/status')).json(), 'archive', 'state') === 'done');
  await until(async () => at((await again.ask('/api/status')).json(), 'working') === null);
  const [row = null] = asArray(at((await again.ask('/api/chats')).json(), 'chats')) ?? [];
  expect(at(row, 'tokens')).toBe(16);
  await again.stop();
  expect(existsSync(archive)).toBe(true);
});
