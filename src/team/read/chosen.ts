/** Which of several rows is taken, said in SQL: machines and people push the same file, each with what their policy lets go. */

/** How much a row of `files` or `entries` may tell: 1 to 3. */
export function level(row = ''): string {
  return `indexOf(['none', 'masked', 'full'], toString(${row}content))`;
}

/** Of the rows of a file: what tells most, of those what came last. Who sends less hides nothing of what others sent. */
export function fullest(row = ''): string {
  return `(${level(row)}, ${row}version, toString(${row}machine), toString(${row}owner))`;
}

/** Of the rows of a file: what came last, for what does not depend on how much may be told. */
export function newest(row = ''): string {
  return `(${row}version, toString(${row}machine), toString(${row}owner))`;
}

/**
 * The largest of a session tells the folder that all its files are shown in: that of its own row, as machines have other folders for one
 * session, and not all have all its files. Where there is none that of an agent.
 */
export function placing(row = ''): string {
  const rank = `(${row}kind = 'session') * 2 + (${row}kind = 'agent')`;
  return `(${rank}, ${fullest(row)}, toString(${row}slug))`;
}

/** Rows with `placing` of each file become rows with the `slug` of their session. */
export function withFolders(rows: string): string {
  return `SELECT * EXCEPT (placing), tupleElement(max(placing) OVER (PARTITION BY session), 3) AS slug FROM (${rows})`;
}

/** Transcripts: session, name, mtime in milliseconds, slug. */
export const TRANSCRIPTS =
  withFolders(`SELECT f.session AS session, f.name AS name, max(toUnixTimestamp64Milli(f.mtime)) AS mtime,
    max(${placing('f.')}) AS placing
  FROM files AS f FINAL WHERE f.kind IN ('session', 'agent') GROUP BY f.session, f.name`);
