/** Sub-agents: a transcript and a `.meta.json` of their own below the session (L3), the report in the parent's result. */
import type { Json, JsonObject } from '../../src/format/json.ts';
import { createIds } from './ids.ts';
import { createRequests } from './requests.ts';
import { attachSurroundings } from './surroundings.ts';
import { hear, type Outcome, type Running, reply, startTurn, type ToolCall, turnPosition } from './talk.ts';
import { BY_MODE } from './tools.ts';
import { createMeter, totalOf, type Usage } from './usage.ts';
import { append, appendBare, iso, save, transcriptPath, userEntry, type Writer } from './writer.ts';

export interface AgentTask {
  readonly type: string;
  readonly model: string;
  readonly description: string;
  readonly prompt: string;
  /** What it does before its report. */
  work(agent: Writer): void;
  readonly report: string;
}

interface Finished {
  readonly agent: Writer;
  readonly id: string;
  readonly task: AgentTask;
  readonly usage: Usage;
  readonly durationMs: number;
  readonly toolUses: number;
}

/** A call that waits for the agent's report. */
export function agent(task: AgentTask): ToolCall {
  const input = { description: task.description, subagent_type: task.type, prompt: task.prompt };
  return { name: 'Agent', input, run: (running) => outcomeOf(runAgent(task, running, 'foreground')) };
}

/** A call that only starts the agent; `hearFrom` brings its report later. */
export function backgroundAgent(task: AgentTask): ToolCall & { hearFrom(w: Writer): void } {
  const input = { description: task.description, subagent_type: task.type, prompt: task.prompt };
  let started: { finished: Finished; toolUseId: string } | undefined;
  return {
    name: 'Agent',
    input: { ...input, run_in_background: true },
    run: (running) => {
      const finished = runAgent(task, running, 'background');
      started = { finished, toolUseId: running.toolUseId };
      return launched(running.w, finished);
    },
    hearFrom: (w) => {
      if (started) notify(w, started.finished, started.toolUseId);
    },
  };
}

function runAgent(task: AgentTask, { w, toolUseId, start }: Running, shape: string): Finished {
  const id = w.ids.agent();
  const depth = (w.agent?.depth ?? 0) + 1;
  const child = createAgent(w, task, id, depth, start);
  userEntry(child, task.prompt);
  hear(child, task.prompt);
  attachSurroundings(child);
  task.work(child);
  const before = child.meter.context;
  reply(child, task.report);
  save(child);
  const output = child.meter.context - before;
  const usage = {
    input: 4,
    cacheCreation: before - child.meter.cached,
    cacheRead: child.meter.cached,
    output,
    thinking: 0,
  };
  const meta: JsonObject = { agentType: task.type, isBuiltIn: true, launchedWithDefaults: true };
  meta.description = task.description;
  meta.toolUseId = toolUseId;
  meta.spawnDepth = depth;
  if (w.agent) meta.parentAgentId = w.agent.id;
  meta.requestShape = shape;
  meta.requestNonInteractive = false;
  meta.pickedEffortModel = task.model;
  meta.finished = true;
  w.root.files.set(transcriptPath(child).replace(/\.jsonl$/, '.meta.json'), JSON.stringify(meta));
  return { agent: child, id, task, usage, durationMs: child.now - start, toolUses: countCalls(child) };
}

function createAgent(w: Writer, task: AgentTask, id: string, depth: number, start: number): Writer {
  return {
    ...w,
    ids: createIds(`skein demo/agent ${id}`),
    agent: { id, type: task.type, depth },
    model: task.model,
    lines: [],
    meter: createMeter(9_400),
    requests: createRequests(),
    toolsUsed: new Set(),
    now: start + 36,
    tip: null,
    surrounded: false,
    messageCount: 0,
  };
}

function countCalls(w: Writer): number {
  return w.lines.filter((line) => line.includes('"sourceToolAssistantUUID"')).length;
}

function outcomeOf({ agent: child, id, task, usage, durationMs, toolUses }: Finished): Outcome {
  const total = totalOf(usage);
  const counts = `<usage>total_tokens: ${total}\ntool_uses: ${toolUses}\nduration_ms: ${durationMs}</usage>`;
  const report = { type: 'text', text: task.report };
  const note = {
    type: 'text',
    text: `agentId: ${id} (use SendMessage with to: '${id}' to continue this agent)\n${counts}`,
  };
  return {
    content: [report, note],
    result: {
      status: 'completed',
      prompt: task.prompt,
      agentId: id,
      agentType: task.type,
      toolsUsed: [...child.toolsUsed],
      harnessNoteCount: 0,
      harnessTailCount: 0,
      harnessSectionHash: child.ids.hex(16),
      content: [report],
      resolvedModel: task.model,
      totalDurationMs: durationMs,
      totalTokens: total,
      totalToolUseCount: toolUses,
      usage: usageOf(usage),
      canContinueAgent: true,
    },
    ms: durationMs,
    fields: BY_MODE,
  };
}

function usageOf(usage: Usage): JsonObject {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheCreation,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
    service_tier: 'standard',
  };
}

function outputFile(w: Writer, id: string): string {
  return `/tmp/claude-1000/${w.cwd.replace(/[^A-Za-z0-9]/g, '-')}/${w.sessionId}/tasks/${id}.output`;
}

function launched(w: Writer, { id, task }: Finished): Outcome {
  const file = outputFile(w, id);
  const text = `Async agent launched successfully.\nagentId: ${id}\nThe agent is working in the background.\noutput_file: ${file}`;
  const content: Json = [{ type: 'text', text }];
  const result: JsonObject = { isAsync: true, status: 'async_launched', agentId: id, description: task.description };
  const more = { resolvedModel: task.model, prompt: task.prompt, outputFile: file };
  return {
    content,
    result: { ...result, ...more, canReadOutputFile: true, canContinueAgent: true },
    ms: 24,
    fields: BY_MODE,
  };
}

/** The notice of a finished background agent starts a turn of its own (E7). */
function notify(w: Writer, { agent: child, id, task, usage, durationMs, toolUses }: Finished, toolUseId: string): void {
  const counts =
    `<subagent_tokens>${totalOf(usage)}</subagent_tokens><tool_uses>${toolUses}</tool_uses>` +
    `<duration_ms>${durationMs}</duration_ms>`;
  const content = [
    '<task-notification>',
    `<task-id>${id}</task-id>`,
    `<tool-use-id>${toolUseId}</tool-use-id>`,
    `<output-file>${outputFile(w, id)}</output-file>`,
    '<status>completed</status>',
    `<summary>Agent "${task.description}" finished</summary>`,
    `<result>${task.report}</result>`,
    `<usage>${counts}</usage>`,
    '</task-notification>',
  ].join('\n');
  w.now = Math.max(w.now, child.now);
  startTurn(w, 0);
  const { sessionId } = w;
  appendBare(w, { type: 'queue-operation', operation: 'enqueue', timestamp: iso(w.now), sessionId, content });
  w.now += 4;
  appendBare(w, { type: 'queue-operation', operation: 'dequeue', timestamp: iso(w.now), sessionId });
  w.now += 16;
  append(w, {
    head: { type: 'user', message: { role: 'user', content } },
    prompted: true,
    tail: {
      permissionMode: w.permissionMode,
      origin: { kind: 'task-notification', producer: 'session-task', runId: `0${w.ids.task()}-${w.ids.hex(8)}` },
      promptSource: 'system',
      turnOrigin: 'task_notification',
      turnPosition: turnPosition(w),
      queueSkipAttachments: true,
    },
  });
  hear(w, content);
}
