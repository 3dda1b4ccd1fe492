/** Runs the hooks of an event side by side and says what they come to. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { asString, type JsonObject } from '../../format/json.ts';
import type { Hooks } from '../ports.ts';
import type { HookCall, HookSetting } from '../settings/types.ts';
import { answerOf } from './answer.ts';
import { type HookRan, runHook, startHook } from './command.ts';
import { hookName, hooksFor } from './match.ts';
import { type Said, saidBy } from './said.ts';

export interface HooksOptions {
  readonly settings: readonly HookSetting[];
  /** What hooks are told of the session now (U1). */
  readonly now: () => HookSession;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the session began. */
  readonly root: string;
  /** Told what a person should know. */
  readonly notice: (words: string) => void;
}

export interface HookSession {
  readonly sessionId: string;
  readonly file: string;
  readonly cwd: string;
  readonly promptId?: string;
  readonly mode: string;
  /** What runs in the background. */
  readonly tasks: readonly JsonObject[];
}

export function createHooks(options: HooksOptions): Hooks {
  const { settings, notice } = options;
  return {
    run: async (event, fields, signal) => {
      const hooks = hooksFor(settings, event, fields);
      if (hooks.length === 0) return {};
      const session = options.now();
      const told = inputOf(event, fields, session);
      const toolUseID = asString(fields.tool_use_id) ?? randomUUID();
      const input = `${JSON.stringify(told)}\n`;
      const env = { ...options.env, CLAUDE_PROJECT_DIR: options.root };
      // In a folder that is gone nothing starts, and a hook that does not start forbids nothing.
      const place = { input, env, cwd: existsSync(session.cwd) ? session.cwd : options.root };
      for (const { command, isAsync } of hooks) if (isAsync) startHook({ command, ...place });
      const ran = await Promise.all(
        hooks.flatMap((hook) => {
          const timeoutMs = timeoutOf(hook);
          if (hook.isAsync) return [];
          if (hook.call) return [called(hook, { name: event, input: told, toolUseId: toolUseID }, timeoutMs, signal)];
          return [runHook({ command: hook.command, ...place, signal, timeoutMs })];
        }),
      );
      const said = ran.map((each) => saidBy(each, event));
      const name = hookName(event, fields);
      for (const words of said.flatMap((each) => wordsFor(name, each))) notice(words);
      return ran.length === 0 ? {} : answerOf({ event, name, toolUseID }, fields, said);
    },
  };
}

async function called(
  { command, call }: HookSetting,
  event: Parameters<HookCall>[0],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookRan> {
  const began = performance.now();
  const ended = await call?.(event, timeoutMs, signal);
  const durationMs = Math.round(performance.now() - began);
  return { command, stdout: '', stderr: '', code: 0, why: 'exit', ...ended, durationMs, timeoutMs, isCall: true };
}

/** As in the published client; what a person waits for may take less. */
const TIMEOUT_MS = 600_000;
const TIMEOUTS: Readonly<Record<string, number>> = { UserPromptSubmit: 30_000, SessionEnd: 60_000 };

function timeoutOf({ event, timeoutMs }: HookSetting): number {
  return timeoutMs ?? TIMEOUTS[event] ?? TIMEOUT_MS;
}

/** What happens outside of a turn knows no mode. */
const WITH_MODE = new Set([
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'Stop',
  'SubagentStop',
]);
const WITH_TASKS = new Set(['Stop', 'SubagentStop']);

/** U1, in the client's order. */
function inputOf(event: string, fields: JsonObject, session: HookSession): JsonObject {
  const { sessionId, file, cwd, promptId, mode, tasks } = session;
  return {
    session_id: sessionId,
    transcript_path: file,
    cwd,
    ...(promptId !== undefined && { prompt_id: promptId }),
    ...(WITH_MODE.has(event) && { permission_mode: mode }),
    hook_event_name: event,
    ...fields,
    ...(WITH_TASKS.has(event) && { background_tasks: [...tasks], session_crons: [] }),
  };
}

function wordsFor(name: string, { ran, error, systemMessage, block }: Said): string[] {
  const failed = (why: string) => [`${name} hook (${shown(ran)}): ${why}`];
  if (systemMessage !== undefined) return [systemMessage];
  if (error !== undefined) return failed(error);
  if (ran.why === 'timeout') return failed(`it took longer than ${ran.timeoutMs / 1000} s and was ended.`);
  // Where nothing can be stopped a person is told all the same.
  return block !== undefined && UNSTOPPABLE.test(name) ? failed(ran.stderr.trim()) : [];
}

const UNSTOPPABLE = /^(?:SessionStart|SessionEnd|Notification|SubagentStart|PostCompact)/;

function shown({ command }: HookRan): string {
  return command.length > 80 ? `${command.slice(0, 80)}…` : command;
}
