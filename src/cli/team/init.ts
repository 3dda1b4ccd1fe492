/** `skein team init`: the tables, roles and row policies of a team, made or upgraded. */

import { parseRetention } from '../../team/schema/retention.ts';
import { parseBudget, parseMember, type Rules, setRules } from '../../team/schema/rules.ts';
import { type Done, type Plan, type SetUp, setUpTeam } from '../../team/schema/setup.ts';
import type { TeamTarget } from '../../team/target.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { jsonText } from '../jsontext.ts';
import { targetOf, withTeam } from './shared.ts';

const TIMEOUT = 300_000;

export async function run(context: Context, args: Arguments): Promise<number> {
  if (args.positionals.length > 0) {
    const [first = ''] = args.positionals;
    throw new UsageError('init takes no arguments.', `skein team init ${first}`, 'The server is named with --team.');
  }
  const target = targetOf(context, args);
  const plan = planOf(target, args);
  const rules: Rules = {
    members: args.values('member').map((text) => parsed(text, '--member', parseMember, 'LOGIN:TEAM, e.g. anna:red')),
    budgets: args
      .values('budget')
      .map((text) => parsed(text, '--budget', parseBudget, 'SCOPE:NAME=USD/PERIOD, e.g. team:red=500/month')),
  };
  // Its database may not be there yet. All servers of a cluster take their time.
  return withTeam({ ...target, database: 'system', timeoutMs: target.timeoutMs ?? TIMEOUT }, async (server) => {
    let result: SetUp = { from: 0, to: 0, done: [], warnings: [] };
    const ruled: Done[] = [];
    const onStart = (soFar: SetUp) => {
      result = soFar;
    };
    const all = () => ({ ...result, done: [...result.done, ...ruled] });
    try {
      await setUpTeam(server, { ...plan, onStart });
      await setRules(server, plan, rules, context.now().getTime(), ruled);
    } catch (error) {
      // What was done stays done, and is told before what went wrong.
      if (plan.dryRun !== true && result.done.length > 0) tell(context, args, target, all(), plan, BROKEN_OFF);
      throw error;
    }
    tell(context, args, target, all(), plan);
    return 0;
  });
}

const BROKEN_OFF = 'it broke off; this was done:';

function planOf(target: TeamTarget, args: Arguments): Plan {
  const cluster = args.value('cluster') ?? target.cluster;
  const days = args
    .values('retention')
    .map((text) => parsed(text, '--retention', parseRetention, 'CLASS=DAYS, e.g. standard=365'));
  return {
    database: target.database,
    ...(cluster !== undefined && { cluster }),
    retention: new Map(days),
    dryRun: args.flag('dry-run'),
  };
}

function parsed<T>(text: string, option: string, parse: (text: string) => T | undefined, form: string): T {
  const value = parse(text);
  if (value === undefined) throw new UsageError(`"${text}" is not understood.`, option, `It looks like ${form}.`);
  return value;
}

function tell(
  context: Context,
  args: Arguments,
  target: TeamTarget,
  { from, to, done, warnings }: SetUp,
  plan: Plan,
  head = told(from, to, done),
): void {
  const { out } = context;
  const dryRun = plan.dryRun === true;
  const waiting = done.filter(({ outcome }) => outcome === 'asked').flatMap(({ statements }) => statements);
  if (args.flag('json')) {
    const about = { team: target.name, database: target.database, cluster: plan.cluster ?? null, dryRun, from, to };
    out.write(`${jsonText({ ...about, done, administrator: waiting, warnings })}\n`);
    return;
  }
  for (const warning of warnings) context.err.write(`${context.err.style.bad('warning:')} ${warning}\n`);
  if (dryRun) {
    const statements = done.flatMap((each) => each.statements);
    for (const statement of statements) out.write(`${statement};\n`);
    if (statements.length === 0) out.write('-- nothing to do\n');
    return;
  }
  out.write(`${target.name}, database ${target.database}: ${head}\n`);
  for (const { what, outcome, detail } of done) out.write(`  ${WORDS[outcome].padEnd(8)} ${what}: ${detail}\n`);
  if (waiting.length > 0) {
    out.write('\nThis login may not do the following; an administrator of the server has to run it:\n\n');
    for (const statement of waiting) out.write(`${statement};\n`);
  }
}

const WORDS: Readonly<Record<Done['outcome'], string>> = {
  made: 'made',
  kept: 'kept',
  changed: 'changed',
  asked: 'waiting',
};

function told(from: number, to: number, done: readonly Done[]): string {
  if (from === 0) return `set up, schema ${to}`;
  if (from < to) return `upgraded from schema ${from} to ${to}`;
  return done.every(({ outcome }) => outcome === 'kept') ? 'nothing changed' : `schema ${to}`;
}
