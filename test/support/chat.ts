/** Runs `skein chat` as a user would, against a scripted model, in a folder and home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { asArray, asObject, asString, isObject, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { tempFolder, transcriptsBelow } from './files.ts';
import { runHere } from './inprocess.ts';
import { type Script, type ScriptedModel, startScriptedModel } from './scripted-model.ts';
import { BIN } from './skein.ts';

export interface ChatRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** The output as JSON, a line each. */
  readonly lines: readonly JsonObject[];
  /** The last `result`. */
  readonly result: JsonObject;
}

export interface ChatOptions {
  /** Piped in; without it standard input is closed. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Another launcher than that of the clone. */
  readonly bin?: string;
}

export interface Chat {
  readonly model: ScriptedModel;
  readonly home: string;
  readonly cwd: string;
  run(args: readonly string[], options?: ChatOptions): Promise<ChatRun>;
  start(args: readonly string[], options?: ChatOptions): Started;
  /** Transcripts, in the order of their names. */
  sessions(): string[];
  /** Entries of the only transcript. */
  entries(): JsonObject[];
  /** Every transcript is without an error to `skein check`; gives what `skein show` tells of the newest. */
  story(): Promise<string>;
}

export interface Started {
  readonly child: ChildProcess;
  readonly done: Promise<ChatRun>;
  /** Resolves when that was printed. */
  printed(text: string): Promise<void>;
}

/** Where it runs; the folders are there. */
export interface ChatPlace {
  readonly home: string;
  readonly cwd: string;
  readonly config: string;
}

export async function chatWith(script: Script, { home, cwd, config }: ChatPlace = newPlace()): Promise<Chat> {
  const model = await startScriptedModel(script);
  onTestFinished(() => model.close());
  const projects = join(config, 'projects');

  const start = (args: readonly string[], { input, env, bin = BIN }: ChatOptions = {}): Started => {
    const child = spawn(process.execPath, [bin, 'chat', ...args], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        CLAUDE_CONFIG_DIR: config,
        TZ: 'UTC',
        CLAUDE_CODE_MAX_RETRIES: '1',
        ...model.env,
        ...env,
      },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let [out, err] = ['', ''];
    const waiting = new Set<() => void>();
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      for (const look of waiting) look();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    // Who does not read any more is no failure of the test.
    child.stdin?.on('error', () => {});
    if (input !== undefined) child.stdin?.write(input);
    const done = new Promise<ChatRun>((resolve) => {
      child.on('close', (code) => resolve(ranOf(code, out, err)));
    });
    return {
      child,
      done,
      printed: (text) =>
        new Promise((resolve) => {
          const look = () => {
            if (!out.includes(text)) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
        }),
    };
  };
  const sessions = () => transcriptsBelow(projects);
  return {
    model,
    home,
    cwd,
    start,
    run: (args, options) => {
      const started = start(args, options);
      started.child.stdin?.end();
      return started.done;
    },
    sessions,
    entries: () => {
      const [file = '', ...others] = sessions();
      expect(others).toEqual([]);
      return entriesOf(file);
    },
    story: async () => {
      const env = { HOME: home, CLAUDE_CONFIG_DIR: config, SKEIN_HOME: join(home, 'kept') };
      const issues = asArray(asObject((await runHere(['check', projects, '--json'], env)).json())?.issues) ?? [];
      expect(issues.filter((issue) => asObject(issue)?.severity === 'error')).toEqual([]);
      return (await runHere(['show', '@last', '--tools', 'full', '--reveal'], env)).text;
    },
  };
}

function newPlace(): ChatPlace {
  const root = realpathSync(tempFolder());
  const [home, cwd] = [join(root, 'home'), join(root, 'work')];
  for (const folder of [home, cwd]) mkdirSync(folder);
  return { home, cwd, config: join(home, '.claude') };
}

export function entriesOf(file: string): JsonObject[] {
  return jsonLines(readFileSync(file, 'utf8'));
}

function ranOf(code: number | null, out: string, err: string): ChatRun {
  const lines = out.startsWith('{') ? jsonLines(out) : [];
  return { code, out, err, lines, result: lines.findLast(({ type }) => type === 'result') ?? {} };
}

function jsonLines(text: string): JsonObject[] {
  return text
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject);
}

/** The words of the last message that a request held. */
export function lastWords(model: ScriptedModel, index = model.requests.length - 1): string {
  const content = model.requests[index]?.messages.at(-1)?.content ?? [];
  return content.map((block) => asString(block.text as Json) ?? asString(block.content as Json) ?? '').join('\n');
}
