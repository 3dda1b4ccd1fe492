/** One session of an editor: its agent, one turn at a time, and what is told of it. */
import { RequestError, type SessionUpdate, type StopReason } from '@agentclientprotocol/sdk';
import type { Agent } from '../../agent/agenttypes.ts';
import type { LoopEvent, TurnEnd, TurnPrompt } from '../../agent/ports.ts';
import { asNumber, asString } from '../../format/json.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import { firstLine } from '../../views/toolview.ts';
import { keepRule as keep } from '../chat/keeprule.ts';
import { failureWords, isError } from '../chat/result.ts';
import type { Parts } from '../chat/run.ts';
import { createAsking, type Elicit, type Request } from './asking.ts';
import { commandsOf } from './commands.ts';
import { configOptions, modeState, modesFor } from './config.ts';
import { stopReason, TOLD } from './stop.ts';
import { createTeller } from './teller.ts';
import { createTurns } from './turns.ts';

/** The editor, as far as one session goes. */
export interface Editor {
  send(update: SessionUpdate): void;
  readonly request: Request;
  /** Shows a form, where the editor can. */
  readonly elicit: Elicit | undefined;
  notice(words: string): void;
  readonly compaction: boolean;
}

export interface SessionOptions {
  readonly cwd: string;
  readonly editor: Editor;
  readonly isNew: boolean;
  readonly limits: { readonly maxTurns?: number; readonly maxBudgetUSD?: number };
  open(parts: Pick<Parts, 'watch' | 'ask' | 'notice'>): Promise<Agent>;
}

export interface OpenSession {
  readonly state: { modes: ReturnType<typeof modeState>; configOptions: ReturnType<typeof configOptions> };
  prompt(content: TurnPrompt['content'], signal: AbortSignal): Promise<StopReason>;
  cancel(): void;
  /** Throws RequestError for what there is not. */
  setMode(mode: string): void;
  setModel(model: string): void;
  /** What the editor is to know besides, once it knows the session. */
  introduce(): void;
  close(): Promise<void>;
}

export async function openSession(options: SessionOptions): Promise<OpenSession> {
  const { editor } = options;
  let { cwd } = options;
  let used = 0;
  const tellUsage = () => {
    if (used === 0) return;
    const size = asNumber(agent.limits(agent.model).contextWindow) ?? 0;
    const amount = asNumber(agent.costState()?.totalCostUSD) ?? 0;
    editor.send({
      sessionUpdate: 'usage_update',
      used,
      size,
      ...(amount > 0 && { cost: { amount, currency: 'USD' } }),
    });
  };
  const teller = createTeller({
    send: editor.send,
    cwd: () => cwd,
    used: (tokens) => {
      if (tokens === used) return;
      used = tokens;
      tellUsage();
    },
    notice: editor.notice,
    compaction: editor.compaction,
  });
  const watch = (event: LoopEvent) => {
    // Where the work is: `cd` may have moved it.
    if (event.kind === 'entry') cwd = asString(event.entry.cwd) ?? cwd;
    teller(event);
    if (event.kind === 'tool-end') tellChanges();
  };
  const keepRule = (rule: string) => {
    try {
      keep(options.cwd, rule);
    } catch (error) {
      editor.notice(error instanceof Error ? error.message : String(error));
    }
  };
  const ask = createAsking({ ...editor, cwd: () => cwd, keepRule });
  const agent = await options.open({ watch, ask, notice: editor.notice });
  const modes = modesFor(agent.mayBypass);
  const told = { mode: agent.mode, model: agent.model, commands: '' };
  const state = () => ({ modes: modeState(agent, modes), configOptions: configOptions(agent, modes) });

  /** What the turn or a command changed. */
  const tellChanges = () => {
    const { mode, model } = agent;
    if (mode === told.mode && model === told.model) return;
    if (mode !== told.mode) editor.send({ sessionUpdate: 'current_mode_update', currentModeId: mode });
    editor.send({ sessionUpdate: 'config_option_update', configOptions: configOptions(agent, modes) });
    Object.assign(told, { mode, model });
  };
  const tellCommands = () => {
    const availableCommands = commandsOf(agent);
    const text = JSON.stringify(availableCommands);
    if (text !== told.commands) editor.send({ sessionUpdate: 'available_commands_update', availableCommands });
    told.commands = text;
  };
  const tellInfo = (first: TurnPrompt['content']) => {
    const title = titleFrom(first);
    const updatedAt = new Date().toISOString();
    editor.send({ sessionUpdate: 'session_info_update', updatedAt, ...(title !== '' && { title }) });
  };
  const say = (text: string) => {
    const content = { type: 'text' as const, text: safeText(text) };
    if (text !== '') editor.send({ sessionUpdate: 'agent_message_chunk', content });
  };

  const turns = createTurns();
  let isClosed = false;
  let isWatched = false;
  const runTurn = async (prompt: TurnPrompt, signal: AbortSignal): Promise<TurnEnd> => {
    const end = await agent.turn(prompt, signal);
    if (end.costUSD > 0) tellUsage();
    // Said without a model: by a command of ours, or by a hook.
    if (end.rounds === 0 && !isError(end)) say(end.text);
    tellChanges();
    tellCommands();
    return end;
  };
  /** What is done in the background is told to the model when nothing else runs. */
  const tellRest = () => {
    if (!isClosed && agent.hasMore) void turns.run(tellBackground).catch(failedAlone);
  };
  const tellBackground = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const next = agent.unqueue();
      if (next === undefined) break;
      const end = await runTurn({ content: next.content, source: next.isNotice ? 'notice' : 'typed' }, signal);
      if (end.failure !== undefined) editor.notice(end.failure.message);
    }
    const done = signal.aborted || isClosed || isWatched ? undefined : agent.background();
    if (done === undefined) return;
    isWatched = true;
    void done.then(() => {
      isWatched = false;
      tellRest();
    });
  };
  const failedAlone = (error: unknown) => editor.notice(error instanceof Error ? error.message : String(error));

  return {
    get state() {
      return state();
    },
    prompt: (content, outer) =>
      turns.run(async (signal) => {
        if (signal.aborted || outer.aborted) return 'cancelled';
        outer.addEventListener('abort', turns.cancel, { once: true });
        const isFirst = options.isNew && !agent.isBegun;
        const end = await runTurn({ content, source: 'typed' }, signal).finally(() =>
          outer.removeEventListener('abort', turns.cancel),
        );
        tellInfo(isFirst ? content : '');
        // Who cancels does not want the next turn to begin by itself.
        if (!signal.aborted) tellRest();
        const words = TOLD.has(end.reason) ? failureWords(end, options.limits) : undefined;
        if (words !== undefined) say(words);
        return stopReason(end, signal);
      }),
    cancel: turns.cancel,
    setMode: (id) => {
      const mode = modes.find((each) => each === id);
      if (mode === undefined) throw RequestError.invalidParams({ modes }, `there is no mode "${id}" here`);
      agent.setMode(mode);
      tellChanges();
    },
    setModel: (id) => {
      if (id.trim() === '') throw RequestError.invalidParams(undefined, 'the model has no name');
      agent.setModel(id);
      tellChanges();
    },
    introduce: tellCommands,
    close: async () => {
      isClosed = true;
      turns.cancel();
      await turns.over();
      await agent.close();
    },
  };
}

const MOST_TITLE = 80;

/** What it is listed by: the beginning of the first prompt. */
function titleFrom(content: TurnPrompt['content']): string {
  const text = typeof content === 'string' ? content : (asString(content[0]?.text) ?? '');
  const line = safeLine(firstLine(text));
  return line.length > MOST_TITLE ? `${line.slice(0, MOST_TITLE - 1)}…` : line;
}
