/** What is asked: groupings, filters and the time zone, from the command line. */
import { dayIn, isTimeZone } from '../../views/usage/days.ts';
import type { Fact } from '../../views/usage/facts.ts';
import { GROUPINGS, type Grouping } from '../../views/usage/rows.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { namesProject } from '../projects.ts';
import { parseTime } from '../time.ts';

export interface Question {
  readonly by: readonly Grouping[];
  /** undefined is the machine's own. */
  readonly timeZone: string | undefined;
  readonly wanted: (fact: Fact) => boolean;
  /** It asks for times within a day. */
  readonly needsTimes: boolean;
}

export function questionOf(context: Context, args: Arguments): Question {
  const timeZone = zoneOf(args);
  const tests = [...dateTests(context, args, timeZone), ...nameTests(args)];
  const needsTimes = [args.value('since'), args.value('until')].some((time) => time !== undefined && !isDay(time));
  return { by: groupings(args), timeZone, wanted: (fact) => tests.every((test) => test(fact)), needsTimes };
}

function groupings(args: Arguments): Grouping[] {
  const names = args
    .values('by')
    .flatMap((value) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return ['day'];
  return [...new Set(names)].map((name) => {
    const grouping = GROUPINGS.find((each) => each === name);
    if (grouping) return grouping;
    const known = `${GROUPINGS.join(', ')}, tool`;
    const what = name === 'tool' ? '--by tool stands alone.' : `--by takes ${known}; not "${name}".`;
    throw new UsageError(what, `--by ${args.values('by').join(',')}`, 'For example: skein usage --by day,model');
  });
}

export function zoneOf(args: Arguments): string | undefined {
  if (args.flag('utc')) return 'UTC';
  const zone = args.value('timezone');
  if (zone === undefined || isTimeZone(zone)) return zone;
  throw new UsageError(`There is no time zone "${zone}".`, `--timezone ${zone}`, 'For example: Europe/Berlin, UTC');
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
    const word =
      given === 'today' || given === 'yesterday' ? day(now.getTime() - (given === 'today' ? 0 : 86_400_000)) : given;
    const sign = name === 'since' ? 1 : -1;
    if (DAY.test(word)) {
      return (fact: Fact) => fact.time !== undefined && (day(fact.time) === word || day(fact.time) > word === sign > 0);
    }
    return (fact: Fact) => fact.time !== undefined && (fact.time - time) * sign >= 0;
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
