/** Edges between sessions that share no entry (H4, C1, E11), surest first. Sessions that are joined already need no more. */
import { compareTimes } from '../compare.ts';
import type { Sure } from '../sure.ts';
import type { Scene } from './copies.ts';
import type { EdgeKind, EdgeWhy, Link } from './edges.ts';

export function linkContinuations(scene: Scene): Link[] {
  const links: Link[] = [];
  const add = (from: number | undefined, to: number, kind: EdgeKind, why: EdgeWhy, sure: Sure, takesUp: boolean) => {
    if (from === undefined || from === to || scene.sets.areJoined(from, to)) return;
    links.push({ from, to, kind, why, sure, takesUp: takesUp && sure !== 'guess' });
    if (sure !== 'guess') scene.sets.join(from, to);
  };
  for (const to of scene.order) {
    for (const uuid of scene.sessions[to]?.outline.lineage.logicalParents ?? []) {
      const from = scene.origins.originOf(uuid);
      add(from, to, 'compaction', 'logicalParent', 'certain', isLast(scene, from, uuid));
    }
  }
  for (const to of scene.order) {
    const uuid = scene.sessions[to]?.outline.lineage.firstParent;
    const from = uuid === undefined ? undefined : scene.origins.originOf(uuid);
    if (uuid !== undefined) add(from, to, 'continue', 'parentUuid', 'certain', isLast(scene, from, uuid));
  }
  for (const to of scene.order) {
    const named = firstNamed(scene, to);
    if (named !== undefined) add(named.from, to, 'continue', 'first session id', named.sure, true);
  }
  const planners = indexPlans(scene);
  for (const to of scene.order) {
    const planner = plannerOf(scene, to, planners);
    if (planner !== undefined) add(planner.from, to, 'continue', 'plan content', planner.sure, true);
  }
  const told = new Set<string>();
  for (const to of scene.order) {
    for (const { leafUuid } of scene.sessions[to]?.outline.titles.summaries ?? []) {
      const from = leafUuid === undefined ? undefined : scene.origins.originOf(leafUuid);
      if (from === undefined || told.has(`${from} ${to}`)) continue;
      told.add(`${from} ${to}`);
      // 1.0.x wrote the titles of whatever sessions lacked one into the file it was writing: no sign of a continuation.
      add(from, to, 'summary', 'leafUuid', 'guess', false);
    }
  }
  return links;
}

/** An entry after which the session said nothing more. */
function isLast({ sessions, origins }: Scene, session: number | undefined, uuid: string): boolean {
  const uuids = session === undefined ? [] : (sessions[session]?.outline.uuids ?? []);
  const end = uuids.at(-1);
  return end !== undefined && (end === origins.identity(uuid) || !uuids.includes(uuid));
}

/** H4: the first entry has the id of another session. */
function firstNamed({ sessions, byId }: Scene, to: number): { from: number; sure: Sure } | undefined {
  const session = sessions[to];
  const [first] = session?.outline.sessionIds ?? [];
  if (session === undefined || first === undefined || first === session.id) return undefined;
  const from = byId.get(first)?.find((index) => index !== to);
  if (from === undefined) return undefined;
  const goesOn = session.outline.sessionIds.includes(session.id);
  const isOlder = compareTimes(sessions[from]?.outline.started, session.outline.updated) <= 0;
  return { from, sure: goesOn && isOlder ? 'likely' : 'guess' };
}

function indexPlans({ sessions, order }: Scene): Map<string, number[]> {
  const planners = new Map<string, number[]>();
  for (const index of order) {
    for (const plan of sessions[index]?.outline.lineage.plans ?? []) {
      const known = planners.get(plan);
      if (known) known.push(index);
      else planners.set(plan, [index]);
    }
  }
  return planners;
}

/** The last session that proposed the plan before this one began with it. */
function plannerOf(
  { sessions, sets }: Scene,
  to: number,
  planners: ReadonlyMap<string, readonly number[]>,
): { from: number; sure: Sure } | undefined {
  const session = sessions[to];
  const plan = session?.outline.lineage.planContent;
  if (session === undefined || plan === undefined) return undefined;
  const before = (planners.get(plan) ?? []).filter((index) => {
    return index !== to && compareTimes(sessions[index]?.outline.started, session.outline.started) <= 0;
  });
  const here = before.filter((index) => sessions[index]?.outline.cwd === session.outline.cwd);
  const [choice, ...others] = (here.length > 0 ? here : before).toReversed();
  if (choice === undefined) return undefined;
  const isOnly = others.every((other) => sets.areJoined(choice, other));
  return { from: choice, sure: isOnly && here.length > 0 ? 'likely' : 'guess' };
}
