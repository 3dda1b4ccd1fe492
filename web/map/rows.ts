/** The tree of a chat as lines: the shown branch from top to bottom, and what leaves it on the way. */
import type { AgentNode, BranchRow, ChatPage, TurnHead } from '../../src/views/page/types.ts';

export type MapRow =
  | { readonly type: 'turn'; readonly turn: TurnHead }
  /** Turns in which nothing happened that a map would show. */
  | { readonly type: 'run'; readonly turns: readonly TurnHead[] }
  | { readonly type: 'compaction'; readonly turn: TurnHead }
  | { readonly type: 'branch'; readonly place: number; readonly branch: BranchRow }
  | { readonly type: 'agent'; readonly agent: AgentNode; readonly depth: number };

/** Shorter runs are not worth folding. */
const LEAST_RUN = 4;
/** So many turns are shown whole. */
const FEW = 40;

export function mapRows({ turns, branches, branch, agents }: ChatPage): {
  readonly rows: MapRow[];
  readonly loose: MapRow[];
} {
  const byTurn = Map.groupBy(agents, ({ turn }) => turn ?? -1);
  const rows: MapRow[] = [];
  let plain: TurnHead[] = [];
  const flush = () => {
    if (plain.length >= LEAST_RUN && turns.length > FEW) rows.push({ type: 'run', turns: plain });
    else rows.push(...plain.map((turn) => ({ type: 'turn', turn }) as const));
    plain = [];
  };
  for (const [index, turn] of turns.entries()) {
    const own = byTurn.get(index) ?? [];
    const isEnd = index === 0 || index === turns.length - 1;
    if (!isEnd && !turn.compacted && turn.forks.length === 0 && own.length === 0) {
      plain.push(turn);
      continue;
    }
    flush();
    rows.push({ type: 'turn', turn });
    rows.push(...own.flatMap((agent) => agentRows(agent, 1)));
    if (turn.compacted) rows.push({ type: 'compaction', turn });
    rows.push(...turn.forks.flatMap((place) => branchRow(branches, place)));
  }
  flush();
  const left = new Set(turns.flatMap(({ forks }) => forks));
  return {
    rows,
    loose: [
      ...branches.flatMap((_, place) => (place === branch || left.has(place) ? [] : branchRow(branches, place))),
      ...(byTurn.get(-1) ?? []).flatMap((agent) => agentRows(agent, 1)),
    ],
  };
}

function branchRow(branches: readonly BranchRow[], place: number): MapRow[] {
  const branch = branches[place];
  return branch === undefined ? [] : [{ type: 'branch', place, branch }];
}

function agentRows(agent: AgentNode, depth: number): MapRow[] {
  return [{ type: 'agent', agent, depth }, ...agent.children.flatMap((child) => agentRows(child, depth + 1))];
}
