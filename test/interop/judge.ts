/** Runs the published client in a home of its own and tells which history it rebuilds from a transcript. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectSlug } from '../../src/format/slug.ts';
import type { Script } from '../support/scripted-model.ts';
import { type Api, type Request, startApi } from './api.ts';
import { clientCommand } from './clients.ts';

export interface Judge {
  readonly config: string;
  readonly workspace: string;
  /** Where sessions of the workspace lie. */
  readonly project: string;
  /** Resumes a session that lies in the project folder. */
  resume(session: string, prompt: string, flags?: readonly string[]): Promise<Verdict>;
  /** Starts the client in the workspace with these arguments. */
  start(args: readonly string[]): Promise<Verdict>;
  /** Empties the project folder and puts one session there. */
  place(session: string, transcript: string): void;
  transcriptOf(session: string): string;
  close(): Promise<void>;
}

export interface Verdict {
  /** The requests of the turn; several when some were refused. Empty when the client did not take the session. */
  readonly requests: readonly Request[];
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

/** A dummy: nothing but loopback is ever asked. */
const KEY = 'sk-ant-dummy';

export interface JudgeOptions {
  /** What it is answered; "ok" without one. */
  readonly script?: Script;
  readonly env?: Readonly<Record<string, string>>;
}

export async function createJudge(version: string, options: JudgeOptions = {}): Promise<Judge> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-interop-')));
  const [workspace, config] = [join(root, 'ws'), join(root, 'config')];
  for (const folder of [workspace, config]) mkdirSync(folder);
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ cleanupPeriodDays: 99_999 }));
  writeFileSync(join(config, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true }));
  const api = await startApi(options.script);
  const project = join(config, 'projects', projectSlug(workspace));
  const fileOf = (session: string) => join(project, `${session}.jsonl`);
  const start = async (args: readonly string[]): Promise<Verdict> => {
    api.turns.length = 0;
    const command = [...clientCommand(version), ...args, '--output-format', 'stream-json', '--verbose'];
    const done = await run(command, workspace, { ...environment(root, config, api), ...options.env });
    return { ...done, requests: [...api.turns] };
  };
  return {
    config,
    workspace,
    project,
    place: (session, transcript) => {
      rmSync(join(config, 'projects'), { recursive: true, force: true });
      mkdirSync(project, { recursive: true });
      writeFileSync(fileOf(session), transcript);
    },
    start,
    resume: (session, prompt, flags = []) => start(['-p', prompt, '--resume', session, ...flags]),
    transcriptOf: (session) => readFileSync(fileOf(session), 'utf8'),
    close: async () => {
      await api.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Sessions a client wrote into a project folder. */
export function sessionsIn(project: string): string[] {
  return readdirSync(project).flatMap((name) => (name.endsWith('.jsonl') ? name.slice(0, -'.jsonl'.length) : []));
}

function environment(home: string, config: string, { url }: Api): Record<string, string> {
  return {
    HOME: home,
    CLAUDE_CONFIG_DIR: config,
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
    TERM: 'dumb',
    HTTPS_PROXY: url,
    NO_PROXY: '127.0.0.1,localhost',
  };
}

/** With stdin closed: with an open pipe a client waits for it. */
function run(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Omit<Verdict, 'requests'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (status) => {
      resolve({ stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8'), status });
    });
  });
}
