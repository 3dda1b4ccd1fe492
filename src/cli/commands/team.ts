/** `skein team`: one history of many machines, on a ClickHouse server. */
import { type Command, READING_OPTIONS } from '../command.ts';
import { REVEAL_OPTION } from '../mask.ts';
import { type Parts, runParts } from '../parts.ts';

const PARTS: Parts = {
  init: async () => (await import('../team/init.ts')).run,
  push: async () => (await import('../team/push.ts')).run,
  policy: async () => (await import('../team/policy.ts')).run,
  recall: async () => (await import('../team/recall.ts')).run,
  usage: async () => (await import('../team/usage.ts')).run,
};

export const team: Command = {
  name: 'team',
  usage: 'init|push|policy|recall|usage [SEL]',
  summary: 'one history of many machines, on a ClickHouse server',
  details: [
    'A team shares its sessions through a ClickHouse server: each machine sends what its policy lets go, and every verb that reads takes --team to read them from there. docs/team.md is the guide.',
    'init makes or upgrades the tables, roles and row policies on a server and says what it did; running it again changes nothing. push sends what is new in the archive, masked unless the policy says otherwise. policy explains what leaves this machine, and why. recall takes a session back. usage tells what the team spends: by team, person, project and model, with budgets and the most expensive habits.',
    'Which server: --team URL or the name of a profile in team.json of $SKEIN_HOME; without it SKEIN_TEAM, else the default of team.json. The password stands in the URL, in SKEIN_TEAM_PASSWORD or in a file that the profile names; it is never shown.',
  ],
  options: {
    team: {
      type: 'string',
      value: 'TEAM',
      help: "The URL of the team's ClickHouse server, or a profile of team.json (default: SKEIN_TEAM, else that of team.json)",
    },
    insecure: { type: 'boolean', help: 'Also by plain http to another machine' },
    cluster: { type: 'string', value: 'NAME', help: 'init: on all servers of this cluster, sharded by session' },
    retention: {
      type: 'string',
      multiple: true,
      value: 'CLASS=DAYS',
      help: 'init: how long rows of a class are kept (short=30, standard=365, long=1825)',
    },
    member: { type: 'string', multiple: true, value: 'LOGIN:TEAM', help: 'init: this login belongs to that team' },
    budget: {
      type: 'string',
      multiple: true,
      value: 'SCOPE:NAME=USD/PERIOD',
      help: 'init: a limit of cost, e.g. team:red=500/month; scopes: team, person, project, model',
    },
    'dry-run': { type: 'boolean', help: 'init, push, recall: change nothing, only say what would be done' },
    all: { type: 'boolean', help: 'push: everything again, also what was sent before' },
    since: { type: 'string', value: 'TIME', help: 'push, usage: only from then on: 2026-01-31, 7d, today' },
    until: { type: 'string', value: 'TIME', help: 'usage: only until then; a day is included' },
    yes: { type: 'boolean', help: 'push, recall: do not ask' },
    quiet: { type: 'boolean', help: 'push: say nothing when all is well' },
    reason: { type: 'string', value: 'TEXT', help: 'recall: why, for those who look after the server' },
    purge: { type: 'boolean', help: 'recall: delete all that was taken back from the server (administrators)' },
    undo: { type: 'boolean', help: 'recall: let it be sent again' },
    by: {
      type: 'string',
      multiple: true,
      value: 'WHAT',
      help: 'usage: group by this, or by several in a list: person,model',
    },
    project: {
      type: 'string',
      multiple: true,
      value: 'NAME',
      help: 'usage: only of this project: its path or the end of it',
    },
    model: { type: 'string', multiple: true, value: 'NAME', help: 'usage: only models with this in their name' },
    timezone: { type: 'string', value: 'ZONE', help: "usage: days of this time zone; the machine's without it" },
    utc: { type: 'boolean', help: 'usage: the same as --timezone UTC' },
    cost: {
      type: 'string',
      value: 'HOW',
      choices: ['auto', 'recorded', 'computed'],
      help: 'usage: auto (default): as recorded by old clients, else computed; or only one of both',
    },
    prices: { type: 'string', value: 'FILE', help: 'usage: a price table of your own, before that of the package' },
    budgets: { type: 'boolean', help: 'usage: only the budgets: spent, left, and where the period will end' },
    habits: { type: 'boolean', help: 'usage: only the most expensive habits' },
    limit: { type: 'string', value: 'N', help: 'usage: so many rows of each table (default 10)' },
    plot: { type: 'boolean', help: 'usage: bars also where the output is no terminal or narrow' },
    ascii: { type: 'boolean', help: 'usage: plots of plain characters' },
    ...REVEAL_OPTION,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein team init --team http://localhost:8123', 'make the tables, roles and row policies'],
    [
      'skein team init --member anna:red --budget team:red=500/month',
      'who belongs to which team, and what it may spend',
    ],
    ['skein team policy', 'what leaves this machine, and why'],
    ['skein team push', 'send what is new'],
    ['skein team recall 4f0c', 'take a session back'],
    ['skein team usage', 'cost by team, person, project and model; budgets; habits'],
    ['skein team usage --by person,model --since 30d', 'who used which model in the last month'],
    ['skein team usage --habits --json', 'the most expensive habits, for scripts'],
  ],
  async run(context, args) {
    if (args.positionals.length > 0) return runParts('team', PARTS)(context, args);
    const { helpText } = await import('../help.ts');
    context.err.write(helpText(team, context.err.style, context.err.columns));
    return 2;
  },
};
