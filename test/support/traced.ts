/** Sessions with many turns, and the command that sends them, beside a receiver in this process. */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { assistant, result, timeOf, toJsonl, toolUse, user } from './build.ts';
import { tempFolder } from './files.ts';
import { startSkein } from './skein.ts';

/** Of each turn as `turnLines` makes them: the turn, two messages, a call. */
export const SPANS_A_TURN = 4;

/** Turns from..to of a session, as lines that follow each other. */
export function turnLines(sessionId: string, from: number, to: number): JsonObject[] {
  const lines: JsonObject[] = [];
  for (let turn = from; turn <= to; turn += 1) {
    const id = `${sessionId}-${turn}`;
    const made = [
      user(`prompt ${turn} of ${sessionId}`),
      assistant(toolUse(`toolu_${id}`, 'Bash', { command: `echo ${turn}` }), { id: `msg_${id}_a`, stop: 'tool_use' }),
      result(`toolu_${id}`, `out ${turn}`),
      assistant(`answer ${turn}`, { id: `msg_${id}_b`, output: turn, model: 'claude-sonnet-4-5-20250929' }),
    ];
    for (const [place, line] of made.entries()) {
      const number = (turn - 1) * made.length + place;
      lines.push({
        parentUuid: number === 0 ? null : `${sessionId}-u${number - 1}`,
        uuid: `${sessionId}-u${number}`,
        timestamp: timeOf(number),
        isSidechain: false,
        sessionId,
        version: '2.1.325',
        cwd: '/work/app',
        ...line,
      });
    }
  }
  return lines;
}

export interface TracedMachine {
  readonly root: string;
  readonly home: string;
  readonly env: Record<string, string>;
  fileOf(sessionId: string): string;
}

export function machineWith(sessions: Readonly<Record<string, number>>, url: string): TracedMachine {
  const root = tempFolder();
  const home = tempFolder();
  const project = join(root, 'projects', '-work-app');
  mkdirSync(project, { recursive: true });
  const fileOf = (id: string) => join(project, `${id}.jsonl`);
  for (const [id, turns] of Object.entries(sessions)) writeFileSync(fileOf(id), toJsonl(turnLines(id, 1, turns)));
  const env = {
    HOME: home,
    CLAUDE_CONFIG_DIR: root,
    SKEIN_HOME: join(home, 'kept'),
    LANGFUSE_PUBLIC_KEY: 'pk-test',
    LANGFUSE_SECRET_KEY: 'sk-test',
    LANGFUSE_BASE_URL: url,
  };
  return { root, home, env, fileOf };
}

export interface RanBeside {
  readonly code: number | null;
  readonly text: string;
  readonly err: string;
  json(): Json;
}

/** The command while this process serves: `killAfterMs` ends it with SIGKILL. */
export async function beside(
  { env, home }: TracedMachine,
  args: readonly string[],
  killAfterMs?: number,
): Promise<RanBeside> {
  const child = startSkein(args, { env, home });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await once(child, 'close');
  clearTimeout(timer);
  const text = Buffer.concat(out).toString('utf8');
  return { code: child.exitCode, text, err: Buffer.concat(err).toString('utf8'), json: () => parseJson(text) ?? null };
}
