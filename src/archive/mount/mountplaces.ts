/** Which archived files belong to the places a person looks at, and the path each has there. */
import { statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { folderFs } from '../../disk/io.ts';
import type { ArchivedState } from '../files.ts';
import { pathOf } from '../sync/sources.ts';

/** As it was reached, and without links: so the archive knows it. It need not be there any more. */
export interface Place {
  readonly shown: string;
  readonly real: string;
}

export function placeAt(path: string): Place {
  return { shown: path, real: realPath(path) };
}

function realPath(path: string): string {
  try {
    return folderFs.realPath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), basename(path));
  }
}

export interface KeptFile {
  readonly path: string;
  readonly state: ArchivedState;
}

export interface PlacesQuery {
  /** The id of this machine's archive. */
  readonly own: string;
  readonly places: readonly Place[];
  /** Also what lay in folders that are gone, and what came from other machines: nobody could name these places. */
  readonly elsewhere: boolean;
}

export function keptFiles(states: readonly ArchivedState[], { own, places, elsewhere }: PlacesQuery): KeptFile[] {
  const machine = machineNames(states, own);
  const isGone = once((root) => statSync(root, { throwIfNoEntry: false }) === undefined);
  return states.flatMap((state) => {
    const original = pathOf(state);
    const name = machine(state.origin);
    if (name !== undefined) return elsewhere ? [{ path: `${name}:${original}`, state }] : [];
    const path = pathIn(places, original, state.session) ?? (elsewhere && isGone(state.root) ? original : undefined);
    return path === undefined ? [] : [{ path, state }];
  });
}

function pathIn(places: readonly Place[], original: string, session: string | undefined): string | undefined {
  for (const { shown, real } of places) {
    if (original === real) return shown;
    if (original.startsWith(real.endsWith(sep) ? real : real + sep)) return shown + original.slice(real.length);
    // A session's file stands for all that belongs to it, and so does its folder.
    const id = basename(real, '.jsonl');
    const above = dirname(real);
    if (session === id && original.startsWith(above + sep)) return dirname(shown) + original.slice(above.length);
  }
  return undefined;
}

/** By the archive that took a file first: what to call its machine; nothing for this one. */
function machineNames(states: readonly ArchivedState[], own: string): (origin: string) => string | undefined {
  const labels = new Map(states.map(({ origin, label }) => [origin, label]));
  return once((origin) => {
    if (origin === own) return undefined;
    const label = labels.get(origin) || 'machine';
    const isAlone = [...labels].every(([other, each]) => other === origin || other === own || each !== label);
    return isAlone ? label : `${label}-${origin.slice(0, 8)}`;
  });
}

function once<T>(call: (key: string) => T): (key: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (key) => {
    const value = known.get(key) ?? { value: call(key) };
    known.set(key, value);
    return value.value;
  };
}
