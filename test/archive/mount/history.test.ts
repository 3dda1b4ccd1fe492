import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allFiles, versionsOf } from '../../../src/archive/files.ts';
import { bytesOfVersion } from '../../../src/archive/pieces/read.ts';
import type { Archive } from '../../../src/archive/store.ts';
import { tempFolder } from '../../support/files.ts';
import { entry, FORK, faultsOf, newArchive, PLACE, SESSION, syncRoot } from '../helpers.ts';

const NAMES = [
  `${PLACE}/${SESSION}.jsonl`,
  `${PLACE}/${FORK}.jsonl`,
  `${PLACE}/${SESSION}/tool-results/x.txt`,
  'history.jsonl',
];

const content = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'b', 'c').map((uuid) => entry(uuid)),
      fc.constantFrom('a', 'b', 'c').map((uuid) => entry(uuid, FORK)),
      fc.constantFrom('{"torn', '\n', '\r\n', '\0', 'x'.repeat(20_000)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));

const name = fc.constantFrom(...NAMES);
const action = fc.oneof(
  fc.record({ do: fc.constant('write' as const), name, content }),
  fc.record({ do: fc.constant('append' as const), name, content }),
  fc.record({ do: fc.constant('truncate' as const), name, share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ do: fc.constant('delete' as const), name }),
  fc.record({ do: fc.constant('sync' as const), full: fc.boolean() }),
);

test('whatever happens to the files, every state that a sync saw is kept', () => {
  fc.assert(
    fc.property(fc.array(action, { minLength: 3, maxLength: 25 }), (actions) => {
      const root = tempFolder();
      mkdirSync(join(root, 'projects'));
      const archive = newArchive();
      const now = new Map<string, string>();
      const seen = new Map<string, Set<string>>();
      let clock = 1e9;

      const put = (file: string, text: string) => {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        if (text.startsWith(now.get(file) ?? '\u0001'))
          appendFileSync(join(root, file), text.slice(now.get(file)?.length));
        else writeFileSync(join(root, file), text);
        now.set(file, text);
        // Times of their own, as a real clock gives: some go backwards.
        clock += clock % 7 === 0 ? -5000 : 1001;
        utimesSync(join(root, file), clock, clock);
      };

      for (const step of actions) {
        if (step.do === 'write') put(step.name, step.content);
        else if (step.do === 'append') put(step.name, (now.get(step.name) ?? '') + step.content);
        else if (step.do === 'truncate') {
          const text = now.get(step.name);
          if (text === undefined) continue;
          truncateSync(join(root, step.name), Math.floor(text.length * step.share));
          put(step.name, text.slice(0, Math.floor(text.length * step.share)));
        } else if (step.do === 'delete') {
          rmSync(join(root, step.name), { force: true });
          now.delete(step.name);
        } else {
          expect(syncRoot(archive, root, { full: step.full }).problems).toEqual([]);
          for (const [file, text] of now) {
            expect(statSync(join(root, file)).size).toBe(text.length);
            // Sidecars of a session that has no folder of its own kind are found by their names; all of these are.
            seen.set(file, (seen.get(file) ?? new Set()).add(text));
          }
          expectKept(archive, seen, now);
        }
      }
      expect(faultsOf(archive)).toEqual([]);
      archive.close();
    }),
    { numRuns: 60 },
  );
});

function expectKept(archive: Archive, seen: Map<string, Set<string>>, now: Map<string, string>): void {
  for (const file of allFiles(archive.db)) {
    const versions = versionsOf(archive.db, file.id).map((version) => ({
      id: version.id,
      text: Buffer.concat([...bytesOfVersion(archive.db, version)]).toString(),
    }));
    for (const text of seen.get(file.name) ?? [])
      expect(versions.some((each) => each.text.startsWith(text))).toBe(true);
    // No state is kept twice, and the current one is what lies on disk.
    expect(new Set(versions.map(({ text }) => text)).size).toBe(versions.length);
    const current = versions.find(({ id }) => id === file.current)?.text;
    if (now.has(file.name)) expect(current).toBe(now.get(file.name));
  }
  expect(new Set(allFiles(archive.db).map((file) => file.name))).toEqual(new Set(seen.keys()));
}
