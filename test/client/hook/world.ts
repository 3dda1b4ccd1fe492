/** A home with sessions, a server that takes spans, and the hook as a client runs it. */
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { type LogLine, readLog } from '../../../src/client/hook/log.ts';
import { hookPlaces } from '../../../src/client/hook/place.ts';
import { asArray, asString, at, type Json, parseJson } from '../../../src/format/json.ts';
import { FIXTURES, tempFolder } from '../../support/files.ts';
import { BIN } from '../../support/skein.ts';

export const RECORDED = ['1.0.111', '2.0.76', '2.1.45', '2.1.325'] as const;

export interface Taken {
  readonly trace: string;
  readonly span: string;
  readonly start: string;
  readonly name: string;
}

export interface SpanServer {
  readonly url: string;
  /** In the order in which they came. */
  readonly spans: Taken[];
  readonly requests: { readonly headers: NodeJS.Dict<string | string[]> }[];
  /** Bodies that were taken, as text. */
  readonly bodies: string[];
  /**
   * How it answers from now on; hang: not at all · page: as a network that asks for a login · echo: refuses, and says the keys back ·
   * partial: it took all but one · warn: it took all and says something.
   */
  mode: 'take' | 'hang' | 'fail' | 'page' | 'echo' | 'partial' | 'warn';
  /** Requests that got no answer. */
  readonly hanging: ServerResponse[];
}

export async function startServer(): Promise<SpanServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      state.requests.push({ headers: request.headers });
      if (state.mode === 'hang') {
        state.hanging.push(response);
        return;
      }
      if (state.mode === 'fail') {
        response.writeHead(500).end('out of order');
        return;
      }
      if (state.mode === 'page') {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Please log in</p>');
        return;
      }
      if (state.mode === 'echo') {
        const { authorization = '' } = request.headers;
        response.writeHead(401).end(JSON.stringify({ message: `invalid: ${authorization.replace(/^\w+ /, '')}` }));
        return;
      }
      if (request.method === 'POST') {
        const bytes = Buffer.concat(chunks);
        const isPacked = request.headers['content-encoding'] === 'gzip';
        const body = (isPacked ? gunzipSync(bytes) : bytes).toString('utf8');
        state.spans.push(...spansIn(body));
        state.bodies.push(body);
      }
      const said = { rejectedSpans: state.mode === 'partial' ? '1' : '0', errorMessage: 'a word from the server' };
      const answer = state.mode === 'take' ? {} : { partialSuccess: said };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const state: SpanServer = { url, spans: [], requests: [], bodies: [], mode: 'take', hanging: [] };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return state;
}

function spansIn(body: string): Taken[] {
  const json = parseJson(body);
  const each = (value: Json | undefined, key: string) => asArray(at(value, key)) ?? [];
  const spans = each(json, 'resourceSpans').flatMap((some) =>
    each(some, 'scopeSpans').flatMap((more) => each(more, 'spans')),
  );
  const text = (span: Json, key: string) => asString(at(span, key)) ?? '';
  return spans.map((span) => ({
    trace: text(span, 'traceId'),
    span: text(span, 'spanId'),
    start: text(span, 'startTimeUnixNano'),
    name: text(span, 'name'),
  }));
}

/** As the server keys its rows; sorted. */
export function rowsOf(spans: readonly Taken[]): string[] {
  return spans.map(({ trace, span, start }) => `${trace} ${span} ${start}`).sort();
}

export interface HookHome {
  readonly home: string;
  readonly config: string;
  readonly project: string;
  readonly skein: string;
  fileOf(session: string): string;
  log(): LogLine[];
}

export function makeHome(): HookHome {
  const home = tempFolder();
  const config = join(home, '.claude');
  const project = join(config, 'projects', '-work-app');
  const skein = join(home, 'skein');
  mkdirSync(project, { recursive: true });
  return {
    home,
    config,
    project,
    skein,
    fileOf: (session) => join(project, `${session}.jsonl`),
    log: () => readLog(hookPlaces(skein)),
  };
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface HookCall {
  readonly event?: string;
  readonly session: string;
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly more?: Record<string, unknown>;
  readonly node?: readonly string[];
}

export function runHook(world: HookHome, { event = 'Stop', session, args, env, more, node }: HookCall): Promise<Ran> {
  const input = { session_id: session, transcript_path: world.fileOf(session), hook_event_name: event, ...more };
  return feed(world, JSON.stringify(input), args, env, node);
}

export function feed(
  { home, skein }: HookHome,
  input: string,
  args: readonly string[],
  env: Record<string, string> = {},
  node: readonly string[] = [],
): Promise<Ran> {
  const own = { HOME: home, SKEIN_HOME: skein, ...env };
  return command([...node, BIN, 'hook', 'run', ...args], own, input);
}

/** `skein hook`, while the server of this process goes on. */
export function hookVerb(args: readonly string[], env: Record<string, string>, cwd?: string): Promise<Ran> {
  return command([BIN, 'hook', ...args], env, '', cwd);
}

function command(args: readonly string[], env: Record<string, string>, input: string, cwd?: string): Promise<Ran> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', TZ: 'UTC', ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ code, out: Buffer.concat(out).toString('utf8'), err: Buffer.concat(err).toString('utf8') });
    });
  });
}

export const QUIET: Ran = { code: 0, out: '', err: '' };

let count = 0;
/** A moment ago: ten quiet minutes would end any turn. */
const BEGAN = Date.now() - 120_000;

/** A turn as the client writes it: a prompt, a call with its result, an answer; some versions do not say why it ended (E4). */
export function turnLines(
  session: string,
  number: number,
  before?: string,
  stops = true,
): { lines: string[]; last: string } {
  count += 1;
  const uuid = (part: number) => `00000000-0000-4000-8000-${String(count * 10 + part).padStart(12, '0')}`;
  const time = (part: number) => new Date(BEGAN + number * 10_000 + part * 1000).toISOString();
  const common = { sessionId: session, cwd: '/work/app', version: '2.1.325', isSidechain: false, userType: 'external' };
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = (id: string, content: Json, stop: string) => ({
    message: {
      id: `msg_${count}${id}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content,
      stop_reason: stops ? stop : null,
      usage,
    },
  });
  const call = { type: 'tool_use', id: `toolu_${count}`, name: 'Bash', input: { command: 'ls' } };
  const result = { type: 'tool_result', tool_use_id: `toolu_${count}`, content: 'a.txt' };
  const entries = [
    { type: 'user', parentUuid: before ?? null, message: { role: 'user', content: `do ${number}` } },
    { type: 'assistant', parentUuid: uuid(0), ...message('a', [call], 'tool_use') },
    { type: 'user', parentUuid: uuid(1), message: { role: 'user', content: [result] } },
    { type: 'assistant', parentUuid: uuid(2), ...message('b', [{ type: 'text', text: `done ${number}` }], 'end_turn') },
  ];
  const lines = entries.map((entry, part) =>
    JSON.stringify({ ...common, ...entry, uuid: uuid(part), timestamp: time(part) }),
  );
  return { lines, last: uuid(3) };
}

/** Spans of such a turn: the agent, two generations, one tool. */
export const SPANS_A_TURN = 4;

/** Writes a session of so many turns; what it gives adds one more, which may say something else than the others. */
export function writeTurns(file: string, turns: number): (said?: { prompt?: string; answer?: string }) => void {
  const session = basename(file, '.jsonl');
  let number = 0;
  let before: string | undefined;
  const add = ({ prompt, answer }: { prompt?: string; answer?: string } = {}) => {
    number += 1;
    const { lines, last } = turnLines(session, number, before);
    before = last;
    const text = lines
      .join('\n')
      .replace(`"do ${number}"`, JSON.stringify(prompt ?? `do ${number}`))
      .replace(`"done ${number}"`, JSON.stringify(answer ?? `done ${number}`));
    appendFileSync(file, `${text}\n`);
  };
  writeFileSync(file, '');
  for (let each = 0; each < turns; each += 1) add();
  return add;
}

/** The recorded transcripts of a version, and what its hooks were told, in order, with the paths of this home. */
export function placeRecorded(world: HookHome, version: string): { readonly event: string; readonly input: string }[] {
  const scenario = join(FIXTURES, 'recorded', version, 'j-hooks');
  cpSync(join(scenario, 'projects'), join(world.config, 'projects'), { recursive: true });
  return readdirSync(join(scenario, 'hooks'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(scenario, 'hooks', name), 'utf8');
      const input = text.replaceAll(/"[^"]*\/home\/\.claude\//g, `"${world.config}/`);
      return { event: asString(at(parseJson(text), 'hook_event_name')) ?? '', input };
    });
}
