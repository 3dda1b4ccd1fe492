/** How the code that answers at once asks a team: the thread waits for the answer. */
import type { JsonObject } from '../../format/json.ts';

/** Rows as objects. `{name: Type}` in the statement stands for a parameter. Throws PlaceError. */
export type Ask = (sql: string, params?: Readonly<Record<string, unknown>>) => JsonObject[];

/** A file as the tables name it. */
export interface Place {
  readonly session: string;
  readonly name: string;
}

/** Where the files of a team seem to lie (paths.ts), of those that were listed. */
export interface Places {
  pathOf(session: string, name: string): string;
  placeOf(path: string): Place | undefined;
}
