/** `toolUseResult` of the tools that run something: shells, sub-agents, skills. */
import { type Block, toBlocks } from '../../format/content.ts';
import { asBoolean, asNumber, asObject, asString, type JsonObject } from '../../format/json.ts';
import { type Usage, usageOf } from '../../format/usage.ts';

export interface BashResult {
  readonly kind: 'bash';
  readonly stdout: string;
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly isImage: boolean;
  readonly backgroundTaskId?: string;
  /** Where the whole of a large output was saved (L4); stdout is then cut. */
  readonly persistedOutputPath?: string;
  readonly persistedOutputSize?: number;
}

/** BashOutput and its successor TaskOutput: what a background task has printed. */
export interface BashOutputResult {
  readonly kind: 'bash_output';
  readonly taskId?: string;
  readonly status?: string;
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AgentResult {
  readonly kind: 'agent';
  /** completed, async_launched, …; 1.0.x has none. */
  readonly status?: string;
  readonly agentId?: string;
  readonly agentType?: string;
  readonly prompt?: string;
  readonly content: readonly Block[];
  readonly isAsync: boolean;
  /** Where an agent in the background writes its transcript. */
  readonly outputFile?: string;
  readonly model?: string;
  readonly totalDurationMs?: number;
  readonly totalTokens?: number;
  readonly totalToolUseCount?: number;
  readonly usage?: Usage;
}

export interface SkillResult {
  readonly kind: 'skill';
  readonly commandName: string;
  readonly success?: boolean;
}

export function bashResult(result: JsonObject): BashResult | undefined {
  const stdout = asString(result.stdout);
  const backgroundTaskId = asString(result.backgroundTaskId);
  if (stdout === undefined && backgroundTaskId === undefined) return undefined;
  return {
    kind: 'bash',
    stdout: stdout ?? '',
    stderr: asString(result.stderr) ?? '',
    interrupted: result.interrupted === true,
    isImage: result.isImage === true,
    backgroundTaskId,
    persistedOutputPath: asString(result.persistedOutputPath),
    persistedOutputSize: asNumber(result.persistedOutputSize),
  };
}

export function bashOutputResult(result: JsonObject): BashOutputResult | undefined {
  const task = asObject(result.task) ?? result;
  const taskId = asString(task.task_id) ?? asString(task.shellId) ?? asString(task.shell_id);
  if (taskId === undefined) return undefined;
  return {
    kind: 'bash_output',
    taskId,
    status: asString(task.status),
    exitCode: asNumber(task.exitCode),
    stdout: asString(task.stdout) ?? asString(task.output) ?? '',
    stderr: asString(task.stderr) ?? '',
  };
}

export function agentResult(result: JsonObject): AgentResult | undefined {
  if (result.content === undefined && result.agentId === undefined && result.status === undefined) return undefined;
  return {
    kind: 'agent',
    status: asString(result.status),
    agentId: asString(result.agentId),
    agentType: asString(result.agentType),
    prompt: asString(result.prompt),
    content: toBlocks(result.content),
    isAsync: result.isAsync === true,
    outputFile: asString(result.outputFile),
    model: asString(result.resolvedModel),
    totalDurationMs: asNumber(result.totalDurationMs),
    totalTokens: asNumber(result.totalTokens),
    totalToolUseCount: asNumber(result.totalToolUseCount),
    usage: usageOf(result.usage),
  };
}

export function skillResult(result: JsonObject): SkillResult | undefined {
  const commandName = asString(result.commandName);
  return commandName === undefined ? undefined : { kind: 'skill', commandName, success: asBoolean(result.success) };
}
