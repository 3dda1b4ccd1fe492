/** Slim, clone and repair from the page: only what was asked for by name and shape, and only new files (S1). */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asArray, asString, at, type Json } from '../../src/format/json.ts';
import { editIn } from '../../src/server/edits.ts';
import { type Served, serve } from '../server/helpers.ts';
import { assistant, result, text, toJsonl, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { rootWith, skein } from '../support/skein.ts';
import { idOf, sessionLines } from '../web/sets.ts';

const ID = idOf(1);
const DAMAGED = idOf(2);

const turns = (count: number) =>
  Array.from({ length: count }, (_, turn) => [
    user(`prompt ${turn + 1}`),
    assistant([toolUse(`toolu_${turn}`, 'Bash', { command: 'ls' })], { id: `msg_${turn}a`, stop: 'tool_use' }),
    result(`toolu_${turn}`, 'many words of a result '.repeat(300)),
    assistant([text(`answer ${turn + 1}`)], {
      id: `msg_${turn}b`,
      usage: { input_tokens: 50_000, output_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    }),
  ]).flat();

interface Sessions {
  readonly server: Served;
  readonly root: string;
  readonly home: string;
  edit(body: object | string, id?: string): Promise<{ readonly status: number; readonly json: Json }>;
}

async function sessions(args: readonly string[] = ['--no-sync']): Promise<Sessions> {
  const lines = sessionLines(1, turns(8));
  const damaged = sessionLines(2, [user('hello'), assistant(''), user('more'), assistant('world')]);
  const root = rootWith(
    { [`${ID}.jsonl`]: toJsonl(lines), [`${DAMAGED}.jsonl`]: `${toJsonl(damaged)}{"torn":` },
    writeFileSync,
  );
  const home = tempFolder();
  const server = await serve(['--root', root, ...args], { home });
  await server.settled();
  const headers = { 'content-type': 'application/json', origin: server.url.origin };
  return {
    server,
    root,
    home,
    edit: async (body, id = ID) => {
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await server.ask(`/api/chats/${id}/edit`, { method: 'POST', headers, body: sent });
      return { status: answer.status, json: answer.json() };
    },
  };
}

/** Every file below, with its bytes. */
function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return new Map(
    names.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'base64')]),
  );
}

describe('what may be asked', () => {
  const fine = { verb: 'slim', options: {}, dryRun: true };
  const bad: Record<string, Json> = {
    'no object': 'slim',
    'no verb': { options: {}, dryRun: true },
    'another verb': { ...fine, verb: 'move' },
    'a verb of the prototype': { ...fine, verb: 'constructor' },
    'without dryRun': { verb: 'slim', options: {} },
    'dryRun as text': { ...fine, dryRun: 'false' },
    'without options': { verb: 'slim', dryRun: true },
    'options as a list': { ...fine, options: ['--in-place'] },
    'in place': { ...fine, options: { 'in-place': true } },
    'in place behind a name': { ...fine, options: { 'title --in-place': 'x' } },
    root: { ...fine, options: { root: '/etc' } },
    'dry-run as an option': { ...fine, options: { 'dry-run': true } },
    keep: { ...fine, options: { keep: 'tool:Bash' } },
    'a preset that is none': { ...fine, options: { preset: '../../x' } },
    'a preset as a flag': { ...fine, options: { preset: true } },
    'a budget below zero': { ...fine, options: { budget: '-1' } },
    'a title of control characters': { ...fine, options: { title: 'a\n--in-place' } },
    'a long title': { ...fine, options: { title: 'x'.repeat(201) } },
    'another verb’s option': { ...fine, options: { at: '1' } },
    'a point that is a path': { verb: 'clone', options: { at: '../1' }, dryRun: true },
    'a flag with a value': { verb: 'repair', options: { 'no-rejoin': 'yes' }, dryRun: true },
    'a session that is a path': { ...fine, session: '../x' },
    'a session that is no text': { ...fine, session: 1 },
    'a name of the prototype': { ...fine, options: { constructor: 'x' } },
  };
  test.each(Object.entries(bad))('not %s', (_, body) => {
    expect(() => editIn(body)).toThrow();
  });
  test('what the page asks', () => {
    expect(editIn({ verb: 'slim', options: { budget: '80k' }, dryRun: true }).options).toEqual({ budget: '80k' });
    expect(
      editIn({ verb: 'clone', options: { at: '3', branch: '1', title: '--in-place' }, dryRun: false }).dryRun,
    ).toBe(false);
    expect(editIn({ verb: 'repair', options: { 'no-thinking': true }, dryRun: true }).options).toEqual({
      'no-thinking': true,
    });
  });
});

test('bad bodies, bodies that are no JSON and bodies too long write nothing', async () => {
  const { server, root, edit } = await sessions();
  const before = filesIn(root);
  const slim = { verb: 'slim', options: {}, dryRun: false };
  expect((await edit('{')).status).toBe(400);
  expect((await edit({ ...slim, options: { 'in-place': true } })).status).toBe(400);
  expect((await edit({ ...slim, padding: 'x'.repeat(5000) })).status).toBe(413);
  expect((await edit(slim, 'nobody')).status).toBe(404);
  expect((await edit({ ...slim, session: DAMAGED })).status).toBe(404);
  expect((await edit({ ...slim, session: '@last' })).status).toBe(404);
  const headers = { 'content-type': 'text/plain', origin: server.url.origin };
  const form = await server.ask(`/api/chats/${ID}/edit`, { method: 'POST', headers, body: JSON.stringify(slim) });
  expect(form.status).toBe(415);
  expect(filesIn(root)).toEqual(before);
});

test('a dry run tells what each preset saves and writes nothing anywhere', async () => {
  const { root, home, edit } = await sessions();
  const before = [filesIn(root), filesIn(home)];
  const { status, json } = await edit({ verb: 'slim', options: { preset: 'deep' }, dryRun: true });
  expect(status).toBe(200);
  expect(asArray(at(json, 'after', 'presets'))?.map((preset) => at(preset, 'name'))).toEqual([
    'light',
    'standard',
    'deep',
    'bare',
  ]);
  expect(Number(at(json, 'after', 'kinds', 'toolResults'))).toBeLessThan(
    Number(at(json, 'before', 'kinds', 'toolResults')),
  );
  expect(at(json, 'chat')).toBe(null);
  expect((await edit({ verb: 'clone', options: { at: '2', branch: '1' }, dryRun: true })).status).toBe(200);
  const repair = await edit({ verb: 'repair', options: {}, dryRun: true }, DAMAGED);
  expect(asArray(at(repair.json, 'notes'))?.length).toBeGreaterThan(0);
  expect([filesIn(root), filesIn(home)]).toEqual(before);
});

test('each verb writes exactly one new session, which the check passes and the list knows (S1)', async () => {
  const { server, root, home, edit } = await sessions();
  const asked = [
    [ID, { verb: 'slim', options: { preset: 'deep', title: '--in-place' } }],
    [ID, { verb: 'clone', options: { at: '3', branch: '1', title: 'Up to three' } }],
    [DAMAGED, { verb: 'repair', options: {} }],
  ] as const;
  for (const [id, request] of asked) {
    const before = filesIn(root);
    const { status, json } = await edit({ ...request, dryRun: false }, id);
    expect([request.verb, status]).toEqual([request.verb, 200]);
    const after = filesIn(root);
    const added = [...after.keys()].filter((file) => !before.has(file));
    expect(added).toEqual([at(json, 'file')]);
    for (const [file, bytes] of before) expect(after.get(file)).toBe(bytes);
    const check = skein(['check', added[0] ?? '', '--json'], { home });
    expect([request.verb, check.code, check.err]).toEqual([request.verb, 0, '']);
    const chat = await server.ask(`/api/chats/${asString(at(json, 'chat'))}`);
    expect(asArray(at(chat.json(), 'sessions'))?.map((session) => at(session, 'id'))).toContain(at(json, 'sessionId'));
    expect(asString(at(json, 'resume'))).toContain(`--resume ${at(json, 'sessionId')}`);
  }
});

test('of several sessions of a chat the one that is named is taken', async () => {
  const { edit } = await sessions();
  const { json: bare } = await edit({ verb: 'slim', options: { preset: 'bare' }, dryRun: false });
  const linesOf = async (session: string) =>
    at((await edit({ verb: 'clone', session, options: {}, dryRun: true })).json, 'before', 'lines');
  expect(await linesOf(ID)).toBe(32);
  expect(await linesOf(asString(at(bare, 'sessionId')) ?? '')).toBe(at(bare, 'after', 'lines'));
});

test('a budget that nothing meets is told, and nothing is written', async () => {
  const { root, edit } = await sessions();
  const before = filesIn(root);
  const { status, json } = await edit({ verb: 'slim', options: { budget: '1' }, dryRun: false });
  expect(status).toBe(422);
  expect(asString(at(json, 'what'))).toContain('Nothing was written');
  expect(filesIn(root)).toEqual(before);
});

test('a chat that is in the archive only is cloned from there', { timeout: 60_000 }, async () => {
  const { server, root, edit } = await sessions([]);
  const synced = async () => at((await server.ask('/api/status')).json(), 'archive', 'state') === 'done';
  while (!(await synced())) await new Promise((resolve) => setTimeout(resolve, 50));
  rmSync(join(root, 'projects', '-work-app', `${ID}.jsonl`));
  const { status, json } = await edit({ verb: 'clone', options: {}, dryRun: false });
  expect([status, at(json, 'what')]).toEqual([200, undefined]);
  expect([...filesIn(root).keys()]).toContain(at(json, 'file'));
});
