/** What is known of one session: its own file, and those of its sub-agents, wherever they lie (L3). */
import { basename, dirname } from 'node:path';
import type { RecentPart } from './recent.ts';

/** undefined while nothing is known of its own file. */
export async function recentSession(
  byFile: ReadonlyMap<string, RecentPart>,
  transcript: string,
): Promise<RecentPart | undefined> {
  const own = byFile.get(transcript);
  if (own === undefined) return undefined;
  const parts = [own];
  for (const [path, part] of byFile) if (await isAgentOf(path, transcript)) parts.push(part);
  return { rows: parts.flatMap(({ rows }) => rows), isPart: parts.some(({ isPart }) => isPart) };
}

/** Newer agents lie in the session's folder; older ones beside it, where only their lines tell whose they are. */
async function isAgentOf(path: string, transcript: string): Promise<boolean> {
  if (!basename(path).startsWith('agent-')) return false;
  const session = basename(transcript, '.jsonl');
  const above = basename(dirname(path)) === 'subagents' ? dirname(dirname(path)) : dirname(path);
  if (basename(above) === session) return true;
  if (basename(above) !== basename(dirname(transcript))) return false;
  return (await import('../../disk/parent.ts')).parentSessionOf(path) === session;
}
