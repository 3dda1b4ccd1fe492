/** Files that are not gone but lie in the folder of another project now: a project was renamed or moved. */
import { DiskError } from '../../disk/errors.ts';
import type { ArchivedFile, Version } from '../files.ts';
import { createDigest } from '../pieces/digest.ts';
import { modeOf } from '../sync/ingest.ts';
import { chunksOf, openInput } from '../sync/input.ts';
import type { SourceFile } from '../sync/sources.ts';

export type State = Pick<Version, 'size' | 'digest'>;

/** Where a file in one of its states, or what it grew to, lies now; undefined where it is nowhere else. */
export type FindMoved = (file: ArchivedFile, states: readonly State[]) => string | undefined;

export function movedAmong(onDisk: readonly SourceFile[]): FindMoved {
  const byPlace = Map.groupBy(onDisk, placeOf);
  return (file, states) => {
    const place = placeOf(file);
    if (place === undefined) return undefined;
    const grows = modeOf(file.name) === 'lines';
    const others = (byPlace.get(place) ?? []).filter(({ name }) => name !== file.name);
    const holds = ({ path, bytes }: SourceFile) =>
      states.some(({ size, digest }) => (bytes === size || (grows && bytes > size)) && begins(path, size, digest));
    return others.find(holds)?.path;
  };
}

export function begins(path: string, size: number, digest: Buffer): boolean {
  try {
    return digestOf(path, size).equals(digest);
  } catch (error) {
    // What cannot be read may be anything.
    if (!(error instanceof DiskError)) throw error;
    return false;
  }
}

/** The config folder and the path below the project's: that stays when a project gets another folder (L2). Each has a list of its own. */
function placeOf({ root, name, kind }: Pick<ArchivedFile, 'root' | 'name' | 'kind'>): string | undefined {
  if (kind === 'sessions-index') return undefined;
  const rest = /^projects\/[^/]+\/(.+)$/s.exec(name)?.[1];
  return rest === undefined ? undefined : `${root}\0${rest}`;
}

/** Of a file, or of its beginning. */
export function digestOf(path: string, size?: number): Buffer {
  const input = openInput(path);
  try {
    const digest = createDigest();
    for (const chunk of chunksOf(input, 0, size ?? input.size)) digest.update(chunk);
    return digest.value();
  } finally {
    input.close();
  }
}
