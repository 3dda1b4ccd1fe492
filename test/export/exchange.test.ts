import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
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

  test('nobody there', async () => {
    const ask = await fresh();
    await expect(ask('http://127.0.0.1:9/')).rejects.toThrow(/ECONNREFUSED/);
    await expect(ask('http://127.0.0.1:9/')).rejects.toThrow(/ECONNREFUSED/);
  });
});
