/** Sessions with sub-agents as the client would write them, of every layout and depth, with what is true of them. */
import type { JsonObject } from '../../src/format/json.ts';
import type { AgentFile } from '../../src/graph/agents.ts';
import { agentProgress, assistant, entriesOf, result, text, timeOf, toolUse, user } from './build.ts';

/** How an agent is kept: with a meta file, by a result that names it, by its prompt, by progress, by a file and progress, by a file cut short and progress, inline. */
export type Layout = 'meta' | 'result' | 'prompt' | 'progress' | 'both' | 'cut' | 'inline';

export interface Plan {
  readonly layout: Layout;
  readonly calls: number;
  readonly background?: boolean;
  /** Taken up again by a second call. */
  readonly resumed?: boolean;
  /** Its file starts with a copy of its parent's conversation. */
  readonly inherits?: boolean;
  readonly children?: readonly Plan[];
}

export interface Truth {
  /** By the agent's name: its parent, and the calls that started and resumed it. */
  readonly agents: Map<string, { readonly parent: string | undefined; readonly calls: readonly string[] }>;
  messages: number;
  output: number;
  toolCalls: number;
}

export interface Forest {
  readonly truth: Truth;
  readonly main: readonly JsonObject[];
  readonly files: readonly AgentFile[];
}

interface Node {
  readonly plan: Plan;
  readonly id: string;
  readonly call: string;
  readonly depth: number;
  readonly parent: string | undefined;
  readonly inherited: readonly JsonObject[];
  readonly lines: JsonObject[];
}

export function plantForest(plans: readonly Plan[]): Forest {
  const truth: Truth = { agents: new Map(), messages: 0, output: 0, toolCalls: 0 };
  const main: JsonObject[] = [];
  const files: AgentFile[] = [];
  let clock = 0;

  function put(to: JsonObject[], line: JsonObject, agentId?: string): void {
    clock += 1;
    const side = agentId === undefined ? { isSidechain: false } : { isSidechain: true, agentId };
    const place = { uuid: `u-${clock}`, parentUuid: to.at(-1)?.uuid ?? null, timestamp: timeOf(clock) };
    to.push({ ...place, sessionId: 's1', version: '2.1.325', ...side, ...line });
  }

  /** One message, a line for each block. */
  function say(to: JsonObject[], blocks: readonly JsonObject[], agentId?: string): void {
    truth.messages += 1;
    truth.output += truth.messages;
    const id = `m-${truth.messages}`;
    for (const block of blocks) {
      if (block.type === 'tool_use') truth.toolCalls += 1;
      put(to, assistant(block, { id, output: truth.messages }), agentId);
    }
  }

  /** One message starts all of them side by side; the results come in another order. */
  function start(owner: JsonObject[], children: readonly Plan[], parent: string | undefined, depth: number): void {
    if (children.length === 0) return;
    const before = [...owner];
    const nodes = children.map((plan): Node => {
      const id = `a${truth.agents.size + 1}`;
      const call = `t-${id}`;
      truth.agents.set(id, { parent, calls: plan.resumed ? [call, `again-${id}`] : [call] });
      return { plan, id, call, depth, parent, inherited: plan.inherits ? before : [], lines: [] };
    });
    const uses = nodes.map(({ id, call }) => toolUse(call, 'Agent', { prompt: `prompt of ${id}` }));
    say(owner, uses, parent);
    for (const node of nodes) work(node);
    for (const node of nodes.toReversed()) put(owner, resultOf(node, node.call), parent);
    for (const node of nodes) if (node.plan.resumed) goOn(owner, node);
    for (const node of nodes) keep(node);
  }

  function work({ plan, id, depth, lines }: Node): void {
    put(lines, user(`prompt of ${id}`), id);
    for (let call = 0; call < plan.calls; call += 1) {
      say(lines, [text('looking'), toolUse(`${id}-c${call}`)], id);
      put(lines, result(`${id}-c${call}`), id);
    }
    start(lines, plan.children ?? [], id, depth + 1);
    say(lines, [text(`report of ${id}`)], id);
  }

  function goOn(owner: JsonObject[], node: Node): void {
    const { plan, id, parent, lines } = node;
    say(owner, [toolUse(`again-${id}`, 'Agent', { prompt: 'go on', resume: id })], parent);
    put(lines, user('go on'), id);
    say(lines, [text('went on')], id);
    if (!plan.background) put(owner, resultOf(node, `again-${id}`), parent);
  }

  function keep({ plan, id, call, depth, parent, inherited, lines }: Node): void {
    const { layout } = plan;
    if (layout === 'progress' || layout === 'both' || layout === 'cut') {
      for (const { type, uuid, timestamp, message } of lines)
        put(main, agentProgress({ type, uuid, timestamp, message }, id, call));
    }
    if (plan.background) put(main, user(notificationOf(id)));
    if (layout === 'inline') for (const { agentId, ...line } of lines) main.push(line);
    if (layout === 'progress' || layout === 'inline') return;
    const file = `s1/subagents/agent-${id}.jsonl`;
    const copied = inherited.map((line) => ({ ...line, isSidechain: true, agentId: id }));
    const kept = [...copied, ...(layout === 'cut' ? lines.slice(0, Math.ceil(lines.length / 2)) : lines)];
    const meta: JsonObject = { toolUseId: call, spawnDepth: depth, parentAgentId: parent };
    files.push({ agentId: id, file, entries: entriesOf(kept, file), ...(layout === 'meta' ? { meta } : {}) });
  }

  put(main, user('go'));
  start(main, plans, undefined, 1);
  say(main, [text('all done')]);
  return { truth, main, files };
}

function resultOf({ plan, id }: Node, call: string): JsonObject {
  if (plan.layout === 'prompt' || plan.layout === 'inline') return result(call, 'done');
  const how = plan.background ? { isAsync: true, status: 'async_launched' } : { status: 'completed' };
  return result(call, 'done', { toolUseResult: { agentId: id, ...how } });
}

function notificationOf(id: string): string {
  return `<task-notification>\n<task-id>${id}</task-id>\n<status>completed</status>\n</task-notification>`;
}
