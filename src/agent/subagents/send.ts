/** SendMessage: tells an agent more. One that works hears of it with its next results, one that is done goes on from there. */
import { z } from 'zod';
import { DiskError } from '../../disk/errors.ts';
import { asNumber, asString, type JsonObject } from '../../format/json.ts';
import { modelId } from '../model/models.ts';
import { defineTool } from '../tools/define.ts';
import { failed, type Tool, type ToolHost, type ToolOutcome } from '../tools/tool.ts';
import { fileOf, findAgent } from './files.ts';
import { sentOutcome } from './outcome.ts';
import { isWorking } from './run.ts';
import { type AgentToolParts, type Behind, SEND, startBehind, toolsOf } from './tool.ts';

const input = z.object({
  to: z.string().max(300).describe('The agentId, from the result of the call that started the agent'),
  summary: z.string().optional().describe('The message in five to ten words, for whoever looks on'),
  message: z.string().describe('What the agent is to know or to do now'),
});

type Input = z.infer<typeof input>;

const DESCRIPTION = `Tells an agent that you started something more: a further task, a question about what it found, a correction. It still knows all that it did, so that this is better than a new agent for work that goes on from there.
An agent that is done goes on in the background, also when it was started in an earlier sitting; one that still works is told with its next results. Either way you are told when it is done.`;

export function createSendTool(parts: AgentToolParts): Tool {
  return defineTool({
    name: SEND,
    description: DESCRIPTION,
    input,
    acts: 'notes',
    parallel: false,
    run: (asked, host) => send(asked, host, parts),
  });
}

async function send({ to, message }: Input, host: ToolHost, parts: AgentToolParts): Promise<ToolOutcome> {
  if (message.trim() === '') return failed('The message is empty: say what the agent is to do.');
  const agentId = to.trim();
  if (parts.background.tell(agentId, message)) return sentOutcome(agentId, 'queued');
  const meta = findAgent(parts.host.transcript, agentId);
  if (meta === undefined) return failed(`This session has no agent ${agentId}. Start one with Agent.`);
  if (isWorking(fileOf(parts.host.transcript, agentId))) {
    return failed(
      `The agent ${agentId} works for another agent that waits for its report. Tell it more when it is done.`,
    );
  }
  const launch = launchOf(agentId, meta, message, host, parts);
  if (typeof launch === 'string') return failed(launch);
  const why = await forbidden(launch, host, parts);
  if (why !== undefined) return failed(why);
  try {
    startBehind(launch, parts);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return failed(`The agent cannot go on: ${error.message}`);
  }
  return sentOutcome(agentId, 'resumed');
}

/** What rules say of starting an agent of the kind holds for going on with one. */
async function forbidden(launch: Behind, { id, signal }: ToolHost, parts: AgentToolParts): Promise<string | undefined> {
  const tool = parts.tools().get('Agent');
  if (tool === undefined) return undefined;
  const { type, description, prompt } = launch;
  const asked = { id, tool, input: { subagent_type: type.name, description, prompt }, signal };
  const decision = await parts.host.gate().decide(asked);
  return decision.allow ? undefined : decision.message;
}

/** Why it cannot go on, where it cannot. */
function launchOf(
  agentId: string,
  meta: JsonObject,
  message: string,
  host: ToolHost,
  parts: AgentToolParts,
): Behind | string {
  const name = asString(meta.agentType) ?? 'general-purpose';
  const type = parts.types.get(name);
  if (type === undefined)
    return `The agent cannot go on: there is no kind of agent named ${name} here. Start a new one.`;
  const depth = Math.max(1, asNumber(meta.spawnDepth) ?? 1);
  return {
    type,
    // That which answered in it before counts more.
    model: modelId(type.model ?? host.turn?.ask.model ?? ''),
    description: asString(meta.description) ?? 'A task',
    prompt: message,
    toolUseId: asString(meta.toolUseId) ?? host.id,
    again: { agentId, callId: host.id },
    depth,
    parentAgentId: asString(meta.parentAgentId),
    tools: (id) => toolsOf(type, parts, { depth, agentId: id }),
    session: host.session,
  };
}
