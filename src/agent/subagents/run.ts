/** Runs an agent: a turn of the same loop, with a transcript, tools and words of its own. */
import { asArray, asObject, isObject, type JsonObject } from '../../format/json.ts';
import { runTurn } from '../loop.ts';
import type { AgentTask, Gate, Hooks, LoopEvent, LoopParts, Model, TurnEnd, TurnPrompt } from '../ports.ts';
import { createFileMemory } from '../tools/files/memory.ts';
import type { Tool, ToolSession } from '../tools/tool.ts';
import { messageText } from '../transcript/prompts.ts';
import type { OwnTranscript } from '../transcript/transcript.ts';
import { createTally, type Tally } from '../turn/tally.ts';
import { type AgentMeta, agentTranscript, newAgentId, writeFinished, writeMeta } from './files.ts';
import { agentHooks } from './hooks.ts';
import type { AgentType } from './types.ts';

/** What agents have of the session they work in. */
export interface AgentHost {
  readonly model: Model;
  readonly transcript: OwnTranscript;
  readonly version: string;
  /** As it is in this turn. */
  readonly gate: () => Gate;
  readonly hooks?: Hooks | undefined;
  readonly limits: () => NonNullable<LoopParts['limits']>;
  readonly linesAfter?: LoopParts['linesAfter'];
  readonly compactAt: () => LoopParts['compactAt'];
  /** How to ask, with these words instead of the session's own. */
  readonly askFor: (model: string, prompt: string, hasSkills: boolean) => LoopParts['ask'];
  readonly emit: (event: LoopEvent) => void;
}

export interface Launch {
  readonly type: AgentType;
  readonly model: string;
  readonly description: string;
  readonly prompt: string;
  /** The call that started it. */
  readonly toolUseId: string;
  /** It goes on with what it did before, for another call. */
  readonly again?: { readonly agentId: string; readonly callId: string };
  /** 1 for those that the session itself starts. */
  readonly depth: number;
  readonly parentAgentId?: string | undefined;
  /** Those it has; it is told its own id. */
  readonly tools: (agentId: string) => ReadonlyMap<string, Tool>;
  /** Of whoever calls it. */
  readonly session: ToolSession;
  readonly within?: Tally | undefined;
  /** What it is told while it works. */
  readonly queue?: LoopParts['queue'];
  readonly signal: AbortSignal;
}

export interface Started {
  readonly agentId: string;
  readonly file: string;
  readonly ended: Promise<Ran>;
}

export interface Ran {
  readonly agentId: string;
  readonly end: TurnEnd;
  readonly tally: Tally;
  readonly toolUses: number;
  /** Of its last answer, as the client tells it. */
  readonly usage: JsonObject;
}

/** Transcripts of agents that work now, for whoever: two at once would write into each other's. */
const working = new Set<string>();

export function isWorking(file: string): boolean {
  return working.has(file);
}

/** Throws DiskError when it cannot even begin; what happens later is how it ended. */
export function startAgent(host: AgentHost, launch: Launch): Started {
  const { type, toolUseId, again, queue } = launch;
  const agentId = again?.agentId ?? newAgentId();
  const session = sessionOf(launch);
  const { version } = host;
  const opened = agentTranscript({ agentId, session: host.transcript, cwd: () => session.cwd, version });
  const { transcript } = opened;
  const { file } = transcript;
  const meta: AgentMeta = {
    agentType: type.name,
    isBuiltIn: type.isBuiltIn,
    description: launch.description,
    toolUseId,
    spawnDepth: launch.depth,
    ...(launch.parentAgentId !== undefined && { parentAgentId: launch.parentAgentId }),
  };
  if (again === undefined) writeMeta(file, agentId, meta);
  const tally = createTally(launch.within);
  const seen: Seen = { toolUses: 0, usage: {} };
  const { description, depth } = launch;
  const isBackground = queue !== undefined;
  const who = { agentId, agentType: type.name, description, depth, isBackground };
  const task: AgentTask = { id: toolUseId, ...(again && { callId: again.callId }), ...who };
  const { hooks, linesAfter } = host;
  const tools = launch.tools(agentId);
  const compactAt = host.compactAt();
  const parts: LoopParts = {
    model: host.model,
    transcript,
    tools,
    gate: gateOf(host, type, agentId, session),
    ...(hooks && { hooks: agentHooks(hooks, { id: agentId, type: type.name, file }) }),
    session,
    ask: host.askFor(opened.model ?? launch.model, type.prompt, tools.has('Skill')),
    limits: host.limits(),
    ...(compactAt && { compactAt }),
    ...(queue && { queue }),
    within: tally,
    // They are about the session.
    linesAfter: (...call) => {
      for (const line of linesAfter?.(...call) ?? []) host.transcript.line(line);
      return [];
    },
    emit: (event) => {
      note(seen, event);
      host.emit({ kind: 'agent', ...task, event });
    },
  };
  const run = async (): Promise<Ran> => {
    const { prompt: content } = launch;
    const prompt: TurnPrompt =
      again === undefined ? { content, source: 'sdk' } : { content: messageText(content), source: 'message' };
    const end = await runTurn(parts, prompt, launch.signal);
    writeFinished(file, agentId, meta);
    host.emit({ kind: 'agent-end', ...task, end, ...seen, file });
    return { agentId, end, tally, ...seen };
  };
  host.emit({ kind: 'agent-start', ...task, prompt: launch.prompt });
  working.add(file);
  return { agentId, file, ended: run().finally(() => working.delete(file)) };
}

/** It goes its own ways and has read nothing yet; what it changes can be brought back with the call that started it. */
function sessionOf({ session, toolUseId, again }: Launch): ToolSession {
  return {
    ...session,
    files: createFileMemory(),
    todos: [],
    backup: (path) => session.backup(path, again?.callId ?? toolUseId),
  };
}

/** The same rules and the same person to ask. */
function gateOf({ gate }: AgentHost, { name, isReadOnly }: AgentType, id: string, session: ToolSession): Gate {
  const now = gate();
  return {
    get mode() {
      return now.mode;
    },
    decide: (asked) => now.decide({ ...asked, agent: { id, type: name, cwd: session.cwd, isReadOnly } }),
  };
}

interface Seen {
  toolUses: number;
  usage: JsonObject;
}

function note(seen: Seen, event: LoopEvent): void {
  if (event.kind !== 'entry' || event.entry.type !== 'assistant') return;
  const message = asObject(event.entry.message);
  if (message?.model === '<synthetic>') return;
  seen.usage = asObject(message?.usage) ?? seen.usage;
  const blocks = asArray(message?.content)?.filter(isObject) ?? [];
  seen.toolUses += blocks.filter(({ type }) => type === 'tool_use').length;
}
