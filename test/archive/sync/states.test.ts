/** Two machines with one archive: files that grow, are cut, written anew, scrubbed, put back and imported, in any order. */
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { restore } from '../../../src/archive/restore/restore.ts';
import { scrub } from '../../../src/archive/scrub/scrub.ts';
import { secretMasker } from '../../../src/archive/scrub/secrets.ts';
import type { Archive } from '../../../src/archive/store.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { entry, faultsOf, newArchive, PLACE, rootOf, SESSION, statesOf, syncRoot } from '../helpers.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const NAME = `${PLACE}/${SESSION}.jsonl`;
/** Put together here, so that no scanner takes this file for a leak. */
const token = (seed: string) => `ghp_${seed.padEnd(36, 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY')}`;
const LINES = [entry('a'), entry('b'), entry('s', SESSION, token('1')), entry('t', SESSION, `x ${token('2')}`), 'torn'];

interface Machine {
  readonly archive: Archive;
  /** What is on its disk. */
  text: string;
  time: number;
  /** Lines its archive must never have again. */
  readonly scrubbed: Set<string>;
}

type Step = readonly ['append' | 'cut' | 'anew' | 'sync' | 'full' | 'import' | 'scrub' | 'put back', 0 | 1, number];

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom<Step[0]>('append', 'append', 'cut', 'anew', 'sync', 'sync', 'full', 'import', 'scrub', 'put back'),
  fc.constantFrom<0 | 1>(0, 1),
  fc.nat(LINES.length - 1),
);

/** Secrets and what stands for them are the same here. */
const alike = (text: string) => text.replaceAll(/ghp_\w+|\[github-token:\w+\]/g, '#');

test('whatever happens: what is on disk is kept, once; the archive stays whole; no scrubbed line comes back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24 }), async (steps) => {
      const root = rootOf({ [NAME]: entry('a') });
      const path = join(root, NAME);
      let clock = 1_700_000_000;
      const machine = (): Machine => ({ archive: newArchive(), text: entry('a'), time: clock, scrubbed: new Set() });
      const machines = [machine(), machine()] as const;
      const put = ({ text, time }: Machine) => {
        writeFileSync(path, text);
        utimesSync(path, time, time);
      };
      const write = (own: Machine, text: string) => {
        clock += 1;
        own.text = text;
        own.time = clock;
      };
      const sync = (own: Machine, full: boolean) => {
        put(own);
        const { archive, text, scrubbed } = own;
        syncRoot(archive, root, { full });
        const states = statesOf(archive, NAME).map(String);
        expect(states.some((state) => alike(state).startsWith(alike(text)))).toBe(true);
        expect(new Set(states).size).toBe(states.length);
        expect(states.flatMap((state) => state.split('\n')).filter((line) => scrubbed.has(line))).toEqual([]);
        expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
        expect(syncRoot(archive, root, { full: true }).outcomes).toMatchObject({ unchanged: 1 });
      };
      sync(machines[0], false);
      mergeArchive(machines[1].archive, machines[0].archive);
      for (const [what, which, place] of steps) {
        const [own, other] = [machines[which], machines[which === 0 ? 1 : 0]];
        const { archive } = own;
        if (what === 'append') write(own, own.text + LINES[place]);
        if (what === 'cut') write(own, own.text.slice(0, Math.floor(own.text.length / 2)));
        if (what === 'anew') write(own, (LINES[place] ?? '') + own.text);
        if (what === 'sync' || what === 'full') sync(own, what === 'full');
        if (what === 'import') mergeArchive(archive, other.archive);
        if (what === 'scrub') {
          const held = statesOf(archive, NAME).flatMap((state) => state.toString().split('\n').slice(0, -1));
          for (const line of held.filter((each) => each.includes('ghp_'))) own.scrubbed.add(line);
          await scrub(archive, allFiles(archive.db), secretMasker(), NOW);
        }
        if (what === 'put back') {
          put(own);
          restore(archive, allFiles(archive.db), { force: true });
          write(own, readFileSync(path, 'utf8'));
        }
        expect(faultsOf(archive)).toEqual([]);
      }
      for (const own of machines) sync(own, false);
      for (const { archive } of machines) archive.close();
    }),
    { numRuns: 8 },
  );
});
