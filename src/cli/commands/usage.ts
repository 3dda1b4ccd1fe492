/** `skein usage`: tokens and cost, each message once. What a question needs is loaded when it is asked. */
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { REVEAL_OPTION } from '../mask.ts';

export const usage: Command = {
  name: 'usage',
  usage: '[SEL] [--by WHAT] [--since TIME] [--until TIME] [--project NAME] [--model NAME] [--explain] [--heatmap]',
  summary: 'tokens, cost and tools by day, project, model, chat …',
  details: [
    'Counts every API message once, however many lines and copies tell of it: streams, resumes, forks, sub-agents, progress entries. --explain shows for each message which lines were seen and which counted. docs/usage.md tells how it counts.',
    '--by takes day (default), week (from Monday), month, block (five hours), project, model, chat, session, branch (git), agent, total, or several: --by day,model. Rows always sum to the total. --by tool counts tool calls, failures, time and result sizes instead. With --team also team and person.',
    'Costs come from a price table that is part of the package; its date is shown. Models it does not know are listed, and their cost is unknown. Where old clients recorded no output tokens, totals are marked with * as incomplete, and an estimate stands apart.',
    'With SEL only that chat: its sessions and sub-agents. --statusline is for the client: it reads the JSON the client hands to a status line and prints one.',
  ],
  options: {
    by: { type: 'string', multiple: true, value: 'WHAT', help: 'Group by this, or by several in a list: day,model' },
    since: { type: 'string', value: 'TIME', help: 'Only from then on: 2026-01-31, 7d, today' },
    until: { type: 'string', value: 'TIME', help: 'Only until then; a day is included' },
    project: { type: 'string', multiple: true, value: 'NAME', help: 'Only of this project: its path or the end of it' },
    model: { type: 'string', multiple: true, value: 'NAME', help: 'Only models with this in their name' },
    timezone: {
      type: 'string',
      value: 'ZONE',
      help: "Days and clock of this time zone, e.g. Asia/Tokyo; the machine's without it",
    },
    utc: { type: 'boolean', help: 'The same as --timezone UTC' },
    cost: {
      type: 'string',
      value: 'HOW',
      choices: ['auto', 'recorded', 'computed'],
      help: 'auto (default): as recorded by old clients, else computed; or only one of both',
    },
    prices: { type: 'string', value: 'FILE', help: 'A price table of your own, before that of the package' },
    explain: {
      type: 'boolean',
      help: 'Message by message: which lines were seen, which counted and why, at which prices',
    },
    limit: { type: 'string', value: 'N', help: 'With --explain: so many messages (default 20)' },
    skip: { type: 'string', value: 'N', help: 'With --explain: leave out the first N' },
    heatmap: { type: 'boolean', help: 'A calendar of days; with --by the table too' },
    plot: { type: 'boolean', help: 'Bars also where the output is no terminal or narrow' },
    ascii: { type: 'boolean', help: 'Plots of plain characters' },
    statusline: { type: 'boolean', help: 'One line for the status line of the client, whose JSON it reads from stdin' },
    ...REVEAL_OPTION,
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein usage', 'by day'],
    ['skein usage --by project,model --since 30d', 'where the last month went'],
    ['skein usage --by block --since today', 'the five-hour blocks of today'],
    ['skein usage @last --explain', 'how the newest chat was counted, message by message'],
    ['skein usage --by tool', 'which tools are called, how often they fail, how much they return'],
    ["skein usage --by model --json | jq '.rows[] | [.key.model, .costUSD]'", 'for scripts'],
  ],
  completes: 'selector',
  opensLate: true,
  takes: 1,
  run,
};

/** What would have no effect is told. */
function checkOptions(args: Arguments): void {
  const isExplained = args.flag('explain');
  const paged = ['limit', 'skip'].find((name) => args.value(name) !== undefined);
  if (!isExplained && paged !== undefined)
    throw new UsageError(`--${paged} is for --explain; a report has all its rows.`, `--${paged}`, 'Add --explain.');
  const next = 'Leave out one of them.';
  const ofMessages = ['explain', 'heatmap', 'plot', 'cost', 'prices'].find((name) => isGiven(args, name));
  if (isByTool(args) && ofMessages !== undefined)
    throw new UsageError(`--${ofMessages} tells of messages, not of tools.`, `--by tool --${ofMessages}`, next);
  const ofReport = ['by', 'heatmap', 'plot'].find((name) => isGiven(args, name));
  if (isExplained && ofReport !== undefined)
    throw new UsageError(`--explain tells of each message, without --${ofReport}.`, `--explain --${ofReport}`, next);
}

function isGiven(args: Arguments, name: string): boolean {
  return args.flag(name) || args.values(name).length > 0;
}

function isByTool(args: Arguments): boolean {
  return args.values('by').join().trim() === 'tool';
}

async function run(context: Context, args: Arguments): Promise<number> {
  if (args.flag('statusline')) return (await import('../usage/statusline.ts')).printStatusline(context, args);
  checkOptions(args);
  if (isByTool(args)) return (await import('../usage/tools.ts')).reportTools(context, args);
  if (args.flag('explain')) return (await import('../usage/explain.ts')).explain(context, args);
  return (await import('../usage/report.ts')).report(context, args);
}
