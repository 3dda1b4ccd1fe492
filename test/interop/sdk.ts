/** The published Agent SDK, by exact version, driving either executable against a scripted model on loopback. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { z } from 'zod';
import type { JsonObject } from '../../src/format/json.ts';
import type { Script } from '../support/scripted-model.ts';
import { BIN } from '../support/skein.ts';
import { type Api, startApi } from './api.ts';
import { clientCommand, NEWEST } from './clients.ts';

const VERSION = '0.3.325';
const NAME = '@anthropic-ai/claude-agent-sdk';
const FOLDER = fileURLToPath(new URL(`../../.cache/clients/agent-sdk-${VERSION}`, import.meta.url));

/** What of it the scenes use. */
export interface Sdk {
  query(params: { prompt: string | AsyncIterable<JsonObject>; options: JsonObject | object }): Query;
  tool(
    name: string,
    description: string,
    schema: Record<string, z.ZodType>,
    run: (input: JsonObject) => Promise<object>,
  ): object;
  createSdkMcpServer(server: { name: string; version: string; tools: readonly object[] }): object;
}

export interface Query extends AsyncIterable<JsonObject> {
  interrupt(): Promise<unknown>;
  setModel(model?: string): Promise<void>;
  setPermissionMode(mode: string): Promise<void>;
  setMaxThinkingTokens(tokens: number | null): Promise<void>;
  supportedCommands(): Promise<JsonObject[]>;
  supportedModels(): Promise<JsonObject[]>;
  supportedAgents(): Promise<JsonObject[]>;
  mcpServerStatus(): Promise<JsonObject[]>;
  setMcpServers(servers: Record<string, object>): Promise<JsonObject>;
  accountInfo(): Promise<JsonObject>;
  rewindFiles(uuid: string, options?: { dryRun?: boolean }): Promise<JsonObject>;
}

/** Without its optional packages: they are the client itself, which is installed on its own. Throws what npm said. */
export function installSdk(): void {
  const done = join(FOLDER, 'installed');
  if (existsSync(done)) return;
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: { [NAME]: VERSION } }));
  const flags = ['install', '--no-audit', '--no-fund', '--omit=optional'];
  execFileSync('npm', flags, { cwd: FOLDER, encoding: 'utf8', stdio: 'pipe' });
  writeFileSync(done, VERSION);
}

export function loadSdk(): Promise<Sdk> {
  return import(pathToFileURL(join(FOLDER, 'node_modules', NAME, 'sdk.mjs')).href);
}

/** A file that finds the package. */
export function exampleFile(name: string): string {
  return join(FOLDER, name);
}

export type Executable = 'claude' | 'skein';

export function executable(which: Executable): string {
  return which === 'skein' ? BIN : (clientCommand(NEWEST).at(-1) ?? '');
}

export interface Stage {
  readonly sdk: Sdk;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly api: Api;
  /** All messages of all queries, as they came. */
  readonly seen: readonly JsonObject[];
  query(prompt: string | AsyncIterable<JsonObject>, options?: object): Query;
  /** Reads it to its end; gives the words of the error it ended with, if it did. */
  drain(query: Query): Promise<string | undefined>;
  /** Resolves when so many of these have come. */
  came(type: string, count?: number): Promise<void>;
}

/** Each run in a home and folder of its own. */
export async function onStage<T>(which: Executable, script: Script, play: (stage: Stage) => Promise<T>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-sdk-')));
  const [cwd, config] = [join(root, 'ws'), join(root, 'config')];
  for (const folder of [cwd, config]) mkdirSync(folder);
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ cleanupPeriodDays: 99_999 }));
  writeFileSync(join(config, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true }));
  const api = await startApi(script);
  const sdk = await loadSdk();
  const seen: JsonObject[] = [];
  const waiting = new Set<() => void>();
  const env = environment(root, config, api);
  const base = {
    cwd,
    env,
    pathToClaudeCodeExecutable: executable(which),
    settingSources: [],
  };
  const stage: Stage = {
    sdk,
    cwd,
    env,
    api,
    seen,
    query: (prompt, options = {}) => sdk.query({ prompt, options: { ...base, ...options } }),
    drain: async (query) => {
      try {
        for await (const message of query) {
          seen.push(message);
          for (const look of waiting) look();
        }
        return undefined;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    came: (type, count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (seen.filter((message) => message.type === type).length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
  try {
    const facts = await play(stage);
    return { messages: seen, facts, requests: [...api.turns] };
  } finally {
    await api.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A dummy key: nothing but loopback is ever asked. */
function environment(home: string, config: string, { url }: Api): Record<string, string> {
  return {
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-dummy',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    IS_SANDBOX: '1',
    TERM: 'dumb',
    HTTPS_PROXY: url,
    NO_PROXY: '127.0.0.1,localhost',
  };
}

/** Prompts that are sent when the test wants. */
export interface Feed extends AsyncIterable<JsonObject> {
  say(words: string, uuid?: string): void;
  end(): void;
}

export function feed(): Feed {
  const waiting: JsonObject[] = [];
  let wake = () => {};
  let isOver = false;
  return {
    say(content, uuid) {
      const message = { role: 'user', content };
      waiting.push({ type: 'user', message, parent_tool_use_id: null, session_id: '', ...(uuid && { uuid }) });
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) yield next;
        if (isOver) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
