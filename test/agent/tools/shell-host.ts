/** A session for the tools that run commands or ask the web, in a temp folder of its own. */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createShells } from '../../../src/agent/tools/shell/shells.ts';
import { createSpill } from '../../../src/agent/tools/spill.ts';
import type { Tool, ToolHost, ToolLimits, ToolOutcome, ToolSession } from '../../../src/agent/tools/tool.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { tempFolder } from '../../support/files.ts';

export const LIMITS: ToolLimits = {
  bashTimeoutMs: 20_000,
  bashMaxTimeoutMs: 60_000,
  outputChars: 30_000,
  privateAddresses: false,
};

export interface TestSession extends ToolSession {
  /** The transcript that `tool-results/` lies beside. */
  readonly transcript: string;
}

export function testSession(changes: Partial<ToolSession> = {}): TestSession {
  const root = realpathSync(tempFolder());
  const home = tempFolder();
  const shells = createShells({ graceMs: 200, progressMs: 50 });
  onTestFinished(() => shells.close());
  return {
    cwd: root,
    root,
    folders: [],
    env: { PATH: process.env.PATH, HOME: home },
    files: { get: () => undefined, set: () => undefined },
    shells,
    todos: [],
    spill: createSpill({ folder: join(home, 'session') }),
    backup: () => undefined,
    limits: LIMITS,
    transcript: join(home, 'session.jsonl'),
    ...changes,
  };
}

export interface Called extends ToolOutcome {
  readonly text: string;
  readonly progress: readonly JsonObject[];
}

export async function call(
  tool: Tool,
  session: ToolSession,
  input: JsonObject,
  signal: AbortSignal = new AbortController().signal,
): Promise<Called> {
  const progress: JsonObject[] = [];
  const host: ToolHost = { id: 'toolu_test', signal, progress: (data) => progress.push(data), session };
  const outcome = await tool.run(input, host);
  return { ...outcome, text: typeof outcome.content === 'string' ? outcome.content : '', progress };
}

/** One that has ended and was not yet asked how does not run. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform === 'linux') return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !condition(); tries++) await sleep(10);
}
