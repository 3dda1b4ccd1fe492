/** What is asked: groupings, filters and the time zone, from the command line. */
import { namesProject } from '../../format/slug.ts';
import { timeOfUse } from '../../graph/usage/time.ts';
import { dayAfter, dayIn } from '../../views/usage/days.ts';
import type { Fact } from '../../views/usage/facts.ts';
import { GROUPINGS, type Grouping, TEAM_GROUPINGS } from '../../views/usage/rows.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { parseTime } from '../time.ts';
import { zoneOf } from './zone.ts';

export interface Question {
  readonly by: readonly Grouping[];
  /** undefined is the machine's own. */
  readonly timeZone: string | undefined;
  readonly wanted: (fact: Fact) => boolean;
  /** It asks for times within a day: these, in milliseconds. */
  readonly needsTimes: boolean;
  readonly times: readonly number[];
  /** Nothing before and nothing after is wanted, whatever the time zone. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** `isTeam`: many people's usage is asked for. */
export function questionOf(context: Context, args: Arguments, isTeam = args.value('team') !== undefined): Question {
  const timeZone = zoneOf(args);
  const tests = [...dateTests(context, args, timeZone), ...nameTests(args)];
  const asked = [args.value('since'), args.value('until')];
  const times = asked.flatMap((time) =>
    time === undefined || isDay(time) ? [] : (parseTime(time, context.now()) ?? []),
  );
  const [first, last] = asked.map((time) => (time === undefined ? undefined : parseTime(time, context.now())));
  return {
    by: groupings(args, isTeam),
    timeZone,
    wanted: (fact) => tests.every((test) => test(fact)),
    needsTimes: times.length > 0,
    times,
    since: first === undefined ? undefined : first - FARTHEST_ZONES,
    until: last === undefined ? undefined : last + FARTHEST_ZONES,
  };
}

/** A day of one zone and of another begin and end no farther apart. */
const FARTHEST_ZONES = 2 * 86_400_000;

function groupings(args: Arguments, isTeam: boolean): Grouping[] {
  const names = args
    .values('by')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return ['day'];
  return [...new Set(names)].map((name) => {
    const all = isTeam ? [...GROUPINGS, ...TEAM_GROUPINGS] : GROUPINGS;
    const grouping = all.find((each) => each === name);
    if (grouping) return grouping;
    const meant = name === 'tool' ? name : groupingMeant(name);
    const next = meant === undefined ? 'For example: skein usage --by day,model' : `Run: skein usage --by ${meant}`;
    throw new UsageError(notGrouping(name, all), `--by ${args.values('by').join(',')}`, next);
  });
}

const OTHER_NAMES: Readonly<Record<string, string>> = { daily: 'day', branches: 'branch', 'git-branch': 'branch' };

/** Other tools say daily, weekly or blocks. */
export function groupingMeant(word: string): string | undefined {
  const stem = OTHER_NAMES[word] ?? word.replace(/(?:ly|s)$/, '');
  return [...GROUPINGS, 'tool'].find((grouping) => grouping === stem);
}

function notGrouping(name: string, known: readonly string[]): string {
  if (name === 'tool') return '--by tool stands alone.';
  if (TEAM_GROUPINGS.some((each) => each === name)) return `--by ${name} is asked of a team: add --team.`;
  return `--by takes ${known.join(', ')}, tool; not "${name}".`;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

function isDay(text: string): boolean {
  return DAY.test(text) || text === 'today' || text === 'yesterday';
}

/** Days are days of the time zone asked for, both included. */
function dateTests(context: Context, args: Arguments, zone: string | undefined): ((fact: Fact) => boolean)[] {
  const day = dayIn(zone);
  const now = context.now();
  return (['since', 'until'] as const).flatMap((name) => {
    const given = args.value(name);
    if (given === undefined) return [];
    const time = parseTime(given, now);
    if (time === undefined) {
      throw new UsageError(`--${name} "${given}" is no time.`, `--${name}`, 'For example: 2026-01-31, 7d, today');
    }
    const today = day(now.getTime());
    // A day has not always 24 hours.
    const word = given === 'today' ? today : given === 'yesterday' ? dayAfter(today, -1) : given;
    const sign = name === 'since' ? 1 : -1;
    const test = DAY.test(word)
      ? (said: number) => day(said) === word || day(said) > word === sign > 0
      : (said: number) => (said - time) * sign >= 0;
    return (fact: Fact) => {
      const said = timeOfUse(fact.time);
      return said !== undefined && test(said);
    };
  });
}

function nameTests(args: Arguments): ((fact: Fact) => boolean)[] {
  const projects = args.values('project');
  const models = args.values('model').map((model) => model.toLowerCase());
  return [
    ...(projects.length > 0 ? [(fact: Fact) => projects.some((name) => namesProject(fact.project, name))] : []),
    ...(models.length > 0 ? [(fact: Fact) => models.some((name) => fact.model.toLowerCase().includes(name))] : []),
  ];
}
