/** The facts of a report on a team: added up by its server. */
import type { SessionFile } from '../../disk/find.ts';
import type { CellsAsk, Part } from '../../team/usage/cells.ts';
import { teamFacts } from '../../team/usage/facts.ts';
import { teamsOf } from '../../team/usage/teams.ts';
import { QUARTER } from '../../views/usage/days.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { targetOf, withTeam } from '../team/shared.ts';
import { chooseFiles } from './choose.ts';
import { type Names, NO_NAMES, namesFor } from './names.ts';
import { openPricing } from './pricing.ts';
import type { Question } from './question.ts';
import type { Named } from './report.ts';

/** The list of files is needed only to tell chats, sessions and agents by name, and to find those that are meant. */
export async function fromTeam(context: Context, args: Arguments, question: Question): Promise<Named> {
  const { by } = question;
  const isNamed = by.includes('chat') || by.includes('session') || by.includes('agent');
  const chosen = isNamed || args.positionals.length > 0 ? await chooseFiles(context, args) : undefined;
  const names = chosen && isNamed ? await namesFor(context, args, chosen.library, by) : NO_NAMES;
  const pricing = openPricing(context, args);
  return withTeam(targetOf(context, args), async (team) => {
    const facts = await teamFacts(team, askOf(args, question, chosen?.files), pricing);
    const teams: Partial<Names> = by.includes('team') ? { teamOf: await teamsOf(team) } : {};
    const about = { engine: 'team' as const, read: 0, prices: pricing.table, team: team.target.name };
    return { ...about, facts, names: { ...names, ...teams }, files: chosen?.files.length ?? 0 };
  });
}

/** Only what the answer tells apart. */
export function askOf(
  args: Arguments,
  { by, times, since }: Pick<Question, 'by' | 'times' | 'since'>,
  files?: readonly SessionFile[],
): CellsAsk {
  const parts: Part[] = [];
  if (by.includes('branch')) parts.push('branch');
  if (by.includes('chat') || by.includes('session')) parts.push('file');
  if (by.includes('agent')) parts.push('agent');
  if (by.includes('person') || by.includes('team')) parts.push('person');
  const isOfFiles = args.positionals.length > 0 && files !== undefined;
  return {
    parts,
    exact: by.includes('block') ? true : times.map((time) => Math.floor(time / QUARTER) * QUARTER),
    // Blocks are found over all messages, before any filter.
    ...(since !== undefined && !by.includes('block') && { since }),
    ...(isOfFiles && { files: files.map(({ file }) => file) }),
  };
}
