/** The hooks of a session: what they are told of it, and the events that lie outside of a turn. */
import type { JsonObject } from '../../format/json.ts';
import type { Asked, Decision, Hooks, Transcript } from '../ports.ts';
import type { HookSetting } from '../settings/types.ts';
import type { ToolSession } from '../tools/tool.ts';
import { createHooks } from './hooks.ts';

export interface SessionHooksOptions {
  readonly settings: readonly HookSetting[];
  readonly transcript: Transcript;
  readonly session: ToolSession;
  readonly mode: () => string;
  /** Agents in the background. */
  readonly agents?: () => readonly JsonObject[];
  /** Told of a line that was written. */
  readonly wrote: (entry: JsonObject) => void;
  readonly notice: (words: string) => void;
}

export interface SessionHooks {
  readonly hooks: Hooks;
  /** PermissionRequest: before a person is asked. */
  consult(asked: Asked): Promise<Decision | undefined>;
  /** Notification: a person is waited for. Nobody waits for the hooks. */
  notify(message: string, kind: string): void;
  /** SessionStart; gives the lines that belong before the first prompt. */
  start(source: 'startup' | 'resume' | 'clear', signal?: AbortSignal): Promise<readonly JsonObject[]>;
  end(reason: string): Promise<void>;
}

/** Undefined when there are no hooks: nothing need be asked then. */
export function createSessionHooks(options: SessionHooksOptions): SessionHooks | undefined {
  const { settings, transcript, session, notice } = options;
  if (settings.length === 0) return undefined;
  const hooks = createHooks({
    settings,
    env: session.env,
    root: session.root,
    notice,
    now: () => {
      const { sessionId, file, promptId } = transcript;
      const common = {
        sessionId,
        file,
        cwd: session.cwd,
        mode: options.mode(),
        tasks: [...tasksOf(session), ...(options.agents?.() ?? [])],
      };
      return { ...common, ...(promptId !== undefined && { promptId }) };
    },
  });
  const never = new AbortController().signal;
  return {
    hooks,
    consult: async ({ id, tool, input, signal }) => {
      const fields = { tool_name: tool.name, tool_input: input, tool_use_id: id };
      const { decision, input: changed, entries = [] } = await hooks.run('PermissionRequest', fields, signal);
      for (const entry of entries) options.wrote(transcript.entry(entry));
      return decision?.allow && changed ? { ...decision, input: changed } : decision;
    },
    notify: (message, kind) => {
      void hooks.run('Notification', { message, notification_type: kind }, never);
    },
    start: async (source, signal = never) => (await hooks.run('SessionStart', { source }, signal)).entries ?? [],
    end: async (reason) => {
      await hooks.run('SessionEnd', { reason }, never);
    },
  };
}

function tasksOf({ shells }: ToolSession): JsonObject[] {
  return shells
    .list()
    .filter(({ status }) => status === 'running')
    .map(({ id, command }) => ({ id, type: 'shell', status: 'running', description: command, command }));
}
