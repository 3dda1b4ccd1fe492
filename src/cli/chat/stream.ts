/** `--input-format stream-json`: prompts a line, each a turn; what comes while one runs is said to the model as it works. */
import type { Readable } from 'node:stream';
import type { Agent } from '../../agent/agenttypes.ts';
import type { JsonObject } from '../../format/json.ts';
import type { Context } from '../context.ts';
import { type Asking, answerTo } from './control/answer.ts';
import { begin, type Opening } from './control/begin.ts';
import { initialized } from './control/initialize.ts';
import { createPrompts, type NextPrompt } from './control/prompts.ts';
import { createTell } from './control/tell.ts';
import type { Printer } from './print.ts';
import { isError } from './result.ts';

export interface StreamOptions {
  readonly printer: Printer;
  readonly signal: AbortSignal;
  readonly context: Context;
  /** The config folder (L1). */
  readonly config: string;
  /** The program is asked before tools are used. */
  readonly asks: boolean;
  /** Standard input without it. */
  readonly input?: Readable;
  write(message: JsonObject): void;
  open(opening: Opening): Promise<Agent>;
}

/** Whether the last turn ended well. Throws for a line that is no message. */
export async function runStream({ printer, signal, context, write, ...options }: StreamOptions): Promise<boolean> {
  let sessionId = () => '';
  const tell = createTell({ write, sessionId: () => sessionId(), env: context.env });
  const prompts = createPrompts(tell);
  const { input = process.stdin, asks, config } = options;
  const { agent, inbox, channel, wishes, initialize } = await begin({
    ...{ input, signal, tell, asks, write },
    watch: (event) => {
      printer.watch(event);
      prompts.saw(event);
    },
    open: async (opening) => {
      const opened = await options.open(opening);
      sessionId = () => opened.sessionId;
      return opened;
    },
  });
  printer.agentText = wishes.agentText;

  let turn: AbortController | undefined;
  let wrong: unknown;
  let isOver = false;
  let wake: () => void = () => {};
  const changed = () => {
    const before = wake;
    wake = () => {};
    before();
  };
  const withdraw = (uuid: string) => prompts.withdraw(uuid, agent);
  const interrupt = (cancelQueued: boolean): readonly string[] => {
    turn?.abort();
    const names = prompts.names(agent);
    if (cancelQueued) names.forEach(withdraw);
    return names;
  };
  const host = { agent, context, config, model: agent.model, tell, write, interrupt, withdraw };
  const asking: Asking = { host, write, cancelled: new Set() };
  inbox.open(
    (message) => {
      if (message.kind === 'prompt') {
        prompts.take(message.prompt, message.uuid, agent, turn !== undefined);
        changed();
      } else if (message.kind === 'cancel') asking.cancelled.add(message.id);
      else if (message.kind !== 'control') return;
      else if (message === initialize) write(initialized(message.id, agent, wishes));
      else answerTo(message, asking);
    },
    (error) => {
      isOver = true;
      wrong = error;
      channel.close();
      if (error !== undefined) turn?.abort();
      changed();
    },
  );
  const onStop = () => turn?.abort();
  signal.addEventListener('abort', onStop, { once: true });

  let fine = true;
  for (;;) {
    const mayGoOn = !signal.aborted && wrong === undefined;
    const next = mayGoOn ? prompts.next(agent) : undefined;
    if (next !== undefined) {
      turn = new AbortController();
      fine = await runOne(next, turn.signal);
      turn = undefined;
    } else if (isOver && !(mayGoOn && agent.hasMore)) break;
    else {
      if (!agent.hasMore) tell.state('idle');
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([woken, agent.background() ?? woken]);
    }
  }
  tell.state('idle');
  signal.removeEventListener('abort', onStop);
  if (wrong !== undefined) throw wrong;
  return fine;

  async function runOne({ content, isNotice, ...named }: NextPrompt, stop: AbortSignal): Promise<boolean> {
    const { uuid } = named;
    tell.state('running');
    tell.prompt(uuid, 'started');
    prompts.takeTold();
    printer.begin(agent);
    const end = await agent.turn({ content, source: isNotice ? 'notice' : 'sdk', ...named }, stop);
    const state = end.reason === 'interrupted' ? 'cancelled' : 'completed';
    const told = prompts.takeTold();
    for (const each of told) tell.prompt(each, state);
    const said = [...(uuid === undefined ? [] : [uuid]), ...told];
    printer.end(agent, end, true, {
      ...(said.length > 0 && { user_message_uuid: said[0] ?? '', user_message_uuids: said }),
      queued_turn_count: prompts.count(agent),
    });
    tell.prompt(uuid, state);
    return !isError(end);
  }
}
