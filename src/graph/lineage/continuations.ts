/** Edges between sessions that share no entry (H4, C1, E11), surest first. Sessions that are joined already need no more. */
import { holdsId, lastIdOf, NO_IDS } from '../../format/idlist.ts';
import { compareTimes } from '../compare.ts';
import type { Sure } from '../sure.ts';
import type { Scene } from './copies.ts';
import type { EdgeKind, EdgeWhy, Link, SessionFacts } from './edges.ts';

interface Found {
  readonly from: number;
  readonly kind: EdgeKind;
  readonly why: EdgeWhy;
  readonly sure: Sure;
  /** The entry of the older session that is followed, where it is known. */
  readonly after?: string;
}

/** What a session says of others, by one kind of evidence. */
type Rule = (scene: Scene, session: SessionFacts, to: number) => Found[];

export function linkContinuations(scene: Scene): Link[] {
  const links: Link[] = [];
  const rules: Rule[] = [byLogicalParent, byParent, byFirstSessionId, byPlan(scene), bySummary, byOpening(scene)];
  for (const rule of rules) {
    for (const to of scene.order) {
      const session = scene.sessions[to];
      for (const { from, kind, why, sure, after } of session === undefined ? [] : rule(scene, session, to)) {
        if (from === to || scene.sets.areJoined(from, to)) continue;
        const isGuess = sure === 'guess';
        links.push({ from, to, kind, why, sure, takesUp: !isGuess && isLast(scene, from, after) });
        if (!isGuess) scene.sets.join(from, to);
      }
    }
  }
  return links;
}

/** Whether a session said nothing more after an entry. */
function isLast({ sessions, origins }: Scene, session: number, uuid: string | undefined): boolean {
  const uuids = sessions[session]?.outline.uuids ?? NO_IDS;
  const last = lastIdOf(uuids);
  if (uuid === undefined || (last !== undefined && origins.identity(last) === origins.identity(uuid))) return true;
  return !holdsId(uuids, uuid);
}

function byLogicalParent({ origins }: Scene, { outline }: SessionFacts): Found[] {
  return outline.lineage.logicalParents.flatMap((after) => {
    const from = origins.originOf(after);
    return from === undefined ? [] : [{ from, kind: 'compaction', why: 'logicalParent', sure: 'certain', after }];
  });
}

/** Plan mode leaves both marks (H4): then the id is the better known one. */
function byParent({ sessions, origins }: Scene, { id, outline }: SessionFacts): Found[] {
  const after = outline.lineage.firstParent;
  const from = after === undefined ? undefined : origins.originOf(after);
  if (from === undefined) return [];
  const [first] = outline.sessionIds;
  const why = first !== id && first === sessions[from]?.id ? 'first session id' : 'parentUuid';
  return [{ from, kind: 'continue', why, sure: 'certain', after }];
}

/** H4: the first entry has the id of another session. */
function byFirstSessionId({ sessions, byId }: Scene, { id, outline }: SessionFacts, to: number): Found[] {
  const [first] = outline.sessionIds;
  const from = first === undefined || first === id ? undefined : byId.get(first)?.find((index) => index !== to);
  if (from === undefined) return [];
  const goesOn = outline.sessionIds.includes(id);
  const isOlder = compareTimes(sessions[from]?.outline.started, outline.updated) <= 0;
  return [{ from, kind: 'continue', why: 'first session id', sure: goesOn && isOlder ? 'likely' : 'guess' }];
}

/** H4: the last session that proposed the plan before this one began with it. */
function byPlan({ sessions, order }: Scene): Rule {
  const planners = new Map<string, number[]>();
  for (const index of order) {
    for (const plan of sessions[index]?.outline.lineage.plans ?? []) {
      const known = planners.get(plan);
      if (known) known.push(index);
      else planners.set(plan, [index]);
    }
  }
  return ({ sets }, { outline }, to) => {
    const before = (planners.get(outline.lineage.planContent ?? '') ?? []).filter((index) => {
      return index !== to && compareTimes(sessions[index]?.outline.started, outline.started) <= 0;
    });
    const here = before.filter((index) => sessions[index]?.outline.cwd === outline.cwd);
    const [from, ...others] = (here.length > 0 ? here : before).toReversed();
    if (from === undefined) return [];
    const isOnly = here.length > 0 && others.every((other) => sets.areJoined(from, other));
    return [{ from, kind: 'continue', why: 'plan content', sure: isOnly ? 'likely' : 'guess' }];
  };
}

/** 1.0.x wrote the titles of whatever sessions lacked one into the file it was writing: no sign of a continuation. */
function bySummary({ origins }: Scene, { outline }: SessionFacts): Found[] {
  const from = outline.titles.summaries.flatMap(({ leafUuid }) => (leafUuid && origins.originOf(leafUuid)) ?? []);
  return [...new Set(from)].flatMap((each) =>
    typeof each === 'number' ? [{ from: each, kind: 'summary', why: 'leafUuid', sure: 'guess' }] : [],
  );
}

/** H1: a copy that got new uuids and does not say where it comes from, but begins as the oldest session of that beginning. */
function byOpening({ sessions, order }: Scene): Rule {
  const oldest = new Map<string, number>();
  for (const index of order) {
    for (const mark of sessions[index]?.outline.lineage.openings ?? []) {
      if (!oldest.has(mark)) oldest.set(mark, index);
    }
  }
  return (_, { outline }) => {
    const from = new Set(outline.lineage.openings.flatMap((mark) => oldest.get(mark) ?? []));
    return [...from].map((each) => ({ from: each, kind: 'fork', why: 'same beginning', sure: 'guess' }));
  };
}
