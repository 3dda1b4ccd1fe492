/** What whoever drives an agent can change in mid-session beside its mode and model, and look up. */
import type { Agent } from './agenttypes.ts';
import type { Talk } from './commands/talk.ts';
import type { OwnGate } from './gate.ts';
import type { MessageQueue } from './queue.ts';
import type { Session } from './session.ts';
import type { Background } from './subagents/background.ts';
import type { AgentType } from './subagents/types.ts';
import type { Shells } from './tools/shell/types.ts';

export interface SteeringParts {
  readonly session: Session;
  readonly queue: MessageQueue;
  readonly gate: OwnGate;
  readonly talk: Talk;
  readonly types: ReadonlyMap<string, AgentType>;
  readonly background: Pick<Background, 'stop'>;
  readonly shells: Pick<Shells, 'get'>;
  /** Lists do not show what rules forbid to read. */
  readonly hide: () => void;
}

export type Steering = Pick<
  Agent,
  | 'amend'
  | 'stopTask'
  | 'rename'
  | 'commandList'
  | 'agentTypes'
  | 'tokens'
  | 'costState'
  | 'waiting'
  | 'withdraw'
  | 'queue'
  | 'unqueue'
>;

export function createSteering(parts: SteeringParts): Steering {
  const { session, queue, gate, talk, types, hide, background, shells } = parts;
  return {
    amend: (change) => {
      gate.amend(change);
      hide();
    },
    stopTask: async (id) => {
      const shell = shells.get(id);
      if (shell?.status === 'running') await shell.kill();
      return shell !== undefined || background.stop(id);
    },
    rename: (title) => session.rename(title),
    commandList: talk.list,
    agentTypes: [...types.values()],
    costState: () => session.transcript.costState,
    tokens: talk.tokens,
    waiting: () => queue.waiting,
    withdraw: (uuid) => queue.remove(uuid),
    queue: (content, uuid) => queue.add(content, false, uuid),
    unqueue: () => queue.next(),
  };
}
