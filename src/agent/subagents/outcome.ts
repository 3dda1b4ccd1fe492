/** How an agent ended, as whoever called it is told: in the shapes of the published client. */
import { tokensUsed } from '../model/used.ts';
import type { TurnEnd } from '../ports.ts';
import { failed, type ToolOutcome } from '../tools/tool.ts';
import type { Ran, Started } from './run.ts';

export interface Asked {
  readonly type: string;
  readonly model: string;
  readonly description: string;
  readonly prompt: string;
  /** Whoever called it can tell it more later. */
  readonly canContinue: boolean;
}

/** It came to its end and reports. */
export function outcomeOf(
  { agentId, end, toolUses, usage }: Ran,
  { type, model, prompt, canContinue }: Asked,
): ToolOutcome {
  const trouble = troubleOf(end);
  if (trouble !== undefined) return failed(trouble);
  const text = reportOf(end);
  const totalTokens = tokensUsed(usage);
  const facts = `agentId: ${agentId}${canContinue ? ` (${howToContinue(agentId)})` : ''}\n<usage>total_tokens: ${totalTokens}\ntool_uses: ${toolUses}\nduration_ms: ${end.durationMs}</usage>`;
  const content = [{ type: 'text', text }];
  return {
    content: [...content, { type: 'text', text: facts }],
    result: {
      status: 'completed',
      prompt,
      agentId,
      agentType: type,
      content,
      resolvedModel: model,
      totalDurationMs: end.durationMs,
      totalTokens,
      totalToolUseCount: toolUses,
      usage,
      canContinueAgent: canContinue,
    },
  };
}

function howToContinue(agentId: string): string {
  return `to go on with this agent, which knows all that it did: SendMessage with to: '${agentId}'`;
}

export function launchedOutcome(
  { agentId, file }: Started,
  { model, description, prompt, canContinue }: Asked,
): ToolOutcome {
  const text = `Async agent launched successfully.
agentId: ${agentId} (for you alone; the user need not know it${canContinue ? `; ${howToContinue(agentId)}` : ''})
The agent works in the background. You will be told when it is done, and know nothing of what it finds until then: do not guess or report it. Go on with other work that does not touch the same, or answer the user.
output_file: ${file}
This is its whole transcript; do not read it, it would fill your context.`;
  return {
    content: [{ type: 'text', text }],
    result: {
      isAsync: true,
      status: 'async_launched',
      agentId,
      description,
      resolvedModel: model,
      prompt,
      outputFile: file,
      canReadOutputFile: true,
      canContinueAgent: canContinue,
    },
  };
}

/** SendMessage went to an agent that works, or to one that was done and now goes on. */
export function sentOutcome(agentId: string, how: 'queued' | 'resumed'): ToolOutcome {
  const later = 'You will be told when it is done.';
  const told =
    how === 'resumed'
      ? { success: true, message: `The agent goes on in the background. ${later}`, resumedAgentId: agentId }
      : { success: true, message: `The agent works and is told with its next results. ${later}` };
  return {
    content: [{ type: 'text', text: JSON.stringify(told) }],
    result: how === 'resumed' ? { ...told, revivedAgentId: agentId } : told,
  };
}

/** What is told when an agent in the background is done (E7). */
export function noticeOf(
  { agentId, end, toolUses, usage }: Ran,
  file: string,
  toolUseId: string,
  about: string,
): string {
  const trouble = troubleOf(end);
  const status = trouble === undefined ? 'completed' : end.reason === 'interrupted' ? 'killed' : 'failed';
  const how = { completed: 'finished', killed: 'was stopped', failed: 'failed' }[status];
  return `<task-notification>
<task-id>${agentId}</task-id>
<tool-use-id>${toolUseId}</tool-use-id>
<output-file>${file}</output-file>
<status>${status}</status>
<summary>Agent "${about}" ${how}</summary>
<note>Told more, it goes on and is reported of again.</note>
<result>${trouble ?? reportOf(end)}</result>
<usage><subagent_tokens>${tokensUsed(usage)}</subagent_tokens><tool_uses>${toolUses}</tool_uses><duration_ms>${end.durationMs}</duration_ms></usage>
</task-notification>`;
}

/** An empty text is what the API refuses (A4). */
function reportOf({ text }: TurnEnd): string {
  return text.trim() === '' ? '(The agent ended without a report.)' : text;
}

const TROUBLE: Readonly<Record<string, string>> = {
  interrupted: 'The agent was interrupted.',
  max_turns: 'The agent was stopped: it reached the limit of answers in a turn.',
  budget: 'The agent was stopped: the budget is spent.',
  max_tokens: 'The agent was stopped: its answer is longer than allowed.',
  refusal: 'The model declined to go on with what the agent was to do.',
};

/** Why there is no report; what it said last may still help. */
function troubleOf({ reason, failure, text }: TurnEnd): string | undefined {
  if (reason === 'end_turn' || reason === 'stopped') return undefined;
  const why = TROUBLE[reason] ?? `The agent failed: ${failure?.message ?? 'nobody knows why'}`;
  return text.trim() === '' ? why : `${why} What it said last:\n${text}`;
}
