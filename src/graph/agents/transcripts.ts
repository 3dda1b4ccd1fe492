/** The transcripts of sub-agents, each agent once and each entry in one of them: files, copies of files, copies in progress entries. */
import type { Entry } from '../../format/entry.ts';
import { asNumber } from '../../format/json.ts';
import type { AgentFile } from '../agents.ts';
import { mergeSessions } from '../chat/merge.ts';
import { compareText } from '../compare.ts';
import type { Candidate } from './attach.ts';
import { type Copies, copiesLacking, promptOfCopies, unpackCopies } from './copies.ts';
import { beginningOf, firstTextOf } from './evidence.ts';
import { splitInline } from './inline.ts';
import { copiesByAgent } from './owners.ts';

type Known = Pick<Candidate, 'agentId' | 'file' | 'entries' | 'meta' | 'from'>;
type Reported = Omit<Candidate, 'warmup'>;

/** Inline ones first, then in the order in which they began. */
export function transcriptsOf(
  entries: readonly Entry[],
  files: readonly AgentFile[],
): { main: readonly Entry[]; candidates: Candidate[] } {
  const { main, chains } = splitInline(entries);
  const inline = chains.map(({ id, entries: own }): Known => ({ agentId: id, entries: own, from: 'inline' }));
  const known = [...inline, ...onePerAgent(files)];
  const copies = copiesByAgent(main, known);
  const ids = new Set(known.map(({ agentId }) => agentId));
  const found = [
    ...known.map((each) => completed(each, copies.get(each.agentId))),
    ...[...copies.values()].flatMap((each) => (ids.has(each.agentId) ? [] : fromCopies(each))),
  ];
  const own = withoutInherited(main, found).map(toCandidate);
  const { first = [], rest = [] } = Object.groupBy(own, ({ from }) => (from === 'inline' ? 'first' : 'rest'));
  return { main, candidates: [...first, ...inOrder(rest)] };
}

/** With what progress tells of it beyond its own transcript. */
function completed(known: Known, copies: Copies | undefined): Reported {
  if (copies === undefined) return known;
  const lacking = copiesLacking(known.entries, copies);
  const entries = lacking.length === 0 ? known.entries : [...known.entries, ...lacking];
  return { ...known, entries, toolUseId: copies.toolUseId };
}

function fromCopies(copies: Copies): Reported {
  const { agentId, toolUseId } = copies;
  return { agentId, entries: unpackCopies(copies), toolUseId, prompt: promptOfCopies(copies), from: 'progress' };
}

function toCandidate(reported: Reported): Candidate {
  const prompt = reported.prompt ?? firstTextOf(reported.entries);
  return { ...reported, prompt, warmup: prompt === 'Warmup' };
}

/** A fork may bring the files of its agents along, and each copy may go on: one id is one agent with all of them. */
function onePerAgent(files: readonly AgentFile[]): Known[] {
  const sorted = [...new Map(files.map((file) => [file.file, file])).values()].sort(
    (a, b) => compareText(a.agentId, b.agentId) || b.entries.length - a.entries.length || compareText(a.file, b.file),
  );
  return [...Map.groupBy(sorted, ({ agentId }) => agentId).values()].flatMap((same): Known[] => {
    const [longest, ...others] = same;
    if (longest === undefined) return [];
    const { agentId, file } = longest;
    // Without ids nothing tells a copy from an original.
    const more = others.filter(({ entries }) => entries.some(({ head }) => head.uuid !== undefined));
    const entries = more.length === 0 ? longest.entries : merged([longest, ...more]);
    return [{ agentId, file, entries, meta: same.find(({ meta }) => meta)?.meta, from: 'file' }];
  });
}

function merged(files: readonly AgentFile[]): readonly Entry[] {
  return mergeSessions(files.map(({ entries }) => entries)).entries;
}

const MAIN = -1;

/** An agent that starts from its parent's conversation has a copy of it (H2): those entries are the parent's. */
function withoutInherited(main: readonly Entry[], agents: readonly Reported[]): Reported[] {
  const owners = new Map<string, number>();
  const byDepth = [...agents.keys()].sort((a, b) => depthOf(agents[a]) - depthOf(agents[b]));
  for (const index of byDepth) {
    for (const { head } of agents[index]?.entries ?? []) {
      if (head.uuid !== undefined && !owners.has(head.uuid)) owners.set(head.uuid, index);
    }
  }
  for (const { head } of main) if (owners.has(head.uuid ?? '')) owners.set(head.uuid ?? '', MAIN);
  return agents.map((agent, index) => {
    const isOwn = ({ head }: Entry) => head.uuid === undefined || owners.get(head.uuid) === index;
    return agent.entries.every(isOwn) ? agent : { ...agent, entries: agent.entries.filter(isOwn) };
  });
}

function depthOf(agent: Reported | undefined): number {
  return asNumber(agent?.meta?.spawnDepth) ?? 1;
}

function inOrder(candidates: readonly Candidate[]): Candidate[] {
  const begun = candidates.map((candidate) => ({ candidate, at: beginningOf(candidate.entries) ?? Infinity }));
  begun.sort((a, b) => (a.at === b.at ? compareText(a.candidate.agentId, b.candidate.agentId) : a.at - b.at));
  return begun.map(({ candidate }) => candidate);
}
