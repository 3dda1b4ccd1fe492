/** Where what is shown was read from: the disk, the archive, a team, or what `history.jsonl` kept of it. */
import type { SessionFile } from '../disk/find.ts';
import { safeLine } from '../views/safe.ts';
import type { Context } from './context.ts';
import { homePath } from './layout.ts';
import type { Library } from './library.ts';
import { teamName } from './shelf.ts';

export type SourceName = 'disk' | 'archive' | 'history' | 'team';

export function sourceOf({ source }: SessionFile): SourceName {
  return source ?? 'disk';
}

/** One line on stderr where something was not read from disk. */
export function tellSources({ err, home }: Context, files: readonly SessionFile[]): void {
  const archived = files.filter(({ source }) => source === 'archive');
  const recovered = files.filter(({ source }) => source === 'history');
  const [first] = archived;
  const parts: string[] = [];
  if (first !== undefined && archived.length === 1) {
    parts.push(`from the archive: ${safeLine(homePath(first.file, home))} is gone from disk`);
  } else if (archived.length > 1) {
    parts.push(`from the archive: ${archived.length} of ${files.length} files are gone from disk`);
  }
  if (recovered.length > 0) {
    const what = files.length === 1 ? 'its' : `${recovered.length} sessions'`;
    parts.push(`from history.jsonl: only ${what} prompts are left`);
  }
  if (files.some(({ source }) => source === 'team')) parts.push(`from the team ${safeLine(teamName())}`);
  if (parts.length > 0) err.write(`${err.style.dim(parts.join('; '))}\n`);
}

/** For lists of everything. */
export function tellTeam({ err }: Context, { team }: Pick<Library, 'team'>): void {
  if (team !== undefined) err.write(`${err.style.dim(`from the team ${safeLine(team.name)}`)}\n`);
}
