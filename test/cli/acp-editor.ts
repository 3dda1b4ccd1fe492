/** An editor, made of the client side of the SDK: it starts `skein acp`, answers questions and keeps what it is told. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type ClientContext,
  client,
  type InitializeResponse,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { afterAll, beforeAll } from 'vitest';
import { transcriptsBelow } from '../support/files.ts';
import { fails, type Reply, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { BIN } from '../support/skein.ts';

export interface Script {
  readonly model: ScriptedModel;
  /** What is answered, one by one, to conversations whose last prompt holds the word. */
  on(word: string, ...replies: Reply[]): void;
}

export async function startScript(): Promise<Script> {
  const scripts = new Map<string, Reply[]>();
  const model = await startScriptedModel(({ messages }) => {
    const said = JSON.stringify(messages.filter(({ role }) => role === 'user'));
    const places = [...scripts.keys()].map((word) => ({ word, at: said.lastIndexOf(word) }));
    const { word = '' } = places.filter(({ at }) => at >= 0).sort((a, b) => b.at - a.at)[0] ?? {};
    return scripts.get(word)?.shift() ?? fails(400, { message: `nothing is scripted for ${said.slice(-300)}` });
  });
  return { model, on: (word, ...replies) => void scripts.set(word, replies) };
}

export interface Home {
  /** To be removed by whoever made it. */
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
  readonly config: string;
}

export function newHome(): Home {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-acp-')));
  const [home, cwd] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [home, cwd]) mkdirSync(folder);
  return { root, home, cwd, config: join(home, '.claude') };
}

/** What happens, in its order: an update of a session, or a question. */
export type Heard = { readonly sessionId: string } & (
  | { readonly update: SessionUpdate }
  | { readonly asked: RequestPermissionRequest }
);

export interface Editor {
  readonly agent: ClientContext;
  /** What it was told first. */
  readonly welcome: InitializeResponse;
  readonly child: ChildProcess;
  readonly heard: Heard[];
  readonly errors: () => string;
  /** Answers questions from now on. */
  answers(how: Answer): void;
  begin(cwd: string): Promise<NewSessionResponse>;
  prompt(sessionId: string, text: string): Promise<PromptResponse>;
  /** Updates of a session of one kind. */
  updates<K extends SessionUpdate['sessionUpdate']>(
    sessionId: string,
    kind: K,
  ): Extract<SessionUpdate, { sessionUpdate: K }>[];
  asked(sessionId: string): RequestPermissionRequest[];
  /** Resolves when it holds, looked at whenever something is heard. */
  until(holds: () => boolean): Promise<void>;
  /** Closes the pipes; gives the exit code. */
  leave(): Promise<number | null>;
}

export type Answer = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

export function pick(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId } };
}

export async function startEditor(
  { home, config }: Home,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Editor> {
  const child = spawn(process.execPath, [BIN, 'acp', ...args], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: config,
      TZ: 'UTC',
      CLAUDE_CODE_MAX_RETRIES: '1',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const heard: Heard[] = [];
  const waiting = new Set<() => void>();
  const hear = (one: Heard) => {
    heard.push(one);
    for (const look of waiting) look();
  };
  let answer: Answer = () => ({ outcome: { outcome: 'cancelled' } });
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => hear({ sessionId, update }))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      hear({ sessionId: params.sessionId, asked: params });
      return answer(params);
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>));
  const { agent } = connection;
  const welcome = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { session: { notices: {} } },
  });
  return {
    agent,
    welcome,
    child,
    heard,
    errors: () => err,
    answers: (how) => {
      answer = how;
    },
    begin: (cwd) => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    updates: (sessionId, kind) =>
      heard.flatMap((each) =>
        each.sessionId === sessionId && 'update' in each && isKind(each.update, kind) ? [each.update] : [],
      ),
    asked: (sessionId) =>
      heard.flatMap((each) => (each.sessionId === sessionId && 'asked' in each ? [each.asked] : [])),
    until: (holds) =>
      new Promise((resolve) => {
        const look = () => {
          if (!holds()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    leave: async () => {
      if (child.exitCode !== null) return child.exitCode;
      const exit = once(child, 'exit');
      child.stdin.end();
      const [code] = await exit;
      return code;
    },
  };
}

function isKind<K extends SessionUpdate['sessionUpdate']>(
  update: SessionUpdate,
  kind: K,
): update is Extract<SessionUpdate, { sessionUpdate: K }> {
  return update.sessionUpdate === kind;
}

/** The text of chunks, joined. */
export function textOf(
  chunks: readonly { readonly content: { readonly type: string; readonly text?: string } }[],
): string {
  return chunks.map(({ content }) => content.text ?? '').join('');
}

/** The code and words of a refused request. */
export async function refused(request: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  try {
    await request;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('It was not refused.');
}

/** One editor for all tests of a file. */
export function openDesk() {
  let script: Script;
  let place: Home;
  let editor: Editor;
  beforeAll(async () => {
    script = await startScript();
    place = newHome();
    editor = await startEditor(place, script.model.env);
  });
  afterAll(async () => {
    editor.child.kill('SIGKILL');
    await script.model.close();
    rmSync(place.root, { recursive: true, force: true });
  });
  return {
    get script() {
      return script;
    },
    get place() {
      return place;
    },
    get editor() {
      return editor;
    },
    fileOf: (id: string) => transcriptsBelow(join(place.config, 'projects')).find((file) => file.includes(id)) ?? '',
    begun: async () => (await editor.begin(place.cwd)).sessionId,
  };
}
