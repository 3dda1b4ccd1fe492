/** Messages about the session itself, for the program that drives it. */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../format/json.ts';

export interface Tell {
  system(subtype: string, fields: JsonObject): void;
  /** How far a prompt is that the program gave a name. */
  prompt(uuid: string | undefined, state: 'queued' | 'started' | 'completed' | 'cancelled'): void;
  /** Only to programs that said they want to know. */
  state(state: 'running' | 'idle' | 'requires_action'): void;
}

export interface TellParts {
  write(message: JsonObject): void;
  sessionId(): string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function createTell({ write, sessionId, env }: TellParts): Tell {
  const about = () => ({ uuid: randomUUID(), session_id: sessionId() });
  const isAsked = env.CLAUDE_CODE_SDK_READS_SESSION_STATE === '1';
  let last = 'idle';
  return {
    system: (subtype, fields) => write({ type: 'system', subtype, ...fields, ...about() }),
    prompt(uuid, state) {
      if (uuid !== undefined) write({ type: 'command_lifecycle', command_uuid: uuid, state, ...about() });
    },
    state(state) {
      if (!isAsked || state === last) return;
      last = state;
      write({ type: 'system', subtype: 'session_state_changed', state, sdk_host_only: true, ...about() });
    },
  };
}
