/** The lines of rows that were found. */
import { keyOf } from '../../archive/search/keys.ts';
import { findableLine } from '../../archive/search/lines.ts';
import { asNumber, asString } from '../../format/json.ts';
import type { Found } from '../../views/search/parts.ts';
import type { Team } from '../connect.ts';
import { level } from '../read/chosen.ts';
import type { Row } from './found.ts';

/**
 * Without FINAL, which would read the lines around them too: of the states of a line the one that came last stands. Its place is
 * part of the key, so few blocks are unpacked.
 */
const LINES = `SELECT session, name, n, id, owner, version, deleted, ${level()} AS level, line FROM entries
  PREWHERE session IN {sessions: Array(String)}
    AND (session, name, n) IN (
      SELECT at.1, at.2, at.3 FROM (
        SELECT arrayJoin(arrayZip({sessions: Array(String)}, {names: Array(String)}, {lines: Array(UInt32)})) AS at
      )
    )`;

/** Of a line, as one push sent it. */
export interface State {
  /** Which line of whom: the last of its states stands. */
  readonly line: string;
  /** As placeOf has it; undefined when there is nothing to find, or it was taken back. */
  readonly place: string | undefined;
  readonly version: number;
  /** How much the policy let go. */
  readonly level: number;
}

export interface EntryState extends State {
  readonly entry: Found | undefined;
  /** Of the whole line, with what cannot be found in it: images, above all. */
  readonly bytes: number;
}

/** In no order. The line itself is let go as soon as what can be found in it is known. */
export async function* statesOf(team: Team, rows: readonly Row[]): AsyncGenerator<EntryState> {
  if (rows.length === 0) return;
  const params = {
    sessions: rows.map(({ session }) => session),
    names: rows.map(({ name }) => name),
    lines: rows.map(({ n }) => n),
  };
  for await (const row of team.each(LINES, params)) {
    const text = (name: string) => asString(row[name]) ?? '';
    const at = `${text('session')}\0${text('name')}\0${asNumber(row.n) ?? 0}`;
    const bytes = Buffer.from(text('line'));
    const entry = row.deleted === 1 ? undefined : findableLine(bytes);
    yield {
      line: `${at}\0${text('id')}\0${text('owner')}`,
      // Two machines that went another way may have different entries at one place; the row tells which is meant.
      place: entry && `${at}\0${keyOf(entry.identity).toString('hex')}`,
      version: asNumber(row.version) ?? 0,
      level: asNumber(row.level) ?? 0,
      entry,
      bytes: bytes.length,
    };
  }
}

/** Those that stand, by their places: of several people's the one that tells most, then the one that came last. */
export function standing<T extends State>(states: Iterable<T>): Map<string, T> {
  const last = new Map<string, T>();
  for (const state of states) {
    const known = last.get(state.line);
    if (known === undefined || state.version > known.version) last.set(state.line, state);
  }
  const found = new Map<string, T>();
  for (const state of last.values()) {
    const known = state.place === undefined ? undefined : found.get(state.place);
    const isBetter =
      known === undefined ||
      state.level > known.level ||
      (state.level === known.level && state.version > known.version);
    if (state.place !== undefined && isBetter) found.set(state.place, state);
  }
  return found;
}

/** The entry of each row, by what placeOf gives. */
export async function loadEntries(team: Team, rows: readonly Row[]): Promise<Map<string, Found>> {
  const states: EntryState[] = [];
  for await (const state of statesOf(team, rows)) states.push(state);
  return new Map(
    [...standing(states)].flatMap(([place, { entry }]) => (entry === undefined ? [] : [[place, entry] as const])),
  );
}

export function placeOf({ session, name, n, identity }: Row): string {
  return `${session}\0${name}\0${n}\0${identity}`;
}
