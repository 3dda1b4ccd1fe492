/** Whose days and clock are meant. */
import { isTimeZone } from '../../views/usage/days.ts';
import type { Arguments } from '../command.ts';
import { UsageError } from '../errors.ts';

/** undefined is the machine's own. */
export function zoneOf(args: Pick<Arguments, 'flag' | 'value'>): string | undefined {
  const zone = args.value('timezone');
  if (args.flag('utc') && zone !== undefined)
    throw new UsageError(
      '--utc is a time zone already, and --timezone another.',
      `--utc --timezone ${zone}`,
      'Leave out one of them.',
    );
  if (args.flag('utc')) return 'UTC';
  if (zone === undefined || isTimeZone(zone)) return zone;
  throw new UsageError(`There is no time zone "${zone}".`, `--timezone ${zone}`, 'For example: Europe/Berlin, UTC');
}
