/** Which parts of a file gave secrets away, so that a hook need not look through all of it each time. Places only: no secret is written down. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJsonObject } from '../../disk/sidecars.ts';
import { asArray, asNumber } from '../../format/json.ts';
import { stateName } from './places.ts';
import { digestBefore } from './state.ts';

/** Bytes of a file. */
export interface Block {
  readonly from: number;
  readonly to: number;
}

export interface Learnt {
  /** What comes before was looked through. */
  readonly upTo: number;
  /** Where something was found. */
  readonly told: readonly Block[];
}

export interface LearntPlaces {
  of(file: string): Learnt;
  keep(file: string, learnt: Learnt): void;
}

const NOTHING: Learnt = { upTo: 0, told: [] };

/** `rules`: what was looked for; where it has changed, everything is looked through again. */
export function openLearnt(folder: string, rules: string): LearntPlaces {
  const pathOf = (file: string) => join(folder, stateName(file));
  return {
    of(file) {
      const json = readJsonObject(pathOf(file));
      const upTo = asNumber(json?.upTo);
      const told = asArray(json?.told)?.map(asArray);
      if (upTo === undefined || told === undefined || json?.rules !== rules) return NOTHING;
      // The file is another, or was written anew.
      if (json.file !== file || json.before !== digestBefore(file, upTo)) return NOTHING;
      const blocks = told.map((block) => ({ from: asNumber(block?.[0]) ?? 0, to: asNumber(block?.[1]) ?? 0 }));
      return { upTo, told: blocks };
    },
    keep(file, { upTo, told }) {
      const blocks = told.map(({ from, to }) => [from, to]);
      const text = JSON.stringify({ file, rules, upTo, before: digestBefore(file, upTo), told: blocks });
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        // Half of it is as good as none.
        writeFileSync(pathOf(file), `${text}\n`, { mode: 0o600 });
      } catch {
        // Then it is looked through again.
      }
    },
  };
}
