/** Transcripts put together again from their lines: in memory, or in a file without a name where one is too large for that. */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { asNumber, asString, type JsonObject } from '../../format/json.ts';
import type { Team } from '../connect.ts';
import { keyOf } from './bodies.ts';
import { level } from './chosen.ts';
import type { Piece, Request } from './thread.ts';

/** Larger ones are not held in memory. */
const MOST_HELD = 16 << 20;
const WIDEST_GAP = 10_000;
/** Written at once. */
const PACKET = 1 << 20;

/** One line a place and id, however many pushed it; of several states of it the one that tells most, then the one that came last. */
const SQL = `SELECT session, name, n, line FROM (
  SELECT session, name, n, id, line FROM entries FINAL
  WHERE session IN {sessions: Array(String)} AND name IN {names: Array(String)}
  ORDER BY session, name, n, id, ${level()} DESC, version DESC LIMIT 1 BY session, name, n, id
) ORDER BY session, name, n, id`;

/** In the order they were asked for. */
export async function linesOf(
  team: Team,
  { files, temp }: Extract<Request, { kind: 'lines' }>,
  came: () => void,
): Promise<Piece[]> {
  const builders = new Map(files.map(({ session, name, trim }) => [keyOf(session, name), createBuilder(trim, temp)]));
  const params = { sessions: files.map(({ session }) => session), names: files.map(({ name }) => name) };
  try {
    for await (const row of team.each(SQL, params)) {
      builders.get(keyOf(asString(row.session), asString(row.name)))?.add(row);
      came();
    }
    return [...builders.values()].map((builder) => builder.done());
  } catch (error) {
    for (const builder of builders.values()) builder.drop();
    throw error;
  }
}

/** `trim`: how long it is without a line break at its end. */
function createBuilder(trim: number | undefined, temp: string) {
  let parts: Buffer[] = [];
  let waiting = 0;
  let size = 0;
  let last = 0;
  let file: Nameless | undefined;
  const spill = () => {
    file ??= nameless(temp);
    for (const part of parts) writeSync(file.fd, part);
    parts = [];
    waiting = 0;
  };
  return {
    add(row: JsonObject): void {
      // Lines that were held back leave a gap: those after them keep their numbers.
      const n = asNumber(row.n) ?? 0;
      const gap = n - last - 1;
      last = n;
      const before = gap > 0 && gap <= WIDEST_GAP ? '\n'.repeat(gap) : '';
      const line = Buffer.from(`${before}${asString(row.line) ?? ''}\n`);
      parts.push(line);
      waiting += line.length;
      size += line.length;
      if (size > MOST_HELD && (file === undefined || waiting > PACKET)) spill();
    },
    done(): Piece {
      if (trim !== undefined && size === trim + 1) size = trim;
      if (file !== undefined) {
        spill();
        return { kind: 'file', ...file, size };
      }
      const bytes = new Uint8Array(size);
      let at = 0;
      for (const part of parts) {
        bytes.set(part.subarray(0, size - at), at);
        at += part.length;
      }
      return { kind: 'bytes', bytes };
    },
    drop(): void {
      if (file !== undefined) closeSync(file.fd);
    },
  };
}

interface Nameless {
  readonly fd: number;
  readonly path: string | undefined;
}

/** Nobody else can open it, and it is gone with the process, however that ends. Where open files keep their names it goes at the exit. */
function nameless(folder: string): Nameless {
  const path = join(folder, `skein-${randomUUID()}`);
  const fd = openSync(path, 'wx+', 0o600);
  if (process.platform === 'win32') return { fd, path };
  unlinkSync(path);
  return { fd, path: undefined };
}
