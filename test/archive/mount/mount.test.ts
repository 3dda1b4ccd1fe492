import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allStates } from '../../../src/archive/files.ts';
import { createMounter } from '../../../src/archive/mount/mountfiles.ts';
import { keptFiles, placeAt } from '../../../src/archive/mount/mountplaces.ts';
import { archiveId } from '../../../src/archive/store.ts';
import { DiskError } from '../../../src/disk/errors.ts';
import { mountFile } from '../../../src/disk/mounts.ts';
import { copyRange, readSessionOf } from '../../../src/disk/read.ts';
import { fileSource } from '../../../src/disk/source.ts';
import { jsonOf } from '../../../src/format/entry.ts';
import { tempFolder } from '../../support/files.ts';
import { entry, FORK, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';

/** Lines that do not compress to nothing, so that a few megabytes are a few packs. */
function session(id: string, lines: number, seed: number): string {
  let state = seed;
  const noise = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state.toString(36);
  };
  return Array.from({ length: lines }, (_, n) =>
    entry(`${id}-${n}`, id, Array.from({ length: 700 }, noise).join(' ')),
  ).join('');
}

const FIRST = Buffer.from(`${session(SESSION, 900, 1)}{"torn`);
const SECOND = Buffer.from(session(FORK, 600, 2));

function mountedFiles() {
  const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: FIRST, [`${PLACE}/${FORK}.jsonl`]: SECOND });
  const archive = newArchive();
  syncRoot(archive, root);
  rmSync(join(root, PLACE), { recursive: true });
  const mount = createMounter(archive);
  const query = { own: archiveId(archive.db), places: [placeAt(root)], elsewhere: false };
  const files = keptFiles(allStates(archive.db), query);
  for (const file of files) mountFile(file.path, mount(file));
  return { root, archive, paths: [join(root, PLACE, `${SESSION}.jsonl`), join(root, PLACE, `${FORK}.jsonl`)] as const };
}

describe('an archived file read as if it were on disk', () => {
  test('any ranges of several files, in any order, by both ways of reading', () => {
    expect(FIRST.length).toBeGreaterThan(3 << 20);
    const { paths } = mountedFiles();
    const sources = paths.map((path) => fileSource(path));
    const step = fc.record({
      which: fc.constantFrom(0, 1),
      from: fc.double({ min: 0, max: 1.01, noNaN: true }),
      length: fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 3 << 20 })),
      way: fc.constantFrom('read', 'fill', 'close'),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        for (const { which, from, length, way } of steps) {
          const source = sources[which];
          const bytes = which === 0 ? FIRST : SECOND;
          const start = Math.floor(from * bytes.length);
          const wanted = bytes.subarray(start, start + length);
          if (source === undefined) continue;
          if (way === 'close') source.close();
          else if (way === 'read') expect(Buffer.compare(source.read(start, start + length), wanted)).toBe(0);
          else {
            const buffer = Buffer.alloc(length);
            const got = source.fill(buffer, start);
            expect(Buffer.compare(buffer.subarray(0, got), wanted)).toBe(0);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('entries, payloads asked for later, and the copy of all bytes', async () => {
    const { paths } = mountedFiles();
    const [path] = paths;
    const { entries } = readSessionOf(path);
    expect(entries).toHaveLength(901);
    for (const place of [899, 0, 450, 449, 898]) {
      const item = entries[place];
      expect(item && jsonOf(item)?.uuid).toBe(`${SESSION}-${place}`);
    }
    const copied: Buffer[] = [];
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        copied.push(Buffer.from(chunk));
        done();
      },
    });
    await copyRange(path, sink);
    expect(Buffer.compare(Buffer.concat(copied), FIRST)).toBe(0);
  });

  test('a file that comes back is read from disk', () => {
    const { root, paths } = mountedFiles();
    mkdirSync(join(root, PLACE), { recursive: true });
    writeFileSync(paths[0], 'back');
    const source = fileSource(paths[0]);
    expect(Buffer.from(source.read(0, source.size())).toString()).toBe('back');
  });

  test('a damaged pack is told as the file it belongs to, with what to do', () => {
    const { archive, paths } = mountedFiles();
    archive.db.exec("UPDATE pack SET data = x'00'");
    expect(() => readSessionOf(paths[1])).toThrow(DiskError);
    expect(() => readSessionOf(paths[1])).toThrow(/archive.*damaged.*skein archive verify/s);
  });
});

describe('which archived files belong to a place', () => {
  const state = (root: string, name: string, more: { origin?: string; label?: string; session?: string } = {}) => ({
    ...{
      id: 1,
      origin: 'own',
      label: 'here',
      session: SESSION,
      current: 1,
      mtimeMs: 0,
      version: 1,
      size: 0,
      sourceSize: 0,
    },
    ...{ digest: Buffer.alloc(0), kind: 'session', root, name, ...more },
  });
  const pathsIn = (places: readonly string[], states: ReturnType<typeof state>[], elsewhere = false) =>
    keptFiles(states, { own: 'own', places: places.map(placeAt), elsewhere }).map(({ path }) => path);

  test('those below it; a session stands for all of its own', () => {
    const states = [
      state('/gone/cfg', `projects/-a/${SESSION}.jsonl`),
      state('/gone/cfg', `projects/-a/${SESSION}/subagents/agent-a1.jsonl`),
      state('/gone/cfg', 'projects/-b/x.jsonl', { session: 'x' }),
    ];
    expect(pathsIn(['/gone/cfg'], states)).toHaveLength(3);
    expect(pathsIn(['/gone'], states)).toHaveLength(3);
    expect(pathsIn(['/gone/cf'], states)).toEqual([]);
    expect(pathsIn(['/gone/cfg/projects/-b'], states)).toEqual(['/gone/cfg/projects/-b/x.jsonl']);
    expect(pathsIn([`/gone/cfg/projects/-a/${SESSION}.jsonl`], states)).toHaveLength(2);
    expect(pathsIn([`/gone/cfg/projects/-a/${SESSION}`], states)).toHaveLength(2);
  });

  test('of other machines only where no place was named, under their names', () => {
    const there = tempFolder();
    const states = [
      state('/gone/cfg', 'a.jsonl'),
      state(there, 'b.jsonl'),
      state('/gone/cfg', 'a.jsonl', { origin: 'other', label: 'laptop' }),
      state('/gone/cfg', 'c.jsonl', { origin: 'third-machine', label: 'desk' }),
      state('/gone/cfg', 'c.jsonl', { origin: 'fourth-machine', label: 'desk' }),
      state('/gone/cfg', 'd.jsonl', { origin: 'nameless', label: '' }),
    ];
    expect(pathsIn(['/gone/cfg'], states)).toEqual(['/gone/cfg/a.jsonl']);
    expect(pathsIn(['/elsewhere'], states, true)).toEqual([
      '/gone/cfg/a.jsonl',
      'laptop:/gone/cfg/a.jsonl',
      'desk-third-ma:/gone/cfg/c.jsonl',
      'desk-fourth-m:/gone/cfg/c.jsonl',
      'machine:/gone/cfg/d.jsonl',
    ]);
  });
});
