/** A program that drives a session by messages, in this process: what it sends, and all that it is told. */
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createAgent } from '../../src/agent/agent.ts';
import type { Agent, AgentOptions } from '../../src/agent/agenttypes.ts';
import { newSession } from '../../src/agent/session.ts';
import type { Choice } from '../../src/cli/chat/options.ts';
import { createPrinter } from '../../src/cli/chat/print.ts';
import { runStream } from '../../src/cli/chat/stream.ts';
import type { Context } from '../../src/cli/context.ts';
import { openTerminal } from '../../src/cli/terminal.ts';
import { asObject, asString, type Json, type JsonObject } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { type Script, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';

export interface Program {
  readonly model: ScriptedModel;
  readonly cwd: string;
  /** All that it was told. */
  readonly told: JsonObject[];
  /** A line, as it stands. */
  send(line: string): void;
  /** Bytes, as they stand. */
  raw(bytes: Buffer): void;
  say(words: string, uuid?: string): void;
  /** Asks, and gives the answer. */
  ask(request: JsonObject, id?: string): Promise<JsonObject>;
  /** Answers a request of ours. */
  answer(request: JsonObject, response: Json): void;
  /** The next message of this kind that was not given before. */
  next(isIt: (message: JsonObject) => boolean): Promise<JsonObject>;
  /** A request of ours. */
  asked(subtype: string): Promise<JsonObject>;
  end(): void;
  /** Whether the last turn went well, or what was wrong. */
  readonly done: Promise<boolean | Error>;
  readonly stop: AbortController;
}

const CHOICE: Choice = {
  print: true,
  output: 'stream-json',
  input: 'stream-json',
  partial: false,
  replay: false,
  folders: [],
  rules: [],
  mode: 'default',
};

export async function program(script: Script, more: Partial<AgentOptions> & { asks?: boolean } = {}): Promise<Program> {
  const model = await startScriptedModel(script);
  const root = realpathSync(tempFolder());
  const [home, cwd] = [join(root, 'home'), join(root, 'work')];
  const config = join(home, '.claude');
  for (const folder of [config, cwd]) mkdirSync(folder, { recursive: true });
  const told: JsonObject[] = [];
  const given = new Set<JsonObject>();
  const waiting = new Set<() => void>();
  const write = (message: JsonObject) => {
    told.push(JSON.parse(JSON.stringify(message)));
    for (const look of [...waiting]) look();
  };
  const env = { PATH: process.env.PATH, HOME: home, SKEIN_HOME: join(root, 'kept'), ...model.env };
  const nowhere = openTerminal(new Writable({ write: (_chunk, _encoding, done) => done() }), {
    isTerminal: false,
    color: 'never',
    env,
  });
  const stop = new AbortController();
  const now = () => new Date();
  const context: Context = { env, home, cwd, now, out: nowhere, err: nowhere, signal: stop.signal };
  const input = new PassThrough();
  const out = { isTerminal: false, write: (text: string) => write(JSON.parse(text)) };
  const printer = createPrinter(CHOICE, out, () => nowhere);
  let agent: Agent | undefined;
  const { asks = false, ...rest } = more;
  const open: Parameters<typeof runStream>[0]['open'] = async ({ watch, ask, servers, sdk, wishes }) => {
    const { hooks, agents, ...wished } = wishes;
    agent = await createAgent({
      open: () => newSession({ config, cwd, version: '0.0.0-test' }),
      ...{ cwd, home, config, env, now, hooks, agents },
      ...wished,
      version: '0.0.0-test',
      folders: [],
      rules: [],
      mode: 'default',
      emit: watch,
      notice: () => {},
      ...(ask && { ask }),
      mcp: { servers, sdk },
      ...rest,
    });
    return agent;
  };
  const running = runStream({ open, printer, signal: stop.signal, context, config, asks, input, write });
  const done = running.catch((error: Error) => error).finally(() => agent?.close());
  onTestFinished(async () => {
    stop.abort();
    input.destroy();
    await done;
    await model.close();
  });
  const next: Program['next'] = (isIt) =>
    new Promise((resolve) => {
      const look = () => {
        const found = told.find((message) => !given.has(message) && isIt(message));
        if (found === undefined) return;
        waiting.delete(look);
        given.add(found);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const send: Program['send'] = (line) => void input.write(`${line}\n`);
  const line = (message: JsonObject) => send(JSON.stringify(message));
  let count = 0;
  return {
    model,
    cwd,
    told,
    send,
    raw: (bytes) => void input.write(bytes),
    next,
    done,
    stop,
    say: (content, uuid) => line({ type: 'user', message: { role: 'user', content }, ...(uuid && { uuid }) }),
    ask: async (request, id = `r${count++}`) => {
      line({ type: 'control_request', request_id: id, request });
      const { response } = await next(({ type, response: of }) => {
        return type === 'control_response' && asObject(of)?.request_id === id;
      });
      return asObject(response) ?? {};
    },
    asked: (subtype) => {
      return next(({ type, request }) => type === 'control_request' && asObject(request)?.subtype === subtype);
    },
    answer: ({ request_id }, response) => {
      const answered = { subtype: 'success', request_id: asString(request_id) ?? '', response };
      line({ type: 'control_response', response: answered });
    },
    end: () => void input.end(),
  };
}

export const isResult = ({ type }: JsonObject) => type === 'result';
