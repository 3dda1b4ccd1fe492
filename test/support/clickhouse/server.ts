/**
 * A process that speaks ClickHouse's HTTP interface over the engine in process. What is the engine's: SQL, types, tables, merges, the
 * text index, TTL, and for everyone but the administrator the grants of reading and the row filters, which it checks itself. What is
 * this server's: HTTP, logins and passwords, the list of roles, grants and policies (access.ts), who may insert which columns and
 * delete, the login in the place of currentUser() (engine.ts), one request at a time, and the faults a test orders.
 */
import { appendFileSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { createAccess } from './access.ts';
import { createEngine, told } from './engine.ts';
import type { Fault, Order, Recorded, Request } from './faults.ts';
import { SqlError, tokensOf } from './sql.ts';

const [folder = '', admin = '', password = '', record = ''] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const access = createAccess(admin, password);
const engine = await createEngine(folder, access, admin);
const bodies = openSync(join(folder, 'bodies'), 'w');
let recorded = 0;
let count = 0;
let delay = 0;
let faultOf: (request: Request, data: unknown, memory: Record<string, unknown>) => Fault | undefined = () => undefined;
let data: unknown;
const memory: Record<string, unknown> = {};

/** Not settings of the engine. */
const OWN = new Set(
  'query database query_id session_id role user password enable_http_compression wait_end_of_query default_format'.split(
    ' ',
  ),
);
const STATUS: Readonly<Record<number, number>> = {
  516: 403,
  497: 403,
  192: 403,
  60: 404,
  81: 404,
  62: 400,
  47: 400,
  202: 503,
};

const server = createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on('error', () => {});
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => void serve(incoming, response, Buffer.concat(chunks)));
});

async function serve(incoming: IncomingMessage, response: ServerResponse, wire: Buffer): Promise<void> {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  if (url.pathname === '/ping') {
    response.end('Ok.\n');
    return;
  }
  const id = url.searchParams.get('query_id') ?? '';
  try {
    const encoding = incoming.headers['content-encoding'] ?? '';
    const body = encoding === 'gzip' ? gunzipSync(wire) : wire;
    const login = loginOf(incoming, url);
    const { sql, data: rows, fields } = await statementOf(incoming, url, body);
    const request: Request = {
      n: count++,
      user: login.user,
      sql,
      get body() {
        return body.toString('utf8');
      },
    };
    keep(
      request,
      {
        method: incoming.method ?? '',
        url: decodeURIComponent(url.href.replaceAll('+', ' ')),
        encoding,
        wire: wire.length,
      },
      body,
    );
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    const fault = faultOf(request, data, memory);
    if (fault === 'hangs') return;
    if (fault === 'dropped') {
      response.destroy();
      return;
    }
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers ?? { 'X-ClickHouse-Query-Id': id }).end(fault.body ?? '');
      return;
    }
    if (!access.isRight(login.user, login.password)) {
      const why = `${login.user}: Authentication failed: password is incorrect, or there is no user with such name.`;
      throw new SqlError(516, why, 'AUTHENTICATION_FAILED');
    }
    const answer = await engine.run({
      login: login.user,
      sql,
      data: rows,
      database: url.searchParams.get('database') ?? 'default',
      params: Object.fromEntries(
        fields.filter(([name]) => name.startsWith('param_')).map(([name, value]) => [name.slice(6), value]),
      ),
      settings: Object.fromEntries(fields.filter(([name]) => !OWN.has(name) && !name.startsWith('param_'))),
    });
    if (fault === 'lost') {
      response.destroy();
      return;
    }
    const summary = { read_rows: String(answer.readRows), written_rows: String(answer.writtenRows) };
    send(incoming, response, 200, answer.bytes, {
      'X-ClickHouse-Summary': JSON.stringify(summary),
      'X-ClickHouse-Query-Id': id,
    });
  } catch (error) {
    const { code, message, type } = told(error);
    const text = `Code: ${code}. DB::Exception: ${message} (${type}) (version 26.7.2.1)\n`;
    send(incoming, response, STATUS[code] ?? 500, Buffer.from(text), {
      'X-ClickHouse-Exception-Code': String(code),
      'X-ClickHouse-Query-Id': id,
    });
  }
}

function send(
  incoming: IncomingMessage,
  response: ServerResponse,
  status: number,
  bytes: Uint8Array,
  headers: Record<string, string>,
): void {
  const packed =
    /gzip/.test(String(incoming.headers['accept-encoding'] ?? '')) &&
    /enable_http_compression=1/.test(incoming.url ?? '');
  response
    .writeHead(status, { 'Content-Type': 'text/plain', ...headers, ...(packed && { 'Content-Encoding': 'gzip' }) })
    .end(packed ? gzipSync(bytes, { level: 1 }) : bytes);
}

function loginOf({ headers }: IncomingMessage, url: URL): { user: string; password: string } {
  const [, basic] = /^Basic (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (basic !== undefined) {
    const text = Buffer.from(basic, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    return { user: text.slice(0, colon), password: text.slice(colon + 1) };
  }
  const user = headers['x-clickhouse-user'] ?? url.searchParams.get('user') ?? admin;
  return {
    user: String(user),
    password: String(headers['x-clickhouse-key'] ?? url.searchParams.get('password') ?? ''),
  };
}

interface Statement {
  readonly sql: string;
  readonly data: Buffer | undefined;
  readonly fields: readonly (readonly [string, string])[];
}

async function statementOf({ headers }: IncomingMessage, url: URL, body: Buffer): Promise<Statement> {
  const type = headers['content-type'] ?? '';
  const fields: [string, string][] = [...url.searchParams];
  let sql = url.searchParams.get('query') ?? undefined;
  let rows: Buffer | undefined;
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    for (const [name, value] of form) if (typeof value === 'string') fields.push([name, value]);
    sql = fields.find(([name]) => name === 'query')?.[1];
  } else if (sql === undefined) sql = body.toString('utf8');
  else rows = body;
  if (Buffer.byteLength(sql ?? '') > 262_144) throw new SqlError(62, 'Max query size exceeded', 'SYNTAX_ERROR');
  const tokens = tokensOf((sql ?? '').trim().replace(/;$/, ''));
  if (tokens.includes(';')) throw new SqlError(62, 'Syntax error (Multi-statements are not allowed)', 'SYNTAX_ERROR');
  return { sql: sql ?? '', data: rows, fields };
}

function keep(
  { n, user, sql }: Request,
  rest: Pick<Recorded, 'method' | 'url' | 'encoding' | 'wire'>,
  body: Buffer,
): void {
  if (record !== 'record') return;
  const one: Recorded = { n, user, sql, ...rest, start: recorded, length: body.length };
  recorded += body.length;
  writeSync(bodies, body);
  appendFileSync(join(folder, 'requests'), `${JSON.stringify(one)}\n`);
}

process.on('message', (order: Order) => {
  void obey(order).then(() => process.send?.({ id: order.id }));
});

async function obey(order: Order): Promise<void> {
  if (order.kind === 'slow') delay = order.ms;
  else if (order.kind === 'fail') {
    // The test's own function; it cannot see what lies around it there.
    faultOf = new Function(`return (${order.source})`)();
    data = JSON.parse(order.data);
    for (const name of Object.keys(memory)) delete memory[name];
  } else {
    server.closeAllConnections();
    server.close();
    await engine.close();
  }
}

// The test is gone, perhaps by a kill.
process.on('disconnect', () => {
  if (basename(folder).startsWith('skein-clickhouse-')) rmSync(folder, { recursive: true, force: true });
  process.exit();
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
