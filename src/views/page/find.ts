/** Where an entry is shown: for links and search hits. */
import type { Entry } from '../../format/entry.ts';
import { type Agent, runOf } from '../../graph/agents.ts';
import type { Chat } from '../../graph/chat.ts';
import type { ToolCall, Turn } from '../../graph/types.ts';
import { itemsOf } from '../items.ts';
import { withSummaries } from './turn.ts';
import type { FoundPlace } from './types.ts';

/** `turnsOf` gives the turns of a branch by its place. The branch that is asked for first wins, then the current one. */
export function findEntry(
  chat: Chat,
  uuid: string,
  turnsOf: (branch: number) => readonly Turn[],
  first?: number,
): FoundPlace | undefined {
  const agents = agentsAround(chat.allAgents, uuid);
  const [outermost] = agents;
  const sought = outermost === undefined ? uuid : outermost.call?.useUuid;
  if (sought === undefined) return undefined;
  const calls = agents.flatMap(({ call }) => call?.id ?? []);
  for (const branch of branchOrder(chat, first)) {
    const turns = turnsOf(branch);
    const index = turns.findIndex(({ entries }) => entries.some((entry) => entry.head.uuid === sought));
    const turn = turns[index];
    if (turn) return { branch, index, item: itemWith(turn, sought, calls[0]), calls };
  }
  return undefined;
}

function branchOrder({ branches, current }: Chat, first: number | undefined): number[] {
  const places = [...branches.keys()];
  const rank = (place: number) => (place === first ? 0 : branches[place] === current ? 1 : 2);
  return places.length === 0 ? [0] : places.sort((a, b) => rank(a) - rank(b));
}

interface Around {
  readonly agent: Agent;
  /** The one whose run of the agent it stands in. */
  readonly call: ToolCall | undefined;
}

/** The agents an entry stands in, outermost first. */
function agentsAround(agents: readonly Agent[], uuid: string): Around[] {
  let holds = (entry: Entry) => entry.head.uuid === uuid;
  const around: Around[] = [];
  const byId = new Map(agents.map((agent) => [agent.agentId, agent]));
  let agent = agents.find(({ entries }) => entries.some(holds));
  while (agent !== undefined && !around.some((each) => each.agent === agent)) {
    const call = callHolding(agent, holds);
    around.unshift({ agent, call });
    holds = (entry) => entry === call?.use;
    agent = agent.parent === undefined ? undefined : byId.get(agent.parent);
  }
  return around;
}

function callHolding(agent: Agent, holds: (entry: Entry) => boolean): ToolCall | undefined {
  if (agent.calls.length < 2) return agent.calls[0];
  return agent.calls.find(({ id }) => runOf(agent, id).entries.some(holds)) ?? agent.calls[0];
}

/** A result is shown with its call, a summary with its compaction, an answer's other lines with the answer. */
function itemWith(turn: Turn, uuid: string, callId: string | undefined): number | null {
  const items = withSummaries(itemsOf(turn));
  const tests = [
    ({ item }: (typeof items)[number]) => item.type === 'call' && item.call.id === callId,
    ({ item, summary }: (typeof items)[number]) => item.entry.head.uuid === uuid || summary?.entry.head.uuid === uuid,
    ({ item }: (typeof items)[number]) =>
      item.type === 'call' && (item.call.resultUuid === uuid || item.call.input.head.uuid === uuid),
    ({ item }: (typeof items)[number]) =>
      turn.messages.some(
        ({ entryUuids }) => entryUuids.includes(uuid) && entryUuids.includes(item.entry.head.uuid ?? ''),
      ),
  ];
  for (const test of tests) {
    const place = items.findIndex(test);
    if (place >= 0) return place;
  }
  return null;
}
