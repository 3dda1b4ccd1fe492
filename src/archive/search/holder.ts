/** Which lines a transcript has: a result belongs to a call of its own file, since ids that were made by hand stand in others too. */
import { type Database, get } from '../sqlite.ts';

export interface Holder {
  readonly file: number;
  /** A piece that it has, although the archive's tables do not say so yet. */
  saw(piece: number): void;
  holds(piece: number): boolean;
}

const HELD = `SELECT 1 FROM version JOIN run ON run.version = version.id
  WHERE version.file = ? AND run.first <= ? AND run.first + run.count > ? LIMIT 1`;

export function createHolder(archive: Database, file: number): Holder {
  /** First and end of what follows each other. */
  const seen: [number, number][] = [];
  return {
    file,
    saw(piece) {
      const last = seen.at(-1);
      if (last !== undefined && last[1] === piece) last[1] = piece + 1;
      else seen.push([piece, piece + 1]);
    },
    holds: (piece) =>
      seen.some(([first, end]) => first <= piece && piece < end) ||
      get(archive, HELD, file, piece, piece) !== undefined,
  };
}
