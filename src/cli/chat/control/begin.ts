/** Begins the session that a program drives, with what it wants of it: `initialize` is heard if it is the first line. */
import type { Agent } from '../../../agent/agenttypes.ts';
import type { Consent } from '../../../agent/gate.ts';
import type { McpOptions } from '../../../agent/mcp/types.ts';
import type { Asked, LoopEvent } from '../../../agent/ports.ts';
import { asObject, asString, type JsonObject } from '../../../format/json.ts';
import type { InputMessage } from '../input.ts';
import { type Channel, createChannel } from './channel.ts';
import { createInbox, type Inbox } from './inbox.ts';
import { NO_WISHES, type Wishes, wishesIn } from './initialize.ts';
import { askProgram } from './permissions.ts';
import type { Tell } from './tell.ts';
import { programServers } from './transport.ts';
import { applyUpdates } from './updates.ts';

/** What the session is begun with beside the options. */
export interface Opening {
  watch(event: LoopEvent): void;
  ask?(asked: Asked, why: string): Promise<Consent>;
  readonly servers: McpOptions['servers'];
  readonly sdk: NonNullable<McpOptions['sdk']>;
  readonly wishes: Wishes;
}

export interface BeginParts {
  readonly input: Parameters<typeof createInbox>[0];
  readonly signal: AbortSignal;
  readonly tell: Tell;
  /** The program is asked before tools are used. */
  readonly asks: boolean;
  write(message: JsonObject): void;
  watch(event: LoopEvent): void;
  open(opening: Opening): Promise<Agent>;
}

export interface Begun {
  readonly agent: Agent;
  readonly inbox: Inbox;
  readonly channel: Channel;
  readonly wishes: Wishes;
  /** The message that was `initialize`, still to be answered. */
  readonly initialize: InputMessage | undefined;
}

export async function begin({ input, signal, tell, asks, write, watch, open }: BeginParts): Promise<Begun> {
  const channel = createChannel(write);
  const servers = programServers(channel);
  /** Whoever waits for an answer may wait before the session is there. */
  const early = (message: InputMessage): boolean => {
    if (message.kind === 'answer') channel.settle(message.response);
    else if (message.kind === 'control' && message.request.subtype === 'mcp_message') {
      servers.deliver(asString(message.request.server_name) ?? '', asObject(message.request.message) ?? {});
      write({ type: 'control_response', response: { subtype: 'success', request_id: message.id, response: {} } });
    } else return false;
    return true;
  };
  const inbox = createInbox(input, early);
  signal.addEventListener('abort', () => inbox.stop(), { once: true });
  // Even before anybody takes what comes: nobody is left to answer.
  input.once('close', () => channel.close());

  const first = await inbox.first;
  const isInitialize = first?.kind === 'control' && first.request.subtype === 'initialize';
  const warn = (content: string, tag: string) => tell.system('informational', { content, level: 'warning', tag });
  const wishes = isInitialize ? wishesIn(first.request, { channel, warn }) : NO_WISHES;
  const keep = (rule: string) => {
    const failed = (error: unknown) => warn(`The rule ${rule} was not saved: ${String(error)}`, 'rule_not_saved');
    import('../keeprule.ts').then(({ keepRule }) => keepRule(agent.cwd, rule)).catch(failed);
  };
  const ask = askProgram({
    channel,
    waits: waiter(tell),
    update: (updates) => {
      const { mode } = agent;
      applyUpdates(updates, agent, keep);
      if (agent.mode !== mode) tell.system('status', { status: null, permissionMode: agent.mode });
    },
  });
  const agent = await open({
    watch,
    ...(asks && { ask }),
    servers: new Map(wishes.servers.map((name) => [name, { type: 'sdk', name, scope: 'sdk' }])),
    sdk: (name) => servers.connect(name),
    wishes,
  });
  return { agent, inbox, channel, wishes, initialize: isInitialize ? first : undefined };
}

/** Several may be asked at once, by agents. */
function waiter(tell: Tell): (isWaiting: boolean) => void {
  let open = 0;
  return (isWaiting) => {
    open += isWaiting ? 1 : -1;
    tell.state(open > 0 ? 'requires_action' : 'running');
  };
}
