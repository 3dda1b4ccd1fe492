/** What the chats of hits are called: as the archive knows it, else read from the session, for the few that are shown. */
import { basename, dirname, join } from 'node:path';
import type { Hit } from '../../archive/search/hit.ts';
import { DiskError } from '../../disk/errors.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { fileSource } from '../../disk/source.ts';
import { outlineOf, titleOf } from '../../graph/outline.ts';
import { TEAM_ROOT } from '../../team/paths.ts';
import type { Group } from './print.ts';
import type { Searched } from './run.ts';

/** Larger sessions are not read for their title alone. */
const LARGEST = 32 << 20;

export function groupTitle({ hits }: Group, { chats }: Searched): string | undefined {
  const [first] = hits;
  if (first === undefined) return undefined;
  const known = chats.get(first.session ?? '')?.title;
  // A team's sessions are not fetched for it.
  if (known !== undefined || first.file.startsWith(TEAM_ROOT)) return known;
  const file = first.agent === undefined ? first.file : sessionFileOf(first);
  try {
    if (file === undefined || sizeOf(file) > LARGEST) return undefined;
    return titleOf(outlineOf(readEntriesOf(file)).titles, new Set());
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return undefined;
  }
}

/** Of the session that a sub-agent belongs to, wherever the agent's own lies (L3). */
function sessionFileOf({ file, session }: Hit): string | undefined {
  if (session === undefined) return undefined;
  const around = dirname(file);
  const folder = basename(around) === 'subagents' ? dirname(around) : around;
  return basename(folder) === session ? `${folder}.jsonl` : join(folder, `${session}.jsonl`);
}

function sizeOf(file: string): number {
  const source = fileSource(file);
  try {
    return source.size();
  } finally {
    source.close();
  }
}
