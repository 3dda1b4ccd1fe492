/**
 * The control of a turn: prompt → request → answer → tools → request …, until the model is done or somebody says so. Acts only
 * through its parts. However it ends, the transcript holds a history that the API accepts.
 */
import { DiskError } from '../disk/errors.ts';
import { wordsAsked } from './compact/asked.ts';
import { afterOverflow, makeRoom } from './compact/room.ts';
import type { ApiFailure, LoopParts, ModelRequest, ToolDefinition, TurnEnd, TurnPrompt } from './ports.ts';
import type { Tool } from './tools/tool.ts';
import { type Answer, readAnswer } from './turn/answer.ts';
import { answerCalls, rejectCalls, runCalls } from './turn/calls.ts';
import { wholeCost } from './turn/tally.ts';
import { beginTurn, runHooks, type Turn, writeFollow, writeHooks, wrote } from './turn/turn.ts';
import {
  CALL_CUT_OFF,
  CUT_OFF,
  mustEndWith,
  NOTHING_SAID,
  noPrice,
  OVER_WINDOW,
  refusal,
  tooLong,
  unfit,
} from './turn/words.ts';

export type { LoopParts, TurnPrompt } from './ports.ts';

type Ending = Pick<TurnEnd, 'reason' | 'failure'>;
/** What comes after an answer: the turn ends, or the model is asked again. */
type Next = Ending | 'again';

/** Never throws: what goes wrong is how the turn ended. */
export async function runTurn(parts: LoopParts, prompt: TurnPrompt, signal: AbortSignal): Promise<TurnEnd> {
  const clock = parts.now ?? (() => performance.now());
  const began = clock();
  const turn = beginTurn(parts, signal);
  let ending: Ending;
  try {
    ending = (await openTurn(turn, prompt)) ?? (await converse(turn));
  } catch (error) {
    ending = { reason: 'failed', failure: failureOf(error) };
  }
  const durationMs = Math.round(clock() - began);
  ending = closeTurn(turn, durationMs) ?? ending;
  const { rounds, apiMs, costUSD, usage } = turn.tally;
  const text = turn.stopped ?? turn.text;
  const { output, denials } = turn;
  const spent = { rounds, durationMs, apiMs: Math.round(apiMs), costUSD, usage };
  return { ...ending, text, ...spent, denials, ...(output !== undefined && { output }) };
}

/** The prompt is on the disk before anything is asked. */
async function openTurn(turn: Turn, prompt: TurnPrompt): Promise<Ending | undefined> {
  const { content, source, typed } = prompt;
  const words = typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n');
  if (words.trim() === '' && (typeof content === 'string' || content.every(({ type }) => type === 'text'))) {
    return { reason: 'failed', failure: { type: 'empty_prompt', message: 'The prompt is empty: nothing was sent.' } };
  }
  turn.transcript.nextPrompt();
  const hook = await runHooks(turn, 'UserPromptSubmit', { prompt: typed ?? words });
  if (hook.block === undefined) {
    turn.isBegun = true;
    const { uuid } = prompt;
    const given = { ...(typed !== undefined && { typed }), ...(uuid !== undefined && { uuid }) };
    const entry = wrote(turn, turn.transcript.prompt(content, { source, permissionMode: turn.gate.mode, ...given }));
    turn.asked.words.push(wordsAsked(prompt));
    turn.asked.uuids.push(String(entry.uuid));
    writeFollow(turn, prompt.follow);
  }
  writeHooks(turn, 'UserPromptSubmit', hook);
  turn.stopped ??= hook.block;
  return turn.stopped === undefined ? undefined : { reason: 'stopped' };
}

interface Progress {
  /** How often the model was told to go on after its output was cut. */
  continued: number;
  /** An answer without a word was asked for again. */
  nudged: boolean;
  /** A Stop hook sent it back to work. */
  stopHookActive: boolean;
  /** It was told that it has to end with a certain tool. */
  isReminded: boolean;
}

/** Cut answers in a row that the model may finish, as in the published client. */
const MOST_CONTINUED = 3;

async function converse(turn: Turn): Promise<Ending> {
  const progress: Progress = { continued: 0, nudged: false, stopHookActive: false, isReminded: false };
  for (;;) {
    const limit = limitReached(turn);
    if (limit !== undefined) return limit;
    const request = requestOf(turn);
    if ('reason' in request) return request;
    if (await makeRoom(turn, request)) continue;
    const answer = await readAnswer(turn, request);
    const next = await afterAnswer(turn, answer, progress);
    if (next !== 'again') return next;
  }
}

function limitReached(turn: Turn): Ending | undefined {
  const { limits = {}, tally, signal, transcript, emit } = turn;
  const { maxTurns, maxBudgetUSD, spentUSD = 0 } = limits;
  if (signal.aborted) {
    wrote({ emit }, transcript.interrupted('answer'));
    return { reason: 'interrupted' };
  }
  if (maxTurns !== undefined && tally.rounds >= maxTurns) return { reason: 'max_turns' };
  if (maxBudgetUSD !== undefined && spentUSD + wholeCost(tally) >= maxBudgetUSD) return { reason: 'budget' };
  // Going on would spend without a limit.
  if (maxBudgetUSD !== undefined && tally.unpriced !== undefined) return fail(turn, noPrice(tally.unpriced));
  return undefined;
}

/** Nothing is sent that the API would refuse. */
function requestOf(turn: Turn): ModelRequest | Ending {
  const { model, system, maxTokens, thinking } = turn.ask;
  const messages = turn.transcript.messages(model);
  const { issues, mayThink } = turn.check(messages);
  const [issue] = issues;
  if (issue !== undefined) return fail(turn, unfit(issue, turn.transcript.sessionId));
  const tools = definitionsOf(turn.tools);
  const thinks = thinking !== undefined && mayThink();
  return { model, messages, system, tools, maxTokens, ...(thinks && { thinking }), signal: turn.signal };
}

/** Made once for a set of tools: a prefix that never changes is cached. Servers may add to the set, or take from it. */
const definitions = new WeakMap<
  LoopParts['tools'],
  { readonly of: readonly Tool[]; readonly made: ToolDefinition[] }
>();

function definitionsOf(tools: LoopParts['tools']): readonly ToolDefinition[] {
  const now = [...tools.values()];
  const known = definitions.get(tools);
  if (known?.of.length === now.length && known.of.every((tool, i) => tool === now[i])) return known.made;
  const made = now.map((tool) => tool.definition());
  definitions.set(tools, { of: now, made });
  return made;
}

async function afterAnswer(turn: Turn, answer: Answer, progress: Progress): Promise<Next> {
  if (answer.kind === 'failed') {
    if (answer.failure.tooLong && (await afterOverflow(turn))) return 'again';
    return fail(turn, answer.failure);
  }
  if (answer.kind === 'aborted') {
    rejectCalls(turn, answer.calls);
    wrote(turn, turn.transcript.interrupted(answer.calls.length > 0 ? 'tool' : 'answer'));
    return { reason: 'interrupted' };
  }
  switch (answer.stopReason) {
    case 'max_tokens':
      return afterCut(turn, answer, progress);
    case 'model_context_window_exceeded':
      answerCalls(turn, answer.calls, CALL_CUT_OFF);
      return (await afterOverflow(turn)) ? 'again' : fail(turn, tooLong(OVER_WINDOW));
    case 'refusal':
      answerCalls(turn, answer.calls, 'The answer was refused; this call was not run.');
      return { ...fail(turn, refusal(turn.ask.model)), reason: 'refusal' };
    case 'pause_turn':
      // The server's tools take more time: the same conversation is sent again and goes on.
      if (answer.calls.length > 0) return afterCalls(turn, answer.calls);
      return answer.blocks === 0 ? afterNothing(turn, progress) : 'again';
    default:
      if (answer.calls.length > 0) return afterCalls(turn, answer.calls);
      return answer.blocks === 0 ? afterNothing(turn, progress) : afterEnd(turn, progress);
  }
}

type Whole = Extract<Answer, { kind: 'answer' }>;

/** The last call may lack its end: it is not run. */
async function afterCut(turn: Turn, { calls }: Whole, progress: Progress): Promise<Next> {
  if (calls.length > 0) {
    answerCalls(turn, calls.slice(-1), CALL_CUT_OFF);
    return afterCalls(turn, calls.slice(0, -1));
  }
  progress.continued += 1;
  if (progress.continued > MOST_CONTINUED) {
    return {
      ...fail(turn, tooLong(`The answer is longer than ${turn.ask.maxTokens} tokens.`, false)),
      reason: 'max_tokens',
    };
  }
  tell(turn, CUT_OFF);
  return 'again';
}

async function afterCalls(turn: Turn, calls: Whole['calls']): Promise<Next> {
  const how = await runCalls(turn, calls);
  if (how === 'interrupted') {
    wrote(turn, turn.transcript.interrupted('tool'));
    return { reason: 'interrupted' };
  }
  for (const message of turn.queue?.take() ?? []) {
    turn.asked.words.push(wordsAsked(message));
    wrote(turn, turn.transcript.queued(message));
  }
  return turn.stopped === undefined ? 'again' : { reason: 'stopped' };
}

async function afterNothing(turn: Turn, progress: Progress): Promise<Next> {
  if (progress.nudged) return { reason: 'end_turn' };
  progress.nudged = true;
  tell(turn, NOTHING_SAID);
  return 'again';
}

/** The model is done, unless something was typed meanwhile or a hook objects. */
async function afterEnd(turn: Turn, progress: Progress): Promise<Next> {
  if (turn.endsWith !== undefined && !progress.isReminded && !turn.signal.aborted) {
    progress.isReminded = true;
    tell(turn, mustEndWith(turn.endsWith));
    return 'again';
  }
  const fields = { stop_hook_active: progress.stopHookActive, last_assistant_message: turn.text };
  const hook = await runHooks(turn, 'Stop', fields);
  const isDone = hook.block === undefined || turn.stopped !== undefined || turn.signal.aborted;
  if (!isDone) tell(turn, `Stop hook feedback:\n${hook.block}`);
  writeHooks(turn, 'Stop', hook);
  if (isDone) return { reason: 'end_turn' };
  progress.stopHookActive = true;
  return 'again';
}

/** Words of ours to the model, within the turn. */
function tell(turn: Turn, words: string): void {
  const options = { source: 'sdk', permissionMode: turn.gate.mode, isMeta: true } as const;
  wrote(turn, turn.transcript.prompt(words, options));
}

/** A failure is told in the transcript too, where both clients show it and neither sends it (E13). */
function fail(turn: Turn, failure: ApiFailure): Ending {
  wrote(turn, turn.transcript.apiError(failure));
  return { reason: 'failed', failure };
}

/** A turn that failed for the disk cannot be closed on it either. */
function closeTurn(turn: Turn, durationMs: number): Ending | undefined {
  const { apiMs, costUSD, usage, unpriced } = turn.tally;
  if (!turn.isBegun) return undefined;
  try {
    const isUnpriced = unpriced !== undefined;
    turn.transcript.endTurn({ durationMs, apiMs: Math.round(apiMs), costUSD, isUnpriced, usage });
    return undefined;
  } catch (error) {
    return { reason: 'failed', failure: failureOf(error) };
  }
}

export function failureOf(error: unknown): ApiFailure {
  const type = error instanceof DiskError ? 'disk_error' : 'internal_error';
  return { type, message: error instanceof Error ? error.message : String(error) };
}
