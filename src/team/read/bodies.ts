/** The small files beside transcripts: what they hold stands in their row. */
import { type MountedFile, memoryFile } from '../../disk/mounts.ts';
import { asString } from '../../format/json.ts';
import type { Ask } from './ask.ts';
import { createBatches } from './batches.ts';
import { fullest } from './chosen.ts';
import type { TeamFile } from './files.ts';

const SQL = `SELECT session, name, argMax(body, ${fullest('f.')}) AS body FROM files AS f FINAL
  WHERE f.session IN {sessions: Array(String)} AND f.name IN {names: Array(String)} GROUP BY session, name`;
/** Larger ones, such as outputs of tools, are fetched alone. */
const SMALL = 64 << 10;

/** What stands in for each of these, by its path. */
export function mountBodies(ask: Ask, files: ReadonlyMap<string, TeamFile>): Map<string, MountedFile> {
  const fetch = (paths: readonly string[]): Map<string, string> => {
    const wanted = new Map(paths.flatMap((path) => pairOf(path, files.get(path))));
    const some = paths.flatMap((path) => files.get(path) ?? []);
    const params = { sessions: some.map(({ session }) => session), names: some.map(({ name }) => name) };
    return new Map(
      ask(SQL, params).flatMap((row) => {
        const path = wanted.get(keyOf(asString(row.session), asString(row.name)));
        return path === undefined ? [] : [[path, asString(row.body) ?? ''] as const];
      }),
    );
  };
  const small = [...files].flatMap(([path, { bytes }]) => (bytes <= SMALL ? path : []));
  const batches = createBatches(small, fetch);
  const bodyOf = (path: string, bytes: number) => (bytes <= SMALL ? batches.get(path) : fetch([path]).get(path));
  return new Map(
    [...files].map(([path, { bytes }]) => {
      const read = () => Buffer.from(bodyOf(path, bytes) ?? '');
      let size: number | undefined;
      const file: MountedFile = {
        // What was masked has another length than the file had.
        get bytes() {
          size ??= read().length;
          return size;
        },
        open: () => memoryFile(0, read).open(),
      };
      return [path, file];
    }),
  );
}

export function keyOf(session = '', name = ''): string {
  return `${session}\0${name}`;
}

function pairOf(path: string, file: TeamFile | undefined): (readonly [string, string])[] {
  return file === undefined ? [] : [[keyOf(file.session, file.name), path]];
}
