/** Events into what the screen shows. Pure: the same events give the same screen. */
import { tokensUsed } from '../../agent/model/used.ts';
import type { LoopEvent, ModelEvent } from '../../agent/ports.ts';
import { wordsOf as promptText } from '../../agent/transcript/prompts.ts';
import { asArray, asNumber, asObject, asString, isObject, type JsonObject } from '../../format/json.ts';
import { toToolResult } from '../../graph/toolresults/read.ts';
import { foldAgent } from './foldagent.ts';
import { cutMarkdown } from './split.ts';
import { emptyState, type Piece, type ScreenEvent, type ScreenState } from './state.ts';

export interface Folded {
  readonly state: ScreenState;
  readonly pieces: readonly Piece[];
}

export function fold(state: ScreenState, event: ScreenEvent, now: number): Folded {
  switch (event.kind) {
    case 'began':
      return began(state, event, now);
    case 'ended':
      return ended(state, event);
    case 'queued':
      return only({ ...state, queue: [...state.queue, event.text] });
    case 'taken-back':
      return only({ ...state, queue: state.queue.slice(0, -1) });
    case 'dequeued':
      return only({ ...state, queue: state.queue.slice(1) });
    case 'session':
      return only({ ...emptyState(), context: event.context, costUSD: event.costUSD });
    default:
      return foldLoop(state, event, now);
  }
}

function foldLoop(state: ScreenState, event: LoopEvent, now: number): Folded {
  switch (event.kind) {
    case 'model':
      return foldModel(state, event.event, now);
    case 'entry':
      return foldEntry(state, event.entry);
    case 'agent':
      return only(foldAgent(state, event, now));
    case 'agent-end':
      return only({ ...state, background: state.background.filter(({ id }) => id !== event.id) });
    case 'compacting':
      return only({ ...state, activity: 'Summarizing the conversation' });
    case 'compacted':
      if (event.error === undefined) return only({ ...state, activity: 'Working' });
      return { state, pieces: [note('warn', `Nothing was summarized: ${event.error}`)] };
    case 'tool-start': {
      const { id, name, input } = event;
      const call = { id, name, input, began: now, tail: '', lines: 0 };
      return only({ ...state, activity: 'Working', calls: [...state.calls.filter((each) => each.id !== id), call] });
    }
    case 'tool-progress':
      return only(progressed(state, event));
    case 'tool-end':
      return toolEnded(state, event, now);
    case 'denied': {
      const { id, name, input, message } = event;
      return {
        state: { ...state, denied: new Set([...state.denied, id]) },
        pieces: [{ kind: 'denied', name, input, message }],
      };
    }
    default:
      // What later versions tell of is not ours to show.
      return only(state);
  }
}

function only(state: ScreenState): Folded {
  return { state, pieces: [] };
}

function note(tone: 'dim' | 'warn' | 'bad', text: string): Piece {
  return { kind: 'note', tone, text };
}

function began(state: ScreenState, event: Extract<ScreenEvent, { kind: 'began' }>, now: number): Folded {
  const fresh: ScreenState = { ...state, since: now, activity: 'Waiting for the model', came: 0, answer: '' };
  if (event.isNotice) return noticed(fresh, event.prompt);
  return { state: fresh, pieces: [{ kind: 'prompt', text: event.prompt }] };
}

/** Something in the background is done. `<summary>` is what a person wants to know of it. */
function noticed(state: ScreenState, prompt: string): Folded {
  const inTag = (name: string) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(prompt)?.[1];
  const id = inTag('tool-use-id');
  const background = state.background.filter((call) => call.id !== id);
  const words = inTag('summary') ?? 'Something in the background is done.';
  return { state: { ...state, background }, pieces: [note('dim', words)] };
}

/** What was being written stays as far as it came; what ran is not shown as running any more. */
function ended(state: ScreenState, event: Extract<ScreenEvent, { kind: 'ended' }>): Folded {
  const { state: after, pieces } = finishAnswer(state);
  const over: ScreenState = {
    ...after,
    since: undefined,
    activity: '',
    thinking: undefined,
    calls: [],
    denied: new Set(),
    costUSD: state.costUSD + event.costUSD,
  };
  return { state: over, pieces: event.isInterrupted ? [...pieces, note('warn', 'Interrupted.')] : pieces };
}

function foldModel(state: ScreenState, event: ModelEvent, now: number): Folded {
  switch (event.kind) {
    case 'start':
      return only({ ...state, activity: 'Waiting for the model' });
    case 'delta':
      return foldDelta(state, event, now);
    case 'block':
      return foldBlock(state, event.block, now);
    case 'retry': {
      // What came of this answer belongs to none.
      const seconds = Math.max(1, Math.round(event.delayMs / 1000));
      const words = `${event.failure.message}; again in ${seconds} s (${event.attempt} of ${event.maxRetries})`;
      return { state: { ...state, answer: '', thinking: undefined }, pieces: [note('warn', words)] };
    }
    case 'fallback':
      return { state, pieces: [note('warn', `${event.from} is overloaded; ${event.to} is asked.`)] };
    default:
      return only(state);
  }
}

function foldDelta(state: ScreenState, event: Extract<ModelEvent, { kind: 'delta' }>, now: number): Folded {
  const came = state.came + event.text.length;
  if (event.what === 'input') return only({ ...state, came, activity: 'Preparing a call' });
  if (event.what === 'thinking') {
    const { text, since } = state.thinking ?? { text: '', since: now };
    return only({ ...state, came, activity: 'Thinking', thinking: { text: text + event.text, since } });
  }
  const answer = state.answer + event.text;
  const next = { ...state, came, activity: 'Writing', answer };
  if (!event.text.includes('\n')) return only(next);
  const { done, goesOn, rest } = cutMarkdown(answer);
  if (done === '') return only(next);
  return { state: { ...next, answer: rest }, pieces: [{ kind: 'answer', text: done, goesOn }] };
}

function foldBlock(state: ScreenState, block: JsonObject, now: number): Folded {
  if (block.type === 'text') return finishAnswer(state);
  if (block.type !== 'thinking') return only(state);
  const text = state.thinking?.text || (asString(block.thinking) ?? '');
  const ms = now - (state.thinking?.since ?? now);
  const after = { ...state, thinking: undefined };
  return text.trim() === '' ? only(after) : { state: after, pieces: [{ kind: 'thought', text, ms }] };
}

function finishAnswer(state: ScreenState): Folded {
  const text = state.answer;
  const pieces: Piece[] = text.trim() === '' ? [] : [{ kind: 'answer', text, goesOn: false }];
  return { state: { ...state, answer: '' }, pieces };
}

function foldEntry(state: ScreenState, entry: JsonObject): Folded {
  if (entry.type === 'assistant') {
    const context = tokensUsed(asObject(asObject(entry.message)?.usage));
    return only(context > 0 ? { ...state, context } : state);
  }
  if (entry.subtype === 'compact_boundary') {
    const facts = asObject(entry.compactMetadata);
    const [before, after] = [asNumber(facts?.preTokens) ?? 0, asNumber(facts?.postTokens) ?? 0];
    return { state: { ...state, context: after }, pieces: [{ kind: 'compacted', before, after }] };
  }
  const attachment = asObject(entry.attachment);
  if (attachment?.type !== 'queued_command') return only(state);
  const { prompt: told } = attachment;
  const prompt = promptText(asString(told) ?? asArray(told)?.filter(isObject) ?? '');
  if (attachment.commandMode === 'task-notification') return noticed(state, prompt);
  const at = state.queue.indexOf(prompt);
  return {
    state: { ...state, queue: at < 0 ? state.queue : state.queue.toSpliced(at, 1) },
    pieces: [{ kind: 'prompt', text: prompt }],
  };
}

function progressed(state: ScreenState, { id, data }: Extract<LoopEvent, { kind: 'tool-progress' }>): ScreenState {
  const tail = asString(data.output);
  if (tail === undefined) return state;
  const lines = asNumber(data.totalLines) ?? 0;
  return { ...state, calls: state.calls.map((call) => (call.id === id ? { ...call, tail, lines } : call)) };
}

function toolEnded(state: ScreenState, event: Extract<LoopEvent, { kind: 'tool-end' }>, now: number): Folded {
  const { id, name, outcome } = event;
  const call = state.calls.find((each) => each.id === id);
  const denied = new Set(state.denied);
  const wasDenied = denied.delete(id);
  const result = toToolResult(name, outcome.result);
  const after: ScreenState = {
    ...state,
    denied,
    activity: 'Waiting for the model',
    calls: state.calls.filter((each) => each.id !== id),
    // An agent that works on in the background.
    background:
      call?.agent !== undefined && asObject(outcome.result)?.isAsync === true
        ? [...state.background, call]
        : state.background,
    todos: result.kind === 'todo' ? result.newTodos : state.todos,
  };
  if (wasDenied) return only(after);
  const ms = now - (call?.began ?? now);
  const agent = call?.agent === undefined ? {} : { agent: call.agent };
  return { state: after, pieces: [{ kind: 'call', name, input: call?.input ?? {}, outcome, ms, ...agent }] };
}
