/** The one way to a team's server: the official client, loaded when a team is opened. */
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { ClickHouseSettings } from '@clickhouse/client';
import { isObject, type JsonObject, parseJson } from '../format/json.ts';
import { waitOf } from '../format/retryafter.ts';
import { type Answered, TeamError, toTeamError } from './errors.ts';
import { named } from './schema/quote.ts';
import type { TeamTarget } from './target.ts';

export type { TeamTarget } from './target.ts';

export interface Team {
  readonly target: TeamTarget;
  /** Rows as objects. Numbers above 2^53 lose digits: ask for them as toString(…). Placeholders are {name: Type}. */
  rows(sql: string, params?: Params): Promise<JsonObject[]>;
  /** The same, one after the other without holding all. */
  each(sql: string, params?: Params): AsyncIterable<JsonObject>;
  /** `lines`: JSON objects, one a line, with or without the newline. With a token the server takes the same insert once. */
  insert(table: string, columns: readonly string[], lines: Iterable<string>, options?: InsertOptions): Promise<void>;
  /** What gives no rows. `settings` as the server names them. */
  command(sql: string, params?: Params, settings?: ClickHouseSettings): Promise<void>;
  close(): Promise<void>;
}

export type Params = Readonly<Record<string, unknown>>;

export interface InsertOptions {
  readonly token?: string;
  readonly signal?: AbortSignal;
}

const TIMEOUT = 60_000;
/** Bytes that are handed to the client at once. */
const PIECE = 1 << 16;

export async function openTeam(target: TeamTarget): Promise<Team> {
  const { ClickHouseLogLevel, createClient } = await import('./clickhouse.ts');
  const client = createClient({
    url: target.url,
    username: target.user,
    password: target.password,
    database: target.database,
    application: 'skein',
    request_timeout: target.timeoutMs ?? TIMEOUT,
    compression: { request: true, response: true },
    // Long lists of ids would not fit into an address.
    use_multipart_params_auto: true,
    clickhouse_settings: { output_format_json_quote_64bit_integers: 0 },
    log: { level: ClickHouseLogLevel.OFF },
  });
  const answers = watchAnswers();
  const { name: where } = target;

  async function told<T>(doing: string, id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw isFault(error) ? error : toTeamError(error, doing, where, answers.get(id));
    } finally {
      answers.delete(id);
    }
  }

  async function* each(sql: string, params?: Params): AsyncIterable<JsonObject> {
    const query_id = randomUUID();
    const doing = 'The team could not be asked';
    const result = await told(doing, query_id, () =>
      client.query({ query: sql, query_id, format: 'JSONEachRow', ...(params && { query_params: { ...params } }) }),
    );
    try {
      if (!isServers(result.response_headers)) throw notServers(doing, await result.text(), where);
      const rest = restOf(result);
      for await (const some of result.stream()) {
        for (const { text } of some) yield rowOf(text, where);
      }
      if (rest() !== '') throw brokenOff(rest(), where);
    } catch (error) {
      throw isFault(error) ? error : toTeamError(error, doing, where);
    } finally {
      result.close();
    }
  }

  return {
    target,
    each,
    async rows(sql, params) {
      const all: JsonObject[] = [];
      for await (const row of each(sql, params)) all.push(row);
      return all;
    },
    async insert(table, columns, lines, { token, signal } = {}) {
      const query_id = randomUUID();
      await told(`Rows could not be sent to ${table}`, query_id, async () => {
        // Not insert(): that would parse the lines, to write them again.
        const { stream, response_headers } = await client.exec({
          query: `INSERT INTO ${table} (${columns.map(named).join(', ')}) FORMAT JSONEachRow`,
          query_id,
          values: Readable.from(pieces(lines), { objectMode: false }),
          clickhouse_settings: {
            wait_end_of_query: 1,
            // When it is accepted it is there, on a cluster too.
            async_insert: 0,
            distributed_foreground_insert: 1,
            ...(token !== undefined && { insert_deduplication_token: token }),
          },
          ...(signal && { abort_signal: signal }),
        });
        await taken(stream, response_headers, where);
      });
    },
    async command(sql, params, settings) {
      const query_id = randomUUID();
      const doing = 'The team’s server could not do that';
      const { response_headers } = await told(doing, query_id, () =>
        client.command({
          query: sql,
          query_id,
          ...(params && { query_params: { ...params } }),
          // Only then the status is that of the whole work.
          clickhouse_settings: { wait_end_of_query: 1, ...settings },
        }),
      );
      if (!isServers(response_headers)) throw notServers(doing, '', where);
    },
    async close() {
      answers.stop();
      await client.close();
    },
  };
}

/** Of this program, not of the server. */
function isFault(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
}

type Headers = Readonly<Record<string, unknown>>;

/** Anything may answer 200 at a wrong URL: a page to sign in at, another server. */
function isServers(headers: Headers): boolean {
  return Object.keys(headers).some((name) => /^x-clickhouse-/i.test(name));
}

function notServers(doing: string, said: string, where: string): TeamError {
  const told = said.trim().slice(0, 300);
  const what = `${doing}: the answer is not ClickHouse’s${told === '' ? '' : `: ${told}`}`;
  const next = 'Check the URL, and what stands between: it is that of ClickHouse’s HTTP interface.';
  return new TeamError({ what, where, next, kind: 'other' });
}

/** A server says nothing to rows that it takes. Whatever says something else has failed, or is none. */
async function taken(answer: Readable, headers: Headers, where: string): Promise<void> {
  let said = '';
  for await (const chunk of answer) if (said.length < 300) said += String(chunk);
  const told = said.trim().slice(0, 300);
  if (told === '' && isServers(headers)) return;
  const [, code] = /\bCode: (\d+)\./.exec(told) ?? [];
  if (code !== undefined) throw Object.assign(new Error(told), { code });
  throw notServers('The rows were not taken', told, where);
}

/**
 * What stands after the last line break, once all was read: the client drops it, so an answer that was cut there would be a shorter list.
 * It does not hand out the bytes it reads either; they are looked at as they pass.
 */
function restOf(result: object): () => string {
  const body: unknown = Reflect.get(result, '_stream');
  let rest = Buffer.alloc(0);
  if (body instanceof Readable) {
    body.on('data', (chunk: Buffer) => {
      const end = chunk.lastIndexOf(10);
      if (end >= 0) rest = Buffer.from(chunk.subarray(end + 1, end + 301));
      else if (rest.length < 300) rest = Buffer.concat([rest, chunk.subarray(0, 300)]);
    });
  }
  return () => rest.toString('utf8');
}

function rowOf(text: string, where: string): JsonObject {
  const row = parseJson(text);
  if (isObject(row)) return row;
  throw brokenOff(text, where);
}

function brokenOff(text: string, where: string): TeamError {
  const what = `The answer broke off: ${text.slice(0, 300)}`;
  return new TeamError({ what, where, next: 'Nothing is lost; run it again.', kind: 'refused' });
}

function* pieces(lines: Iterable<string>): Iterable<Buffer> {
  let piece: string[] = [];
  let length = 0;
  for (const line of lines) {
    piece.push(line.endsWith('\n') ? line : `${line}\n`);
    length += line.length;
    if (length < PIECE) continue;
    yield Buffer.from(piece.join(''));
    piece = [];
    length = 0;
  }
  if (piece.length > 0) yield Buffer.from(piece.join(''));
}

/** The client tells an error's text alone: status and Retry-After are heard from Node, by the id of the query. */
function watchAnswers() {
  const failed = new Map<string, Answered>();
  const hear = (message: unknown) => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    const status = response.statusCode ?? 0;
    const id = status < 400 ? undefined : /[?&]query_id=([^&]*)/.exec(request.path)?.[1];
    if (id === undefined) return;
    const wait = waitOf(response.headers['retry-after'], Date.now());
    failed.set(id, { status, ...(wait !== undefined && { retryAfterMs: wait }) });
    // Those of others in this process are not asked for.
    if (failed.size > 1000) failed.delete(failed.keys().next().value ?? '');
  };
  subscribe('http.client.response.finish', hear);
  return {
    get: (id: string) => failed.get(id),
    delete: (id: string) => failed.delete(id),
    stop: () => unsubscribe('http.client.response.finish', hear),
  };
}
