/** What happens in an agent, as how far the call that started it is. */
import type { LoopEvent } from '../../agent/ports.ts';
import { asNumber, asObject, asString } from '../../format/json.ts';
import { mainArgument } from '../../views/toolview.ts';
import type { AgentWork, RunningCall, ScreenState } from './state.ts';

type AgentEvent = Extract<LoopEvent, { kind: 'agent' }>;

export function foldAgent(state: ScreenState, event: AgentEvent, now: number): ScreenState {
  const { id, agentType } = event;
  const work = (call: RunningCall): RunningCall => ({ ...call, agent: workOf(call.agent, agentType, event.event) });
  const update = (calls: readonly RunningCall[]) => calls.map((call) => (call.id === id ? work(call) : call));
  if (state.calls.some((call) => call.id === id)) return { ...state, calls: update(state.calls) };
  if (state.background.some((call) => call.id === id)) return { ...state, background: update(state.background) };
  const begun = { id, name: 'Agent', input: {}, began: now, tail: '', lines: 0 };
  return { ...state, background: [...state.background, work(begun)] };
}

function workOf(before: AgentWork | undefined, type: string, event: LoopEvent): AgentWork {
  const work = before ?? { type, calls: 0, tokens: 0, doing: '' };
  // An agent of the agent: what it does is what both do.
  if (event.kind === 'agent') return { ...workOf(work, event.agentType, event.event), type: work.type };
  if (event.kind === 'tool-start') {
    return { ...work, calls: work.calls + 1, doing: `${event.name} ${mainArgument(event.input)}`.trim() };
  }
  if (event.kind === 'model' && event.event.kind === 'delta' && event.event.what === 'text') {
    return { ...work, doing: 'writing its report' };
  }
  const message =
    event.kind === 'entry' && event.entry.type === 'assistant' ? asObject(event.entry.message) : undefined;
  if (message === undefined) return work;
  // Each block of an answer tells the counts of the whole (E4).
  const [id, ofMessage] = [asString(message.id) ?? '', asNumber(asObject(message.usage)?.output_tokens) ?? 0];
  const others = work.tokens - (work.message?.id === id ? work.message.tokens : 0);
  return { ...work, tokens: others + ofMessage, message: { id, tokens: ofMessage } };
}
