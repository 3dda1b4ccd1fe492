import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guardedLookup, isPrivate, type Lookup } from '../../../src/agent/tools/web/addresses.ts';
import { toAddress } from '../../../src/agent/tools/web/get.ts';
import { toMarkdown } from '../../../src/agent/tools/web/html.ts';
import { createWebFetch } from '../../../src/agent/tools/webfetch.ts';
import { toolOutputsOf } from '../../../src/disk/outputs.ts';
import { asObject, asString } from '../../../src/format/json.ts';
import { toToolResult } from '../../../src/graph/toolresults/read.ts';
import { type Called, call, LIMITS, testSession } from './shell-host.ts';

interface Site {
  readonly port: number;
  readonly url: string;
  readonly asked: string[];
  connections: number;
}

async function site(answer: RequestListener): Promise<Site> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    answer(request, response);
  });
  const made: Site = { port: 0, url: '', asked, connections: 0 };
  server.on('connection', () => made.connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(made, { port, url: `http://127.0.0.1:${port}` });
}

const OPEN = { limits: { ...LIMITS, privateAddresses: true } };

async function fetched(answer: RequestListener, path = '/'): Promise<Called> {
  const { url } = await site(answer);
  return call(createWebFetch(), testSession(OPEN), { url: url + path, prompt: 'what is it?' });
}

/** Answers with these addresses, one list for each time it is asked. */
function lookupOf(...answers: string[][]): Lookup & { readonly asked: string[] } {
  const asked: string[] = [];
  const lookup: Lookup = (host, _, done) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(host);
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return Object.assign(lookup, { asked });
}

describe('a page', () => {
  it('of HTML comes as markdown, in the shape of the format', async () => {
    const html = `<!DOCTYPE html><html><head><title>T</title><style>p{}</style><script>if (a<b) alert("</p>")</script></head>
      <body><!-- no --><h1>Head &amp; more</h1><p>Some <b>bold</b> <a href="/next?a=1">link</a>.</p><svg><text>x</text></svg>
      <img src="data:image/png;base64,AAAA" alt="a picture"><a href="javascript:x()">script</a></body></html>`;
    const { url } = await site((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
    const { text, result } = await call(createWebFetch(), testSession(OPEN), { url, prompt: 'what is it?' });
    const page = asString(asObject(result)?.result);
    expect(page).toContain('# Head & more\n\nSome **bold** ');
    expect(page).toContain(`[link](${url}/next?a=1).`);
    expect(page).toContain('a picture');
    expect(page).not.toMatch(/alert|p\{\}|<|no -->|base64|javascript/);
    expect(text).toMatch(/200 OK.*read it for: what is it\?/);
    expect(result).toEqual({
      bytes: Buffer.byteLength(html),
      code: 200,
      codeText: 'OK',
      result: page,
      durationMs: expect.any(Number),
      url: `${url}/`,
    });
    expect(toToolResult('WebFetch', result)).toMatchObject({ kind: 'web_fetch', code: 200 });
  });

  it.each([
    ['json', 'application/json', Buffer.from('{"a":[1]}'), '{"a":[1]}'],
    ['a problem in json', 'application/problem+json', Buffer.from('{}'), '{}'],
    ['latin1 by header', 'text/plain; charset=ISO-8859-1', Buffer.from([0x66, 0xfc, 0x72]), 'für'],
    [
      'shift_jis by meta',
      'text/html',
      Buffer.concat([Buffer.from('<meta charset="shift_jis"><p>'), Buffer.from([0x93, 0xfa])]),
      '日',
    ],
    ['utf-16 by mark', 'text/plain', Buffer.from('\ufeffhé', 'utf16le'), 'hé'],
    ['an unknown charset', 'text/plain; charset=nonsense', Buffer.from('ok'), 'ok'],
    ['no type', '', Buffer.from('plain'), 'plain'],
  ])('of %s comes as text', async (_, type, body, expected) => {
    const { result } = await fetched((_request, response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body);
    });
    expect(asObject(result)?.result).toBe(expected);
  });

  it.each([
    ['gzip', gzipSync('packed')],
    ['br', brotliCompressSync('packed')],
  ])('packed by %s is unpacked', async (encoding, body) => {
    const { result } = await fetched((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding }).end(body);
    });
    expect(result).toMatchObject({ result: 'packed', bytes: 6 });
  });

  it('that unpacks to more than the limit is cut there', async () => {
    const { url } = await site((_, response) => {
      const body = gzipSync(Buffer.alloc(5 << 20, 'x'));
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(body);
    });
    const tool = createWebFetch({ maxBytes: 1000 });
    const { text, result } = await call(tool, testSession(OPEN), { url, prompt: 'p' });
    expect(result).toMatchObject({ bytes: 1000, result: 'x'.repeat(1000) });
    expect(text).toContain('cut there');
  });

  it('that is long is saved, and found again (L4)', async () => {
    const session = testSession(OPEN);
    const { url } = await site((_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('word '.repeat(20_000)),
    );
    const { text } = await call(createWebFetch(), session, { url, prompt: 'p' });
    const path = /saved to: (\S+)/.exec(text)?.[1] ?? '';
    expect(text.startsWith('<persisted-output>\nOutput too large (97.7KB)')).toBe(true);
    expect(toolOutputsOf([session.transcript])(path)).toBe('word '.repeat(20_000));
  });

  it.each([
    ['binary', 'image/png', Buffer.from([1, 2, 0]), 'not text but image/png'],
    ['binary without a type', '', Buffer.from([1, 2, 0]), 'not text but binary'],
  ])('that is %s is refused', async (_, type, body, expected) => {
    const { text, isError } = await fetched((_request, response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body);
    });
    expect(isError).toBe(true);
    expect(text).toContain(expected);
  });

  it('that is not there is an error with what the server says', async () => {
    const { text, isError } = await fetched((_, response) =>
      response.writeHead(404, { 'content-type': 'text/plain' }).end('gone'),
    );
    expect(isError).toBe(true);
    expect(text).toMatch(/answers 404 Not Found\.\ngone$/);
  });

  it('is kept for 15 minutes, and not longer', async () => {
    let now = 0;
    const made = await site((_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('a'));
    const tool = createWebFetch({ now: () => now });
    const session = testSession(OPEN);
    const ask = (): Promise<Called> => call(tool, session, { url: made.url, prompt: 'p' });
    await ask();
    now = 10 * 60_000;
    expect((await ask()).result).toMatchObject({ bytes: 1, result: 'a' });
    expect(made.asked).toHaveLength(1);
    now = 15 * 60_000;
    await ask();
    expect(made.asked).toHaveLength(2);
  });
});

describe('trouble', () => {
  it.each([
    [
      'a broken answer',
      (_request: unknown, response: import('node:http').ServerResponse) => response.socket?.end('garbage\r\n\r\n'),
    ],
    ['a reset', (_request: unknown, response: import('node:http').ServerResponse) => response.socket?.destroy()],
    [
      'half an answer',
      (_request: unknown, response: import('node:http').ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100 }).write('half');
        setTimeout(() => response.socket?.destroy(), 20);
      },
    ],
    [
      'a lie about its packing',
      (_request: unknown, response: import('node:http').ServerResponse) =>
        response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end('not packed'),
    ],
  ])('%s is an error in words', async (_, answer) => {
    const { text, isError } = await fetched(answer);
    expect(isError).toBe(true);
    expect(text).toMatch(/cannot be fetched: ./);
  });

  it('a server that never answers, or never ends, is given up, and an interrupt ends the wait', async () => {
    const { url } = await site((request, response) => {
      if (request.url === '/half') response.writeHead(200, { 'content-type': 'text/plain' }).write('half');
    });
    const tool = createWebFetch({ timeoutMs: 100 });
    for (const asked of [url, `${url}/half`]) {
      const { text } = await call(tool, testSession(OPEN), { url: asked, prompt: 'p' });
      expect(text).toContain('it took longer than 0.1 s');
    }
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const stopped = await call(createWebFetch(), testSession(OPEN), { url, prompt: 'p' }, stop.signal);
    expect(stopped.text).toBe('[Request interrupted by user for tool use]');
  });

  it('a page that nests too deep or never closes comes as plain text, at once', async () => {
    expect(await toMarkdown(`${'<div>'.repeat(50_000)}deep &amp; dark`, 'https://a.example/')).toBe('deep & dark');
    expect(await toMarkdown(`a${'<script>'.repeat(50_000)}`, 'https://a.example/')).toBe('a');
    expect(await toMarkdown(`${'<'.repeat(600_000)}`, 'https://a.example/')).toBe('<'.repeat(600_000));
    const rows = '<p>x</p>'.repeat(100_000);
    expect((await toMarkdown(rows, 'https://a.example/')).split('\n')).toHaveLength(100_000);
  });
});

describe('redirects', () => {
  it('are followed on the same host and told elsewhere', async () => {
    const there = await site((_, response) => response.end('secret'));
    const here = await site(({ url }, response) => {
      if (url === '/a') response.writeHead(302, { location: '/b' }).end();
      else if (url === '/out') response.writeHead(301, { location: `${there.url}/x` }).end();
      else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else if (url === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(`at ${url}`);
    });
    const ask = (path: string): Promise<Called> =>
      call(createWebFetch(), testSession(OPEN), { url: here.url + path, prompt: 'p' });
    expect((await ask('/a')).result).toMatchObject({ result: 'at /b', url: `${here.url}/b` });
    expect((await ask('/out')).text).toContain(`redirects to another host (301 Moved Permanently): ${there.url}/x`);
    expect(there.asked).toEqual([]);
    expect((await ask('/loop')).text).toContain('redirects more than 10 times');
    expect((await ask('/file')).text).toContain('file:///etc/passwd');
  });
});

describe('private addresses', () => {
  it.each([
    ...['127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
    ...['255.255.255.255', '::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00::1', 'fc00::1', 'ff02::1', '::ffff:127.0.0.1'],
    ...['::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1', '2001:db8::1', 'nonsense', ''],
  ])('%s is one', (address) => {
    expect(isPrivate(address)).toBe(true);
  });

  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    '%s is none',
    (address) => {
      expect(isPrivate(address)).toBe(false);
    },
  );

  it('are refused in every spelling, before anything is connected', async () => {
    const made = await site((_, response) => response.end('secret'));
    const spellings = [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
    ];
    for (const host of spellings) {
      const url = `http://${host}:${made.port}/`;
      const { text, isError } = await call(createWebFetch(), testSession(), { url, prompt: 'p' });
      expect(isError).toBe(true);
      expect(text).toContain('may not be fetched');
    }
    expect(made.connections).toBe(0);
  });

  it('a name that leads to one is refused, also beside a public one', async () => {
    const made = await site((_, response) => response.end('secret'));
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1']]) {
      const tool = createWebFetch({ lookup: lookupOf(addresses) });
      const url = `http://rebind.example:${made.port}/`;
      expect((await call(tool, testSession(), { url, prompt: 'p' })).text).toContain('may not be fetched');
    }
    expect(made.connections).toBe(0);
  });

  it('a name that changes its address gains nothing: what was checked is what is connected to', () => {
    const lookup = lookupOf(['8.8.8.8'], ['127.0.0.1']);
    const guarded = guardedLookup(false, lookup);
    const given: unknown[] = [];
    guarded('rebind.example', { all: true }, (...answer) => given.push(answer));
    guarded('rebind.example', {}, (...answer) => given.push(answer));
    expect(given).toEqual([
      [null, [{ address: '8.8.8.8', family: 4 }]],
      [expect.objectContaining({ message: expect.stringContaining('may not be fetched') }), ''],
    ]);
    expect(lookup.asked).toHaveLength(2);
  });

  it('are looked up once for each connection, and so checked again at each redirect', async () => {
    const made = await site(({ url }, response) => {
      if (url === '/') response.writeHead(302, { location: '/next' }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('there');
    });
    const lookup = lookupOf(['127.0.0.1']);
    const url = `http://here.example:${made.port}/`;
    const { result } = await call(createWebFetch({ lookup }), testSession(OPEN), { url, prompt: 'p' });
    expect(result).toMatchObject({ result: 'there' });
    expect(lookup.asked).toEqual(['here.example', 'here.example']);
    expect(made.connections).toBe(2);
  });
});

describe('what may be asked for', () => {
  it.each([
    ['http://a.example/x#y', 'https://a.example/x'],
    ['http://a.example:8080/', 'http://a.example:8080/'],
    ['https://a.example', 'https://a.example/'],
  ])('%s becomes %s', (asked, expected) => {
    expect(String(toAddress(asked, false))).toBe(expected);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://a.example/',
    'data:text/plain,x',
    'javascript:1',
    'nothing',
    'https://me:pw@a.example/',
  ])('%s does not', async (url) => {
    expect(toAddress(url, true)).toBeInstanceOf(Error);
    expect((await call(createWebFetch(), testSession(OPEN), { url, prompt: 'p' })).isError).toBe(true);
  });

  it('where private addresses may be asked, http stays http', () => {
    expect(String(toAddress('http://intranet/', true))).toBe('http://intranet/');
  });
});
