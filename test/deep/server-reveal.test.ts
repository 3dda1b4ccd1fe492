/** Secrets do not leave the process until a person asks for them. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { asString, at } from '../../src/format/json.ts';
import { createListing } from '../../src/server/listing.ts';
import { createMasking } from '../../src/server/masking.ts';
import { random } from '../redact/samples.ts';
import { type Served, serve, until } from '../server/helpers.ts';
import { assistant, chain, result, text, thinking, toJsonl, toolUse, user } from '../support/build.ts';
import { chatRow } from '../support/chatrow.ts';
import { tempFolder } from '../support/files.ts';
import { rootWith } from '../support/skein.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
// Put together here, so that no scanner takes this file for a leak.
const TOKEN = ['ghp', 'R2d8Kx7Qm4Zt9Wv3Yb6Nc1Hf5Jg0Lp8Sa2De'].join('_');
const PASSWORDS = ['Tr0ub4dor-and-3', 'c0rrect-H0rse-9'] as const;
const secrets = [TOKEN, ...PASSWORDS];

async function served(): Promise<Served> {
  const long = 'word '.repeat(38);
  const lines = chain(
    [
      // The cut of the outline goes through it.
      user(`${long}${TOKEN} is the token`, { gitBranch: `fix/${TOKEN}`, cwd: `/work/${TOKEN}` }),
      assistant([thinking(`it is ${TOKEN}`), text(`I use ${TOKEN}`)]),
      assistant(toolUse('t1', 'Bash', { command: `curl -H 'Authorization: Bearer ${TOKEN}' https://x` })),
      result('t1', `postgres://app:${PASSWORDS[0]}@db/app\npostgres://app:${PASSWORDS[1]}@db/app ${TOKEN}`, {
        toolUseResult: { stdout: TOKEN, stderr: '', interrupted: false },
      }),
      assistant(toolUse(`t2`, 'Custom', { password: PASSWORDS[0], nested: [{ token: TOKEN }] })),
      result('t2', TOKEN, { isError: true }),
    ],
    { sessionId: ID },
  );
  const other = chain([user(`copy ${TOKEN}`), assistant('ok')], { sessionId: OTHER });
  const root = rootWith(
    {
      [`${ID}.jsonl`]: toJsonl(lines),
      [`${OTHER}.jsonl`]: toJsonl(other.map((line) => ({ ...line, uuid: `o-${line.uuid}` }))),
    },
    writeFileSync,
  );
  const server = await serve(['--root', root], { home: tempFolder() });
  await server.settled();
  return server;
}

const PATHS = [
  '/api/status',
  '/api/chats',
  `/api/chats/${ID}`,
  `/api/chats/${ID}/turns`,
  `/api/chats/${ID}/calls/t1`,
  `/api/chats/${ID}/calls/t2`,
  `/api/chats/${ID}/find?uuid=u1`,
  `/api/chats/${OTHER}`,
  `/api/chats/${OTHER}/turns`,
  '/api/search?q=token',
  '/api/search?q=curl',
  `/api/search?q=${TOKEN}`,
  '/api/usage?by=project',
  '/api/usage?by=branch',
  '/api/usage?by=chat',
  '/api/usage/explain',
  `/api/chats/${ID}/export?format=md`,
  `/api/chats/${ID}/export?format=json`,
  `/api/chats/${ID}/export?format=html`,
];

test('no answer holds a secret, whole or in part, before and after the archive is there', async () => {
  const server = await served();
  const look = async () => {
    for (const path of PATHS) {
      const answer = await server.ask(path);
      expect([path, answer.status]).toEqual([path, 200]);
      for (const secret of secrets) {
        for (let from = 0; from + 12 <= secret.length; from += 1) {
          expect(answer.text.includes(secret.slice(from, from + 12)), `${path}: ${answer.text}`).toBe(false);
        }
      }
    }
  };
  await look();
  await until(async () => at((await server.ask('/api/status')).json(), 'archive', 'state') === 'done');
  await look();
  expect((await server.ask(`/api/chats/${ID}/turns`)).text).toContain('[github-token:');
});

test('a click reveals what a placeholder of that chat stands for', async () => {
  const server = await served();
  const headers = { origin: server.url.origin, 'content-type': 'application/json' };
  const reveal = (body: unknown) =>
    server.ask('/api/reveal', {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const turns = (await server.ask(`/api/chats/${ID}/turns`)).text;
  const placeholder = /\[github-token:[0-9a-f]{4}\]/.exec(turns)?.[0] ?? '';
  const answer = await reveal({ placeholder, chat: ID });
  expect([answer.status, asString(at(answer.json(), 'text'))]).toEqual([200, TOKEN]);
  // The same secret has the same placeholder in every chat.
  expect((await server.ask(`/api/chats/${OTHER}/turns`)).text).toContain(placeholder);
  expect(at((await reveal({ placeholder, chat: OTHER })).json(), 'text')).toBe(TOKEN);
  // Those that look alike are all told.
  await server.ask(`/api/chats/${ID}/calls/t1`);
  expect(at((await reveal({ placeholder: '[password]', chat: ID })).json(), 'texts')).toEqual([...PASSWORDS]);
  expect((await reveal({ placeholder: '[password]', chat: OTHER })).status).toBe(404);
  expect((await reveal({ placeholder: '[github-token:0000]', chat: ID })).status).toBe(404);
  for (const bad of ['', '{', '[]', 'null', '{"placeholder":1}', JSON.stringify({ placeholder: 'x'.repeat(300) })]) {
    expect([bad, (await reveal(bad)).status]).toEqual([bad, 400]);
  }
  expect((await reveal({ placeholder, chat: '../x' })).status).toBe(400);
  const plain = { method: 'POST', body: JSON.stringify({ placeholder, chat: ID }) };
  const asForm = { ...headers, 'content-type': 'text/plain' };
  expect((await server.ask('/api/reveal', { ...plain, headers: asForm })).status).toBe(415);
});

test('all secrets of a chat are shown when that is asked for, and masked again when it is not', async () => {
  const server = await served();
  expect((await server.ask(`/api/chats/${ID}/turns?reveal=1`)).text).toContain(TOKEN);
  expect((await server.ask(`/api/chats/${ID}/calls/t1?reveal=1`)).text).toContain(PASSWORDS[0]);
  expect((await server.ask(`/api/chats/${ID}/turns`)).text).not.toContain(TOKEN);
  expect((await server.ask(`/api/chats?reveal=1`)).text).not.toContain(TOKEN);
});

test('a long list full of secrets does not make the server forget those of an open chat', () => {
  const masking = createMasking();
  const placeholder = masking.of('open').mask(TOKEN);
  const row = (number: number) => chatRow({ id: `chat ${number}`, title: `use ghp_${random(36, `row ${number}`)}` });
  const list = createListing(masking)({
    chats: Array.from({ length: 300 }, (_, n) => row(n)),
    demo: false,
    problems: [],
  });
  expect(list).not.toContain('ghp_');
  expect(masking.secretsOf(placeholder, 'open')).toEqual([TOKEN]);
});

test('a secret that a later hit gives away is masked in earlier ones, also where a snippet is cut', async () => {
  const secret = `Tt44!eeY8n-${'longer-secret77-'.repeat(8)}x`;
  const lines = [
    user(`needle config: password="${secret}" done`),
    assistant(text(`needle then it printed ${'so '.repeat(44)}${secret} alone`)),
    assistant(text(`needle ${secret}`)),
  ];
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(chain(lines, { sessionId: ID })) }, writeFileSync);
  const server = await serve(['--root', root], { home: tempFolder() });
  await server.settled();
  const found = (await server.ask('/api/search?q=needle&sort=date')).json();
  expect(at(found, 'total')).toBe(3);
  expect(JSON.stringify(found)).not.toContain('Tt44!eeY8n');
});
