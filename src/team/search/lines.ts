/** The lines of rows that were found. */
import { keyOf } from '../../archive/search/keys.ts';
import { findableLine } from '../../archive/search/lines.ts';
import { asNumber, asString } from '../../format/json.ts';
import type { Found } from '../../views/search/parts.ts';
import type { Team } from '../connect.ts';
import type { Row } from './found.ts';

/**
 * Without FINAL, which would read the lines around them too: of the states of a line the one that came last stands. Its place is
 * part of the key, so few blocks are unpacked.
 */
const LINES = `SELECT session, name, n, id, owner, version, deleted, line FROM entries
  PREWHERE session IN {sessions: Array(String)}
    AND (session, name, n) IN (
      SELECT at.1, at.2, at.3 FROM (
        SELECT arrayJoin(arrayZip({sessions: Array(String)}, {names: Array(String)}, {lines: Array(UInt32)})) AS at
      )
    )`;

interface Line {
  readonly place: string;
  readonly version: number;
  readonly bytes: Buffer | undefined;
}

/** The entry of each row, by what placeOf gives. */
export async function loadEntries(team: Team, rows: readonly Row[]): Promise<Map<string, Found>> {
  if (rows.length === 0) return new Map();
  const lines = new Map<string, Line>();
  const params = {
    sessions: rows.map(({ session }) => session),
    names: rows.map(({ name }) => name),
    lines: rows.map(({ n }) => n),
  };
  for await (const row of team.each(LINES, params)) {
    const text = (name: string) => asString(row[name]) ?? '';
    const place = `${text('session')}\0${text('name')}\0${asNumber(row.n) ?? 0}`;
    const key = `${place}\0${text('id')}\0${text('owner')}`;
    const version = asNumber(row.version) ?? 0;
    const known = lines.get(key);
    if (known !== undefined && known.version >= version) continue;
    lines.set(key, { place, version, bytes: row.deleted === 1 ? undefined : Buffer.from(text('line')) });
  }
  const found = new Map<string, Found>();
  // Two machines that went another way may have different entries at one place; the row tells which is meant.
  for (const { place, bytes } of [...lines.values()].toSorted((a, b) => a.version - b.version)) {
    const entry = bytes && findableLine(bytes);
    if (entry) found.set(`${place}\0${keyOf(entry.identity).toString('hex')}`, entry);
  }
  return found;
}

export function placeOf({ session, name, n, identity }: Row): string {
  return `${session}\0${name}\0${n}\0${identity}`;
}
