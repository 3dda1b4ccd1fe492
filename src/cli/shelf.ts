/** The code that reads the archive or a team, loaded only where it is needed: the library then asks for it without waiting. */
import { resolve } from 'node:path';
import { archiveFolder, mayHold } from '../archive/place.ts';
import { clientConfig } from '../disk/roots.ts';
import type { TeamStore } from '../team/read/store.ts';
import type { Arguments } from './command.ts';
import type { Context } from './context.ts';
import { UsageError } from './errors.ts';
import type * as Kept from './kept.ts';
import { quoted } from './quoted.ts';

let loaded: typeof Kept | undefined;
let team: TeamStore | undefined;
let opened: string | undefined;
let flag = '';
let own: string | undefined;

/** Before a verb that opens the library; what reads the archive is left to one that opens it late. */
export async function loadStore(context: Context, args: Arguments, opensLate = false): Promise<void> {
  const named = args.value('team');
  flag = args.values('root').map(rootFlag).join('');
  own = clientConfig(context);
  // A status line has to say something even where there is no such team.
  if (args.flag('statusline')) return;
  if (named === undefined) return opensLate ? undefined : loadArchiveReader(context);
  if (args.values('root').length > 0) {
    const next = 'Leave one out: a team’s sessions are read without those of this machine.';
    throw new UsageError('--team and --root do not go together.', `--team --root ${args.value('root')}`, next);
  }
  const [{ openTeamStore }, { resolveTarget }] = await Promise.all([
    import('../team/read/store.ts'),
    import('../team/target.ts'),
  ]);
  const target = resolveTarget(context, named, { insecure: args.flag('insecure') });
  // Profiles may be called anything.
  flag = ` --team ${quoted(named.includes('://') ? `${target.url}/${target.database}` : named)}`;
  // One that is asked again and again, as by the MCP server, stays open.
  const key = JSON.stringify(target);
  if (opened === key) return;
  await team?.close();
  team = openTeamStore(target);
  opened = key;
}

/** A name that begins as an option does stays a name. */
function rootFlag(root: string): string {
  return ` ${root.startsWith('-') ? quoted(`--root=${root}`) : quoted('--root', root)}`;
}

/** What tells another verb where to look. */
export function placeArgs(args: Arguments): string[] {
  const named = args.value('team');
  const team = named === undefined ? [] : [`--team=${named}`, ...(args.flag('insecure') ? ['--insecure'] : [])];
  return [...args.values('root').map((root) => `--root=${root}`), ...team];
}

/** The same for a process of its own: who lists processes sees its arguments, so a password goes by its environment. */
export function placesOfProcess(args: Arguments): { readonly places: string[]; readonly env: Record<string, string> } {
  const named = args.value('team');
  const url = named?.includes('://') && URL.canParse(named) ? new URL(named) : undefined;
  if (url === undefined || url.password === '') return { places: placeArgs(args), env: {} };
  const env = { SKEIN_TEAM_PASSWORD: decodeURIComponent(url.password) };
  url.password = '';
  return { places: placeArgs(args).map((each) => (each.startsWith('--team=') ? `--team=${url.href}` : each)), env };
}

/** For a verb that opens the library late: before it does. */
export async function loadReader(context: Context, args: Arguments): Promise<void> {
  if (args.value('team') === undefined) await loadArchiveReader(context);
}

export async function loadArchiveReader(context: Context): Promise<void> {
  if (mayHold(resolve(context.cwd, archiveFolder(context)))) loaded = await import('./kept.ts');
}

export function archiveReader(): typeof Kept | undefined {
  return loaded;
}

/** The team that is read instead of this machine; undefined without --team. */
export function teamStore(args: Arguments): TeamStore | undefined {
  return args.value('team') === undefined ? undefined : team;
}

/** What a command needs that is offered to go on with, to look where this one did; it holds no login and no password. */
export function placeFlag(): string {
  return flag;
}

/** The config folder in which a client looks that is started as this command was; undefined where none was asked for. */
export function ownConfig(): string | undefined {
  return own;
}

/** What to call the team that is read. */
export function teamName(): string {
  return team?.name ?? '';
}
