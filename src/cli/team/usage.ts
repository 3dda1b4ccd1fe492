/** `skein team usage`: what a team spends, its budgets, and its most expensive habits. */
import { namesProject } from '../../format/slug.ts';
import type { Team } from '../../team/connect.ts';
import { budgetsOf } from '../../team/usage/budgets.ts';
import { teamFacts } from '../../team/usage/facts.ts';
import { teamHabits } from '../../team/usage/habits.ts';
import { membersOf } from '../../team/usage/teams.ts';
import { type Budget, type BudgetState, budgetStates, budgetsSince } from '../../views/usage/budgets.ts';
import { QUARTER } from '../../views/usage/days.ts';
import type { Fact } from '../../views/usage/facts.ts';
import type { Habit } from '../../views/usage/habits.ts';
import { reportJson, sumsJson } from '../../views/usage/json.ts';
import { type Grouping, type Report, reportOf } from '../../views/usage/rows.ts';
import { wholeNumber } from '../arguments.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { openMask } from '../mask.ts';
import { costMode } from '../usage/pricetable.ts';
import { openPricing, type Priced } from '../usage/pricing.ts';
import { type Question, questionOf } from '../usage/question.ts';
import { askOf } from '../usage/team.ts';
import { targetOf, withTeam } from './shared.ts';

/** What is shown without --by: a table of each. */
const OVERVIEW = ['team', 'person', 'project', 'model'] as const satisfies readonly Grouping[];
const SHOWN = 10;

export interface TeamUsage {
  readonly team: string;
  /** Of all that was asked for. */
  readonly whole: Report;
  readonly tables: readonly Report[];
  /** undefined where they were not asked for. */
  readonly budgets: readonly BudgetState[] | undefined;
  readonly habits: readonly Habit[] | undefined;
}

/** Exit code 1 when nothing was found. */
export async function run(context: Context, args: Arguments): Promise<number> {
  const question = questionOf(context, args, true);
  refuseOthers(question.by, args);
  const limit = wholeNumber(args, 'limit') ?? SHOWN;
  const pricing = openPricing(context, args);
  const found = await withTeam(targetOf(context, args), (team) => look(context, args, question, pricing, team));
  const mask = await openMask(context, args);
  if (args.flag('json')) context.out.write(`${mask.json(toJson(found, args, question, pricing))}\n`);
  else
    await (await import('./usageprint.ts')).printTeamUsage(context, args, found, {
      limit,
      mask,
      prices: pricing.table,
    });
  return found.whole.totals.messages > 0 ? 0 : 1;
}

/** Chats, sessions and agents are told by name: for that the list of files is needed, which `skein usage` has. */
function refuseOthers(by: readonly Grouping[], args: Arguments): void {
  const other = by.find((each) => each === 'chat' || each === 'session' || each === 'agent' || each === 'block');
  if (other === undefined) return;
  const next = `Ask: skein usage --by ${other} --team ${args.value('team') ?? 'TEAM'}`;
  throw new UsageError(`team usage does not group by ${other}.`, `--by ${args.values('by').join(',')}`, next);
}

async function look(
  context: Context,
  args: Arguments,
  question: Question,
  pricing: Priced,
  team: Team,
): Promise<TeamUsage> {
  const only = args.flag('budgets') || args.flag('habits');
  const isOverview = !only && args.values('by').length === 0;
  const now = context.now().getTime();
  const members = await membersOf(team);
  const budgets = isOverview || args.flag('budgets') ? await budgetsOf(team) : undefined;
  const by = isOverview ? OVERVIEW : question.by;
  const since =
    question.since === undefined || !budgets?.length ? question.since : Math.min(question.since, budgetsSince(now));
  const ask = askOf(args, { ...question, by: [...by, 'person'], since });
  const facts = await teamFacts(team, ask, pricing);
  const teamOf = ({ owner = '' }: Fact) => (members.get(owner) ?? []).join(', ');
  const report = (each: readonly Grouping[]) => reportOf(facts, { ...question, by: each, teamOf });
  const isOf = (fact: Fact, budget: Budget) => isOfBudget(fact, budget, members);
  return {
    team: team.target.name,
    whole: report(['total']),
    tables: only ? [] : isOverview ? OVERVIEW.map((each) => report([each])) : [report(by)],
    budgets: budgets && budgetStates(budgets, facts, { now, timeZone: question.timeZone, isOf }),
    habits:
      isOverview || args.flag('habits')
        ? await habitsOf(team, facts.filter(question.wanted), since, pricing)
        : undefined,
  };
}

function isOfBudget(fact: Fact, { scope, name }: Budget, members: ReadonlyMap<string, readonly string[]>): boolean {
  const { owner = '', person, project, model } = fact;
  if (scope === 'team') return members.get(owner)?.includes(name) === true;
  if (scope === 'person') return person === name || owner === name;
  return scope === 'project' ? namesProject(project, name) : model.toLowerCase().includes(name.toLowerCase());
}

/** Of the projects, models and times of these facts. */
async function habitsOf(
  team: Team,
  facts: readonly Fact[],
  since: number | undefined,
  pricing: Priced,
): Promise<Habit[]> {
  const times = facts.flatMap(({ time }) => time ?? []);
  if (times.length === 0) return [];
  const least = times.reduce((a, b) => Math.min(a, b));
  const last = times.reduce((a, b) => Math.max(a, b));
  const ask = {
    from: least,
    to: last % QUARTER === 0 ? last + QUARTER - 1 : last,
    projects: [...new Set(facts.map(({ project }) => project))],
    models: [...new Set(facts.map(({ model }) => model))],
  };
  return teamHabits(team, { ...ask, ...(since !== undefined && { since }) }, pricing);
}

function toJson(found: TeamUsage, args: Arguments, { timeZone }: Question, pricing: Priced): object {
  const { team, whole, tables, budgets, habits } = found;
  return {
    team,
    timeZone: timeZone ?? 'local',
    cost: costMode(args),
    prices: pricing.table,
    totals: sumsJson(whole.totals),
    unknownModels: whole.unknownModels,
    tables: tables.map((table) => {
      const { by, rows } = reportJson(table, new Map());
      return { by, rows };
    }),
    ...(budgets && { budgets }),
    ...(habits && { habits }),
  };
}
