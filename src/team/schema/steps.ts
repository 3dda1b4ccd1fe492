/**
 * How a schema becomes the one of this version: numbered steps, each taken once, in order. The first makes today's tables; a change
 * of a table that teams already have is a further step, and tables.ts says what comes out at the end.
 */
import { databaseStatement, type Place, tableStatements } from './definition.ts';
import type { Retention } from './retention.ts';
import { TABLES } from './tables.ts';

export interface Step {
  readonly version: number;
  readonly what: string;
  /** Each may be run again: a set-up that broke off begins with the step it was at. */
  statements(place: Place, retention: Retention): readonly string[];
}

export const STEPS: readonly Step[] = [
  {
    version: 1,
    what: 'the tables',
    statements: (place, retention) => [
      databaseStatement(place),
      ...TABLES.flatMap((table) => tableStatements(table, place, retention)),
    ],
  },
];
