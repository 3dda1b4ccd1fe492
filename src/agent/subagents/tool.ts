/** Agent: hands a task to another run of the model. Older clients call it Task (R15). */
import { z } from 'zod';
import { failureOf } from '../loop.ts';
import { modelId } from '../model/models.ts';
import { defineTool } from '../tools/define.ts';
import { failed, type Tool, type ToolHost, type ToolOutcome } from '../tools/tool.ts';
import type { Tally } from '../turn/tally.ts';
import type { Background } from './background.ts';
import { launchedOutcome, noticeOf, outcomeOf } from './outcome.ts';
import { type AgentHost, type Launch, type Started, startAgent } from './run.ts';
import type { AgentType } from './types.ts';

export interface AgentToolParts {
  readonly host: AgentHost;
  readonly types: ReadonlyMap<string, AgentType>;
  /** All that the session has; known once this one is made. */
  readonly tools: () => ReadonlyMap<string, Tool>;
  readonly background: Background;
  /** Tells the model that something in the background is done. */
  readonly notify: (words: string) => void;
  /** What all of the session uses. */
  readonly total: Tally;
}

/** The tool that tells an agent more (send.ts). */
export const SEND = 'SendMessage';

/** Agents that start agents that start agents. */
export const MOST_DEPTH = 3;

const input = z.object({
  description: z.string().min(1).describe('The task in three to five words'),
  prompt: z.string().min(1).describe('The task itself: all that the agent needs to know, and what to report'),
  subagent_type: z.string().optional().describe('Which kind of agent; general-purpose where left out'),
  model: z.string().optional().describe('Another model than your own: opus, sonnet, haiku or an id'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('True: go on meanwhile, you are told when it is done. Else the call waits for the report'),
});

type Input = z.infer<typeof input>;

/** Who may call it: the session itself, or an agent in it. */
interface Caller {
  readonly depth: number;
  readonly agentId?: string;
}

export function createAgentTool(parts: AgentToolParts, caller: Caller = { depth: 0 }): Tool {
  return defineTool({
    name: 'Agent',
    description: describe(parts.types),
    input,
    acts: 'notes',
    parallel: true,
    run: (asked, host) => runAgentTool(asked, host, parts, caller),
  });
}

function describe(types: ReadonlyMap<string, AgentType>): string {
  const lines = [...types.values()].map(({ name, description, tools }) => {
    const has = tools === undefined ? '' : ` (Tools: ${tools.join(', ') || 'none'})`;
    return `- ${name}: ${description.slice(0, MOST_WORDS)}${has}`;
  });
  return `Starts an agent: another run of the model that works on one task with a conversation of its own and hands back a report. Use it for work of many steps that would fill this conversation, or for several things at once: calls in one answer run side by side. Do what takes a call or two yourself.
It knows nothing of this conversation: write the whole task into the prompt, whether to change files or only to look, and what to report. The user does not see the report; tell them what matters. Check what it claims before you build on it.
Kinds of agents:
${lines.join('\n')}`;
}

const MOST_WORDS = 1000;

async function runAgentTool(asked: Input, host: ToolHost, parts: AgentToolParts, caller: Caller): Promise<ToolOutcome> {
  const { prompt, description } = asked;
  const name = asked.subagent_type ?? 'general-purpose';
  const type = parts.types.get(name);
  if (type === undefined) return failed(`There is no agent ${name}. There are: ${[...parts.types.keys()].join(', ')}`);
  if (prompt.trim() === '') return failed('The prompt is empty: say what the agent is to do.');
  const wish = asked.model === 'inherit' ? undefined : asked.model;
  const model = modelId(wish ?? type.model ?? host.turn?.ask.model ?? '');
  const depth = caller.depth + 1;
  const canContinue = caller.depth === 0 && parts.tools().has(SEND);
  const about = { type: type.name, model, description, prompt, canContinue };
  const launch = {
    ...about,
    type,
    toolUseId: host.id,
    depth,
    parentAgentId: caller.agentId,
    tools: (agentId: string) => toolsOf(type, parts, { depth, agentId }),
    session: host.session,
  };
  // Who is an agent itself hears of nothing later: it waits.
  if (asked.run_in_background && caller.depth === 0) return launchedOutcome(startBehind(launch, parts), about);
  const { ended } = startAgent(parts.host, { ...launch, within: host.turn?.tally, signal: host.signal });
  const ran = await ended;
  host.turn?.denials.push(...ran.end.denials);
  return outcomeOf(ran, about);
}

export type Behind = Omit<Launch, 'signal' | 'within' | 'queue'>;

/** Throws DiskError when it cannot begin. */
export function startBehind(launch: Behind, parts: AgentToolParts): Started {
  const { background, host, total, notify } = parts;
  const { description, toolUseId, again } = launch;
  return background.start((signal, queue) => startAgent(host, { ...launch, within: total, signal, queue }), {
    description,
    type: launch.type.name,
    told: (ran, file, left) => {
      const callId = again?.callId ?? toolUseId;
      notify(noticeOf(ran, file, callId, description));
      if (left.length === 0) return;
      const prompt = left.join('\n\n');
      try {
        startBehind({ ...launch, prompt, again: { agentId: ran.agentId, callId } }, parts);
      } catch (error) {
        notify(`Agent "${description}" was told more and cannot go on: ${failureOf(error).message}`);
      }
    },
  });
}

/** What is between the session and the person. */
const FOR_THE_SESSION = new Set(['AskUserQuestion', 'ExitPlanMode', 'EnterPlanMode', 'StructuredOutput', SEND]);

/** What it may use of what the session has. */
export function toolsOf(type: AgentType, parts: AgentToolParts, caller: Caller): Map<string, Tool> {
  const made = new Map<string, Tool>();
  for (const [name, tool] of parts.tools()) {
    if (
      FOR_THE_SESSION.has(name) ||
      type.without.includes(name) ||
      (type.tools !== undefined && !type.tools.includes(name))
    )
      continue;
    // Only the session itself talks with a person.
    if (tool.question !== undefined) continue;
    if (name !== 'Agent') made.set(name, tool);
    else if (caller.depth < MOST_DEPTH) made.set(name, createAgentTool(parts, caller));
  }
  return made;
}
