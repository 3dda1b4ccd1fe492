/** Which of a team's files tell of messages of the time asked for: the others are not fetched to explain them. */
import type { SessionFile } from '../../disk/find.ts';
import { pathsOfTime } from '../../team/usage/paths.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { targetOf, withTeam } from '../team/shared.ts';
import type { Question } from './question.ts';

export async function filesOfTime(
  context: Context,
  args: Arguments,
  { since, until }: Question,
  files: readonly SessionFile[],
): Promise<readonly SessionFile[]> {
  if (args.positionals.length > 0 || (since === undefined && until === undefined)) return files;
  const paths = await withTeam(targetOf(context, args), (team) => pathsOfTime(team, since, until));
  return files.filter(({ file }) => paths.has(file));
}
