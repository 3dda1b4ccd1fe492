/** The routes. Every answer of data passes the masking; nothing here changes a transcript. */
import { type Context, Hono, type TypedResponse } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { asString, at, type Json, parseJson } from '../format/json.ts';
import type { Asset } from './assets.ts';
import { editIn } from './edits.ts';
import { BadRequest, NotJson, refuse, toldBy } from './errors.ts';
import { type Guarded, guard } from './guard.ts';
import { createListing } from './listing.ts';
import type { Live } from './live.ts';
import { type Masking, REVEALED, type ScopedMasking } from './masking.ts';
import { choiceOf, idOf, numberOf, optionalId, optionsOf, pathId, textOf } from './parameters.ts';
import { EXPORT_FORMATS, type Questions } from './questions.ts';

export interface AppOptions {
  readonly questions: Questions;
  readonly masking: Masking;
  readonly guarded: Guarded;
  readonly live: Live;
  readonly assets: ReadonlyMap<string, Asset>;
  /** Told of what should not have happened. */
  readonly onFault: (error: unknown) => void;
}

const MOST_TURNS = 50;
const MOST_BRANCHES = 100_000;
const MOST_INDEX = 10_000_000;
const MOST_HITS = 100;
const MOST_OFFSET = 100_000;
const LONGEST_BODY = 4096;
const LONGEST_PLACEHOLDER = 200;
const FILTERS = {
  since: /^[\w:.+-]{1,40}$/,
  until: /^[\w:.+-]{1,40}$/,
  project: /^.{1,1000}$/s,
  model: /^.{1,200}$/s,
  timezone: /^[\w+/-]{1,60}$/,
  chat: /^[^/\\]{1,255}$/,
};
const USAGE_OPTIONS = { ...FILTERS, by: /^[a-z,]{1,100}$/, cost: /^[a-z]{1,20}$/, heatmap: /^1$/ };
const { chat: _, ...TEAM_OPTIONS } = FILTERS;
const EXPLAIN_OPTIONS = { ...FILTERS, limit: /^\d{1,3}$/, skip: /^\d{1,7}$/ };

type Handler = (c: Context) => Response | Promise<Response>;

export function createApp({ questions, masking, guarded, live, assets, onFault }: AppOptions): Hono {
  const app = new Hono();
  const listing = createListing(masking);

  const get = (path: string, answer: Handler) => {
    app.get(path, answer);
    app.all(path, (c) => notAllowed(c, 'GET, HEAD'));
  };
  const post = (path: string, answer: Handler) => {
    app.post(path, bodyLimit({ maxSize: LONGEST_BODY, onError: tooLarge }), answer);
    app.all(path, (c) => notAllowed(c, 'POST'));
  };
  /** Secrets of a chat are shown when a person asked for all of them. */
  const maskFor = (c: Context, chat: string): ScopedMasking =>
    choiceOf(c, 'reveal', ['0', '1']) === '1' ? REVEALED : masking.of(chat);
  const branchOf = (c: Context) => numberOf(c, 'branch', MOST_BRANCHES);

  app.use(guard(guarded));
  for (const [path, asset] of assets) get(path, (c) => sendAsset(c, asset));

  get('/api/status', (c) => send(c, masking.of(''), { ...questions.status(), pages: live.pages }));
  get('/api/chats', async (c) => {
    const { version, list } = await questions.chats();
    const etag = `"${version}"`;
    c.header('ETag', etag);
    if (c.req.header('if-none-match') === etag) return c.body(null, 304);
    return sendText(c, listing(list));
  });
  get('/api/chats/:id', async (c) => {
    const id = pathId(c, 'id', 'chat');
    const mask = maskFor(c, id);
    return answer(c, mask, await questions.chat(id, { ...mask, branch: branchOf(c) }));
  });
  get('/api/chats/:id/turns', async (c) => {
    const id = pathId(c, 'id', 'chat');
    const mask = maskFor(c, id);
    const from = numberOf(c, 'from', MOST_INDEX) ?? 0;
    const to = numberOf(c, 'to', MOST_INDEX) ?? from + MOST_TURNS;
    const part = numberOf(c, 'part', MOST_INDEX);
    if (to - from > MOST_TURNS) throw new BadRequest(`At most ${MOST_TURNS} turns at a time.`, 'Ask for fewer.');
    return answer(c, mask, await questions.turns(id, { ...mask, branch: branchOf(c), from, to, part }));
  });
  get('/api/chats/:id/find', async (c) => {
    const uuid = idOf(c.req.query('uuid'), 'message');
    return answer(c, masking.of(''), await questions.find(pathId(c, 'id', 'chat'), uuid));
  });
  get('/api/chats/:id/calls/:call', async (c) => {
    const id = pathId(c, 'id', 'chat');
    const mask = maskFor(c, id);
    const ask = { ...mask, branch: branchOf(c), agent: optionalId(c, 'agent', 'sub-agent') };
    return answer(c, mask, await questions.call(id, pathId(c, 'call', 'call'), ask));
  });
  get('/api/chats/:id/agents/:agent', async (c) => {
    const id = pathId(c, 'id', 'chat');
    const mask = maskFor(c, id);
    const ask = { ...mask, call: optionalId(c, 'call', 'call') };
    return answer(c, mask, await questions.agent(id, pathId(c, 'agent', 'sub-agent'), ask));
  });
  get('/api/chats/:id/export', async (c) => {
    const format = choiceOf(c, 'format', EXPORT_FORMATS);
    const id = pathId(c, 'id', 'chat');
    const file = await questions.export(id, format, { mask: masking.of(id).mask, signal: c.req.raw.signal });
    if (file === undefined) return nothing(c);
    c.header('Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`);
    c.header('Content-Type', file.type);
    return c.body(file.body);
  });
  post('/api/chats/:id/open', async (c) =>
    (await questions.open(pathId(c, 'id', 'chat'))) ? c.json({ opened: true }) : nothing(c),
  );
  post('/api/chats/:id/edit', async (c) => {
    const id = pathId(c, 'id', 'chat');
    const ask = { ...editIn(await jsonIn(c)), signal: c.req.raw.signal };
    return answer(c, masking.of(id), await questions.edit(id, ask));
  });
  get('/api/search', async (c) => {
    const mask = masking.of('search');
    const ask = {
      mask: mask.mask,
      query: textOf(c, 'q'),
      limit: numberOf(c, 'limit', MOST_HITS) ?? 20,
      offset: numberOf(c, 'offset', MOST_OFFSET) ?? 0,
      sort: choiceOf(c, 'sort', ['rank', 'date']),
      signal: c.req.raw.signal,
    };
    return send(c, mask, await questions.search(ask));
  });
  get('/api/usage', async (c) => {
    const usage = await questions.usage(optionsOf(c, USAGE_OPTIONS), c.req.raw.signal);
    return send(c, masking.of('usage'), usage);
  });
  get('/api/usage/explain', async (c) => {
    const explained = await questions.explain(optionsOf(c, EXPLAIN_OPTIONS), c.req.raw.signal);
    return send(c, masking.of('usage'), explained);
  });
  get('/api/usage/team', async (c) => {
    const told = await questions.teamUsage(optionsOf(c, TEAM_OPTIONS), c.req.raw.signal);
    return send(c, masking.of('usage'), told);
  });
  post('/api/reveal', async (c) => reveal(c, masking));
  get('/api/events', (c) => {
    if (c.req.method === 'HEAD') return c.body(null, 200);
    const stream = live.connect(c.req.header('last-event-id'), c.req.raw.signal);
    if (stream === undefined) return refuse(c, 503, 'Too many pages are open.', 'Close some of them.');
    c.header('Content-Type', 'text/event-stream; charset=utf-8');
    return c.body(stream);
  });

  app.notFound((c) => refuse(c, 404, 'There is nothing here.', 'Go back to the list of chats.'));
  app.onError((error, c) => {
    if (error instanceof NotJson) return refuse(c, 415, 'The question must be JSON.', 'Send application/json.');
    if (error instanceof BadRequest) return refuse(c, 400, error.message, error.next);
    const told = toldBy(error);
    if (told) return sendText(c, masking.of('error').json(told), 422);
    onFault(error);
    return refuse(c, 500, 'Something went wrong in Skein.', 'The terminal that runs skein serve says more.');
  });
  return app;
}

/** A form of another page cannot send JSON without asking first. */
async function jsonIn(c: Context): Promise<Json | undefined> {
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? '')) throw new NotJson();
  return parseJson(await c.req.text());
}

async function reveal(c: Context, masking: Masking): Promise<Response> {
  const asked = await jsonIn(c);
  const placeholder = asString(at(asked, 'placeholder'));
  const scope = asString(at(asked, 'chat')) ?? '';
  if (placeholder === undefined || placeholder.length > LONGEST_PLACEHOLDER) {
    throw new BadRequest('Which placeholder?', 'Send {"placeholder","chat"}.');
  }
  const own = scope === '' ? [] : masking.secretsOf(placeholder, idOf(scope, 'chat'));
  const texts = own.length > 0 ? own : masking.secretsOf(placeholder, 'search');
  // Those that look alike are all told.
  return texts.length === 0 ? nothing(c) : c.json({ text: texts.join('\n'), texts });
}

function answer(c: Context, masking: ScopedMasking, value: object | undefined): Response {
  return value === undefined ? nothing(c) : send(c, masking, value);
}

function send(c: Context, masking: ScopedMasking, value: object): Response {
  return sendText(c, masking.json(value));
}

function sendText(c: Context, text: string, status: 200 | 422 = 200): Response & TypedResponse {
  c.header('Content-Type', 'application/json; charset=utf-8');
  return c.body(text, status);
}

function nothing(c: Context): Response {
  return refuse(c, 404, 'There is no such thing here any more.', 'Go back to the list of chats.');
}

function notAllowed(c: Context, methods: string): Response {
  c.header('Allow', methods);
  return refuse(c, 405, 'That is not done here.', `Use ${methods}.`);
}

function tooLarge(c: Context): Response {
  return refuse(c, 413, 'The question is too long.', 'Ask for less.');
}

function sendAsset(c: Context, { type, etag, body }: Asset): Response {
  c.header('Content-Type', type);
  c.header('Cache-Control', 'no-cache');
  c.header('ETag', etag);
  return c.req.header('if-none-match') === etag ? c.body(null, 304) : c.body(body);
}
