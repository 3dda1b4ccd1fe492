/** How many days rows of a class are kept, counted from their time. */

/** By class. */
export type Retention = ReadonlyMap<string, number>;

export const DEFAULT_RETENTION: Retention = new Map([
  ['short', 30],
  ['standard', 365],
  ['long', 1825],
]);

const CLASS = /^[a-z][a-z0-9_-]{0,31}$/;
const MAX_DAYS = 36_500;

/** `standard=90` */
export function parseRetention(text: string): readonly [name: string, days: number] | undefined {
  const [, name = '', digits = ''] = /^([^=]*)=(\d{1,6})$/.exec(text) ?? [];
  const days = Number(digits);
  return CLASS.test(name) && days >= 1 && days <= MAX_DAYS ? [name, days] : undefined;
}

/** A DateTime ends in February 2106 and begins anew in 1970: what would go later goes at this time. */
const LATEST = "toDateTime64('2106-01-01 00:00:00', 3, 'UTC')";

/** For a table's definition: one rule a class; what has another class stays. */
export function ttlOf(retention: Retention): string {
  return sorted(retention)
    .map(([name, days]) => {
      const end = `toDateTime(least(time + toIntervalDay(${days}), ${LATEST}))`;
      return `${end} DELETE WHERE retention = '${name}'`;
    })
    .join(', ');
}

/** As a server tells it of a table it has (system.tables), also by rules as they were made before. */
export function retentionOf(engine: string): Retention {
  const rule = /toIntervalDay\((\d+)\)(?:, toDateTime64\([^)]*\)\)\))?(?: DELETE)? WHERE retention = '([^']*)'/g;
  return new Map([...engine.matchAll(rule)].map(([, days = '', name = '']) => [name, Number(days)]));
}

/** Whether its rules are those made before, by which rows that would go after 2106 went at once. */
export function isWrapping(engine: string): boolean {
  return /toDateTime\(time\) \+ toIntervalDay/.test(engine);
}

export function isSameRetention(one: Retention, other: Retention): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

export function retentionText(retention: Retention): string {
  return sorted(retention)
    .map(([name, days]) => `${name} ${days} days`)
    .join(', ');
}

function sorted(retention: Retention): (readonly [string, number])[] {
  return [...retention].sort(([one], [other]) => (one < other ? -1 : 1));
}
