import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

interface Heard {
  readonly body: string;
  readonly host: string | undefined;
}

async function serve(address: string, answers = true) {
  const heard: Heard[] = [];
  const sockets: Socket[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push({ body: Buffer.concat(chunks).toString('utf8'), host: request.headers.host });
      if (answers) response.writeHead(202, { 'x-own': 'yes' }).end(`got ${heard.length}`);
      else response.writeHead(200).write('half of');
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { heard, port, sockets, connections: () => connections };
}

/** As a process that has not asked for anything yet. */
async function fresh() {
  vi.resetModules();
  const { exchange } = await import('../../src/export/otlp/exchange.ts');
  return (url: string, signal = new AbortController().signal) =>
    exchange(url, { headers: { a: 'b' }, body: Buffer.from('{"x":1}'), signal });
}

describe('one request', () => {
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('an answer in %s is read, though it was asked for as it is', async (encoding, pack) => {
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.writeHead(200, { 'content-encoding': encoding }).end(pack(Buffer.from('{"said":"ß"}')));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const ask = await fresh();
    for (const _ of [1, 2]) expect((await ask(`http://127.0.0.1:${port}/`)).text).toBe('{"said":"ß"}');
    expect(asked).toEqual(['identity', 'identity']);
  });

  test.each(['gzip', 'br', 'zstd'])('an answer that says %s and is not says nothing', async (encoding) => {
    const server = createServer((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end('{"a":1}'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    expect(await (await fresh())(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, text: '' });
  });

  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
  ])('at %s: the first has a connection of its own, those after it share one', async (address, host) => {
    const { heard, port, connections } = await serve(address);
    const ask = await fresh();
    for (const number of [1, 2, 3]) {
      const { status, header, text } = await ask(`http://${host}:${port}/v1/traces`);
      expect([status, header('x-own'), header('none'), text]).toEqual([202, 'yes', null, `got ${number}`]);
    }
    expect(heard).toEqual(Array(3).fill({ body: '{"x":1}', host: `${host}:${port}` }));
    expect(connections()).toBe(2);
  });

  test.each(['first', 'second'])('the %s can be stopped before it is sent and while it is answered', async (which) => {
    const { port } = await serve('127.0.0.1', false);
    const works = await serve('127.0.0.1');
    const ask = await fresh();
    if (which === 'second') await ask(`http://127.0.0.1:${works.port}/`);
    await expect(ask(`http://127.0.0.1:${port}/`, AbortSignal.abort(new Error('never')))).rejects.toThrow('never');
    const stop = new AbortController();
    const asked = ask(`http://127.0.0.1:${port}/`, stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(asked).rejects.toThrow();
  });

  test('a server that resets the idle connection ends nothing', async () => {
    const { port, sockets, heard } = await serve('127.0.0.1');
    const uncaught = vi.fn();
    process.on('uncaughtException', uncaught);
    onTestFinished(() => void process.off('uncaughtException', uncaught));
    const ask = await fresh();
    const url = `http://127.0.0.1:${port}/`;
    await ask(url);
    const [first] = sockets;
    first?.resetAndDestroy();
    if (first !== undefined && !first.closed) await once(first, 'close');
    await ask(url);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([heard.length, uncaught.mock.calls]).toEqual([2, []]);
  });

  test.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
    ['chunks', 'HTTP/1.1 200 OK\r\nX-Own: Yes\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['no length', 'HTTP/1.1 429 Too Many\r\nretry-after: 3\r\n\r\nlater'],
    ['nothing', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['an announcement', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No\r\ncontent-length: 2\r\n\r\nno'],
    ['much', `HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n${'x'.repeat(300_000)}`],
    ['a half', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{}'],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n'],
    ['silence', ''],
  ])('an answer with %s is the same to the first as to those that follow', async (_, raw) => {
    const asked: string[] = [];
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      let heard = '';
      socket.on('data', (chunk) => {
        heard += chunk.toString('latin1');
        if (!heard.endsWith('\r\n\r\n{"x":1}')) return;
        asked.push(heard);
        socket.end(raw, 'latin1');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const ask = await fresh();
    const tell = () =>
      ask(`http://127.0.0.1:${port}/v1/traces?a=b`).then(
        ({ status, header, text }) => [status, header('x-own'), header('retry-after'), text],
        () => 'failed',
      );
    const first = await tell();
    expect(await tell()).toEqual(first);
    // Names apart: in whatever order and case, the server is told the same.
    const [own, other] = asked.map((text) => text.toLowerCase().split('\r\n').sort());
    expect(own).toEqual(other);
  });

  test('a header that cannot be sent is refused, also by the first', async () => {
    const { port, heard } = await serve('127.0.0.1');
    vi.resetModules();
    const { exchange } = await import('../../src/export/otlp/exchange.ts');
    const ask = (headers: Record<string, string>) =>
      exchange(`http://127.0.0.1:${port}/`, { headers, body: Buffer.from('{}') });
    await expect(ask({ a: 'b\r\nc: d' })).rejects.toThrow(/Invalid character/);
    expect(heard).toEqual([]);
  });

  test('nobody there', async () => {
    const ask = await fresh();
    await expect(ask('http://127.0.0.1:9/')).rejects.toThrow(/ECONNREFUSED/);
    await expect(ask('http://127.0.0.1:9/')).rejects.toThrow(/ECONNREFUSED/);
  });
});
