/** An MCP server written by hand, to be run by Node: it can do what no library would let it. Its first argument says how it behaves. */

import { spawn } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PNG } from './png.ts';

const [, , mode = 'fine', ...more] = process.argv;
const log = process.env.MCP_LOG;
const note = (words: string) => log !== undefined && appendFileSync(log, `${words}\n`);
const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const text = (words: string) => ({ type: 'text', text: words });
const object = { type: 'object', properties: {} };

const tools: object[] = [
  {
    name: 'echo',
    description: 'Says it back',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
  },
  ...['mixed', 'struct.ured tool', 'pictured', 'fail', 'refuse', 'empty', 'big', 'slow', 'silent', 'die'].map(
    (name) => ({
      name,
      inputSchema: object,
    }),
  ),
  ...['flood', 'wrongid', 'garbage', 'more', 'child', 'babble', 'permit', 'shut', 'deep', 'wordy', 'album'].map(
    (name) => ({
      name,
      inputSchema: object,
    }),
  ),
  { name: 'choice', inputSchema: { type: 'object', oneOf: [object, object] } },
];

interface Params {
  readonly name: string;
  readonly uri: string;
  readonly arguments: Record<string, unknown>;
  readonly _meta?: { readonly progressToken?: unknown };
}

/** Undefined: no answer. */
const ANSWERS: Readonly<Record<string, (id: unknown, params: Params) => object | undefined>> = {
  echo: (_, { arguments: { text: words } }) => ({ content: [text(`you said ${words}`)], _meta: { trace: 'x' } }),
  mixed: () => ({
    content: [
      text('words'),
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'mem://t', mimeType: 'text/markdown', text: '# hi' } },
      { type: 'resource', resource: { uri: 'mem://b', mimeType: 'application/pdf', blob: 'AAAA' } },
      { type: 'resource', resource: { uri: 'mem://p', mimeType: 'image/png', blob: PNG } },
      { type: 'resource_link', uri: 'mem://l', name: 'link', description: 'a link' },
    ],
  }),
  'struct.ured tool': () => ({ content: [text('other words')], structuredContent: { n: 1 } }),
  pictured: () => ({
    content: [text('other words'), { type: 'image', data: PNG, mimeType: 'image/png' }],
    structuredContent: { n: 2 },
  }),
  fail: () => ({ content: [text('it broke'), text('badly')], isError: true }),
  refuse: (id) => void say({ id, error: { code: -32000, message: 'not today' } }),
  empty: () => ({ content: [] }),
  big: () => ({ content: [text('a line of text\n'.repeat(5000))] }),
  slow: (id, { _meta }) => {
    const progressToken = _meta?.progressToken;
    let step = 0;
    const timer = setInterval(() => {
      step += 1;
      say({
        method: 'notifications/progress',
        params: { progressToken, progress: step, total: 3, message: `step ${step}` },
      });
      if (step < 3) return;
      clearInterval(timer);
      say({ id, result: { content: [text('slowly done')] } });
    }, 30);
    return undefined;
  },
  silent: () => undefined,
  die: () => {
    process.stderr.write('I cannot go on\n');
    process.exit(3);
  },
  flood: () => {
    const piece = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 30; i++) process.stdout.write(piece);
    return undefined;
  },
  wrongid: () => void say({ id: 'nobody asked', result: { content: [] } }),
  garbage: (id) => {
    process.stdout.write('not json\n{"jsonrpc":"2.0"}\n[1]\n\u001b[31m\n');
    return void say({ id, result: { content: [{ type: 'unheard of' }] } });
  },
  more: () => {
    tools.push({ name: 'later', inputSchema: object });
    say({ method: 'notifications/tools/list_changed' });
    return { content: [text('there is more')] };
  },
  child: () => {
    const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    return { content: [text(String(pid))] };
  },
  babble: (id) => {
    const odd = [null, 1, 'x', [], {}, true, -1, 1e300, { a: { b: [null] } }, 'x'.repeat(10_000)];
    for (const value of odd) {
      for (const method of ['tools/call', 'roots/list', 'sampling/createMessage', 'elicitation/create', 'nothing']) {
        say({ id: value, method, params: value });
        say({ method: `notifications/${method}`, params: value });
      }
      for (const kind of ['progress', 'cancelled', 'message', 'tools/list_changed', 'resources/updated']) {
        say({ method: `notifications/${kind}`, params: value });
        say({ method: `notifications/${kind}`, params: { progressToken: value, progress: value, requestId: value } });
      }
      say({ id: value, result: value });
      say({ id: value, error: value });
      say({ id: 999, error: { code: value, message: value } });
    }
    for (const words of ['first', 'second', 'third']) say({ id, result: { content: [text(words)] } });
    return undefined;
  },
  shut: () => void process.stdout.end(),
  deep: (id) => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"a":${deep}}}}\n`);
    return undefined;
  },
  album: () => ({
    content: [1, 2, 3].map(() => ({
      type: 'image',
      data: `${PNG.slice(0, 44)}${'A'.repeat(4e6)}`,
      mimeType: 'image/png',
    })),
  }),
  wordy: (id) => void say({ id, error: { code: -32000, message: 'x'.repeat(1_000_000) } }),
  permit: () => ({ content: [text(process.env.PERMIT ?? '')] }),
};

const METHODS: Readonly<Record<string, (params: Params) => object>> = {
  'tools/list': () => ({ tools }),
  'resources/list': () => ({ resources: [{ uri: 'mem://one', name: 'one', mimeType: 'text/plain' }] }),
  'resources/read': ({ uri }) => ({
    contents: [
      { uri, mimeType: 'text/plain', text: `content of ${uri}` },
      { uri, mimeType: 'image/png', blob: PNG },
    ],
  }),
  'prompts/list': () => ({
    prompts: [
      { name: 'review', description: 'Reviews', arguments: [{ name: 'what', required: true }, { name: 'how' }] },
    ],
  }),
  'prompts/get': ({ arguments: given }) => ({
    messages: [{ role: 'user', content: text(`Review ${JSON.stringify(given)}`) }],
  }),
  ping: () => ({}),
};

function take(line: string): void {
  note(`in ${line}`);
  const { id, method, params, result } = JSON.parse(line);
  if (mode === 'never' || result !== undefined) return;
  if (method === 'server/discover') {
    if (mode === 'exits') process.exit(1);
    if (mode !== 'mute') say({ id, error: { code: -32601, message: 'unknown' } });
  } else if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {} };
    const serverInfo = { name: 'odd', version: '1' };
    const answer = { protocolVersion: '2025-06-18', capabilities, serverInfo, instructions: 'Echo with care.' };
    setTimeout(() => say({ id, result: answer }), mode === 'late' ? Number(more[0]) : 0);
  } else if (method === 'notifications/initialized') say({ id: 'r', method: 'roots/list' });
  else if (method === 'tools/call') {
    const made = ANSWERS[params.name]?.(id, params);
    if (made !== undefined) say({ id, result: made });
  } else if (METHODS[method]) say({ id, result: METHODS[method](params) });
}

// Once and no more.
if (mode === 'brittle' && log !== undefined && existsSync(log)) process.exit(1);
note(`start ${process.pid}`);
if (mode === 'crash') {
  process.stderr.write(`no such table: ${more[0] ?? ''}\n`);
  process.exit(1);
}
// It hears that its input ended, and stays.
if (mode === 'stubborn') {
  setInterval(() => {}, 1000);
  process.on('SIGTERM', () => note('told to end'));
}
createInterface({ input: process.stdin })
  .on('line', take)
  .on('close', () => {
    note('closed');
    if (mode !== 'stubborn') process.exit(0);
  });
