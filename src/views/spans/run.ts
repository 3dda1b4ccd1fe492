/** The work of one agent as spans (T5): itself, a generation for each API message, a tool for each call, sub-agents below theirs. */
import type { Entry } from '../../format/entry.ts';
import { type InputKind, inputKind } from '../../format/prompt.ts';
import type { Usage } from '../../format/usage.ts';
import { isClosing } from '../../graph/parts.ts';
import type { Message, ToolCall, Turn } from '../../graph/types.ts';
import { isIncomplete } from '../../graph/usage/fold.ts';
import { agentFacts, workOf } from './agents.ts';
import { createClock, usableTime } from './clock.ts';
import { isInjected } from './content.ts';
import { costIn } from './cost.ts';
import { happeningsIn } from './events.ts';
import { callKey, messageKey } from './ids.ts';
import { levelOfCall, levelOfMessage, levelOfTurns } from './levels.ts';
import { type Scene, spanOf } from './scene.ts';
import type { AgentFacts, Content, EventFacts, Span } from './types.ts';

/** The session's own agent, or one that a call started. */
export interface Run {
  /** The way to it through calls. */
  readonly key: string;
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly parent: string | null;
  /** null for the session's own. */
  readonly agent: AgentFacts | null;
  /** The turn before the first. */
  readonly previous?: Turn;
  /** When it began, where nothing in it has a time. */
  readonly otherwise?: number;
}

/** The agent and its clock, for what lies below it. */
interface Level {
  readonly scene: Scene;
  readonly run: Run;
  readonly root: Span;
  readonly clock: (entry: Entry | undefined) => number | undefined;
}

export function agentSpans(scene: Scene, run: Run): Span[] {
  const { contents } = scene;
  const { turns } = run;
  const [first] = turns;
  const clock = createClock(turns.flatMap(({ entries }) => entries));
  const startMs = usableTime(first?.started) ?? clock(first?.entries[0]) ?? run.otherwise;
  if (first === undefined || startMs === undefined) return [];
  const root = spanOf(scene, run.parent, {
    spanId: scene.idOf('agent', run.key),
    kind: 'agent',
    name: run.name,
    startMs,
    endMs: turns.reduce((latest, { ended }) => Math.max(latest, usableTime(ended) ?? latest), startMs),
    ...levelOfTurns(turns, contents),
    facts: {
      agent: run.agent,
      lines: linesIn(turns, run.agent !== null),
      input: contents.prompt(first),
      output: contents.answer(turns),
    },
  });
  const level: Level = { scene, run, root, clock };
  return [root, ...turns.flatMap((turn, place) => turnSpans(turn, turns[place - 1] ?? run.previous, level))];
}

/** Kinds of input that make the work go on. */
const TELLING = new Set<InputKind>(['tool_result', 'bash_output', 'command_output', 'interrupt', 'task_notification']);

function linesIn(turns: readonly Turn[], isAgent: boolean): number {
  const lines = new Set<string | Entry>();
  for (const entry of turns.flatMap(({ entries }) => entries)) {
    if (entry.head.isSidechain && !isAgent) continue;
    const tells = entry.kind === 'assistant' ? !isClosing(entry) : TELLING.has(inputKind(entry));
    if (tells) lines.add(entry.head.uuid ?? entry);
  }
  return lines.size;
}

function turnSpans(turn: Turn, previous: Turn | undefined, level: Level): Span[] {
  const { contents } = level.scene;
  const spans: Span[] = [];
  const generations = new Map<Entry, Span>();
  const calls = Map.groupBy(turn.toolCalls, ({ use }) => use);
  const spoken = turn.messages.filter((message) => !message.synthetic && !message.isApiError && !isInjected(message));
  for (const [index, message] of spoken.entries()) {
    const own = message.entries.flatMap((entry) => calls.get(entry) ?? []);
    const span = generationSpan(message, index === 0 ? contents.prompt(turn) : null, own.length, level);
    for (const entry of message.entries) generations.set(entry, span);
    spans.push(span);
  }
  const turnEnd = usableTime(turn.ended) ?? level.root.endMs;
  for (const call of turn.toolCalls) {
    // A message that began in the turn before can make calls in this one.
    const parent = generations.get(call.use) ?? level.root;
    for (const span of callSpans(call, parent, turnEnd, level)) spans.push(span);
  }
  return [...spans, ...eventSpans(turn, previous, level)];
}

function generationSpan(message: Message, input: Content | null, toolCount: number, level: Level): Span {
  const { scene, run, root, clock } = level;
  const { usage } = message;
  const named = (text: string | undefined) => (text === undefined ? undefined : scene.contents.name(text));
  const [model = null, stopReason = null] = [named(message.model || undefined), named(message.stopReason)];
  const { pricing } = scene.options;
  const startMs = usableTime(message.started) ?? clock(message.entries[0]) ?? root.startMs;
  return spanOf(scene, root.spanId, {
    spanId: scene.idOf('message', `${run.key} ${messageKey(message)}`),
    kind: 'generation',
    name: model ?? 'generation',
    startMs,
    endMs: usableTime(message.ended) ?? clock(message.entries.at(-1)) ?? startMs,
    ...levelOfMessage(message),
    facts: {
      agent: run.agent,
      input,
      output: scene.contents.message(message),
      generation: {
        model,
        messageId: message.id ?? null,
        requestId: message.requestId ?? null,
        stopReason,
        toolCount,
        usage: usage === undefined ? null : withNames(usage, named),
        incomplete: usage !== undefined && isIncomplete({ ended: stopReason !== null, usage }),
        cost: pricing === undefined ? null : costIn(message, pricing),
      },
    },
  });
}

/** Words of the transcript stand among the counts, too. */
function withNames(usage: Usage, named: (text: string | undefined) => string | undefined): Usage {
  const { serviceTier, speed, inferenceGeo } = usage;
  return { ...usage, serviceTier: named(serviceTier), speed: named(speed), inferenceGeo: named(inferenceGeo) };
}

function callSpans(call: ToolCall, parent: Span, turnEnd: number, level: Level): Span[] {
  const { scene, run, root, clock } = level;
  const { contents, options } = scene;
  const { id, status, result } = call;
  const name = contents.name(call.name);
  const startMs = usableTime(call.started) ?? clock(call.use) ?? root.startMs;
  const key = `${run.key} ${callKey(call)}`;
  const span = spanOf(scene, parent.spanId, {
    spanId: scene.idOf('call', key),
    kind: 'tool',
    name: name === '' ? 'tool' : name,
    startMs,
    endMs: endOfCall(call, turnEnd, clock) ?? startMs,
    ...levelOfCall(call, contents, options),
    facts: {
      agent: run.agent,
      lines: result === undefined ? 0 : 1,
      input: contents.input(call),
      output: contents.output(call),
      tool: { id, name, status, durationMs: result?.head.result?.durationMs ?? null },
    },
  });
  const agent = options.agentOf?.(call);
  const turns = agent && workOf(agent, call, options);
  if (agent === undefined || turns === undefined) return [span];
  const facts = agentFacts(agent, (run.agent?.depth ?? 0) + 1, contents);
  const started = { key, name: facts.type ?? 'agent', turns, parent: span.spanId, agent: facts, otherwise: startMs };
  return [span, ...agentSpans(scene, started)];
}

/** What has no result ran until the turn was over. What was cut off may get one from the client only when it resumes (R13). */
function endOfCall({ result, ended }: ToolCall, turnEnd: number, clock: Level['clock']): number | undefined {
  if (result === undefined) return turnEnd;
  const end = usableTime(ended) ?? clock(result);
  return end !== undefined && result.head.toolDenialKind === 'interrupted' ? Math.min(end, turnEnd) : end;
}

function eventSpans(turn: Turn, previous: Turn | undefined, { scene, run, root, clock }: Level): Span[] {
  const isOwn = ({ head }: Entry) => run.agent !== null || !head.isSidechain;
  return happeningsIn(turn, previous, isOwn, scene.contents).map(({ key, entry, facts, ...what }) => {
    const time = usableTime(entry?.head.timestamp) ?? clock(entry) ?? root.startMs;
    return spanOf(scene, root.spanId, {
      ...what,
      spanId: scene.idOf('event', `${run.key} ${key}`),
      kind: 'event',
      startMs: Math.max(time, root.startMs),
      endMs: time,
      facts: { agent: run.agent, event: time < root.startMs ? withTime(facts, time) : facts },
    });
  });
}

/** What came between two turns belongs to the second and lies at its start: when it was is told. */
function withTime(facts: EventFacts, time: number): EventFacts {
  return { ...facts, details: { ...facts.details, written_at: new Date(time).toISOString() } };
}
