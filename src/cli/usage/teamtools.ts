/** `--by tool` of a team. */
import { toolCells } from '../../team/usage/tools.ts';
import { NOTHING } from '../../views/usage/facts.ts';
import { type ToolReport, toolReport } from '../../views/usage/tools.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { targetOf, withTeam } from '../team/shared.ts';
import { chooseFiles } from './choose.ts';
import type { Question } from './question.ts';
import { askOf } from './team.ts';

export async function toolsOfTeam(context: Context, args: Arguments, question: Question): Promise<ToolReport> {
  const files = args.positionals.length > 0 ? (await chooseFiles(context, args)).files : undefined;
  const cells = await withTeam(targetOf(context, args), (team) => toolCells(team, askOf(args, question, files)));
  const place = { ...NOTHING, gitBranch: '', file: '', agentId: '' };
  return toolReport(cells.filter(({ time, model, project }) => question.wanted({ ...place, time, model, project })));
}
