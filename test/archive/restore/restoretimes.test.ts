/** L5: what comes back must not be what the client deletes at its next start, which goes by the time of change. */
import { rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { restore } from '../../../src/archive/restore/restore.ts';
import { totalChanges } from '../../../src/archive/sqlite.ts';
import { io } from '../../../src/disk/io.ts';
import { at } from '../../../src/format/json.ts';
import { tempFolder } from '../../support/files.ts';
import { machine } from '../../support/inprocess.ts';
import { entry, FORK, newArchive, PLACE, rootOf, SESSION, statesOf, syncRoot } from '../helpers.ts';

const DAY = 86_400_000;
const NOW = new Date('2027-01-01T00:00:00Z');
const NAME = `${PLACE}/${SESSION}.jsonl`;
const OTHER = `${PLACE}/${FORK}.jsonl`;
const AGENT = `${PLACE}/${SESSION}/subagents/agent-a1.jsonl`;
const RESULT = `${PLACE}/${SESSION}/tool-results/x.txt`;

function age(root: string, name: string, days: number): void {
  const time = NOW.getTime() / 1000 - days * 86_400;
  utimesSync(join(root, name), time, time);
}

function ageOf(root: string, name: string): number {
  return (NOW.getTime() - statSync(join(root, name)).mtimeMs) / DAY;
}

/** Files of some ages in days, archived and then deleted. */
function deleted(ages: Record<string, number>, settings?: string) {
  const root = rootOf(Object.fromEntries(Object.keys(ages).map((name) => [name, entry(name)])));
  for (const [name, days] of Object.entries(ages)) age(root, name, days);
  const archive = newArchive();
  syncRoot(archive, root);
  for (const name of Object.keys(ages)) rmSync(join(root, name));
  if (settings !== undefined) writeFileSync(join(root, 'settings.json'), settings);
  return { root, archive, back: (more = {}) => restore(archive, allFiles(archive.db), { now: NOW, ...more }) };
}

describe('the time of a restored file', () => {
  test('is the present where the client would delete it by its age, in the order they had', () => {
    const ages = { [NAME]: 45, [OTHER]: 400, [AGENT]: 31, [RESULT]: 45, 'plans/p.md': 90, 'history.jsonl': 45 };
    const { root, back } = deleted(ages);
    const renewed = back().flatMap((each) => (each.renewed ? [each.file.name] : []));
    expect(renewed.sort()).toEqual([NAME, OTHER, AGENT, RESULT, 'plans/p.md'].sort());
    for (const name of renewed) expect(ageOf(root, name)).toBeLessThan(0.001);
    // It never deletes this one.
    expect(ageOf(root, 'history.jsonl')).toBeCloseTo(45);
    expect(ageOf(root, AGENT)).toBeLessThan(ageOf(root, NAME));
    expect(ageOf(root, NAME)).toBeLessThan(ageOf(root, OTHER));
  });

  test.each([
    ['{"cleanupPeriodDays": 60}', 45],
    ['{// longer\n"cleanupPeriodDays": 60,}', 45],
    [undefined, 29],
  ])('is its own where it stays: %s', (settings, days) => {
    const { root, back } = deleted({ [NAME]: days }, settings);
    expect(back()).toMatchObject([{ outcome: 'restored', renewed: false }]);
    expect(ageOf(root, NAME)).toBeCloseTo(days);
  });

  test('is its own below another folder, and where that is asked for', () => {
    const { root, back } = deleted({ [NAME]: 45 });
    const to = tempFolder();
    back({ to });
    expect(ageOf(to, NAME)).toBeCloseTo(45);
    back({ keepTimes: true });
    expect(ageOf(root, NAME)).toBeCloseTo(45);
  });

  test('makes no other version of it, and it is read once', () => {
    const { root, archive, back } = deleted({ [NAME]: 45 });
    back();
    expect(syncRoot(archive, root).outcomes).toMatchObject({ touched: 1, rewritten: 0, added: 0 });
    expect(statesOf(archive, NAME)).toHaveLength(1);
    const [read, written] = [io.bytesRead, totalChanges(archive.db)];
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    expect([io.bytesRead, totalChanges(archive.db)]).toEqual([read, written]);
    // Deleted once more it comes back once more.
    rmSync(join(root, NAME));
    expect(back()).toMatchObject([{ outcome: 'restored', renewed: true }]);
  });
});

describe('the command', () => {
  async function forgottenBy(settings?: string) {
    const { root, run } = machine(rootOf({ [NAME]: entry('a') }));
    if (settings !== undefined) writeFileSync(join(root, 'settings.json'), settings);
    age(root, NAME, 45);
    await run('archive', 'sync');
    rmSync(join(root, NAME));
    return { root, run };
  }

  test('says so, and status agrees', async () => {
    const { root, run } = await forgottenBy();
    const { code, text } = await run('archive', 'restore', '--all');
    expect([code, text]).toEqual([0, expect.stringMatching(/1 file got the present time.*30 days.*--keep-times/)]);
    expect((await run('archive', 'status')).text).not.toContain('at its next start');
    rmSync(join(root, NAME));
    expect((await run('archive', 'restore', '--all', '--json')).json()).toMatchObject({ files: [{ renewed: true }] });
    rmSync(join(root, NAME));
    expect((await run('archive', 'restore', SESSION, '--keep-times')).text).not.toContain('present time');
    expect(ageOf(root, NAME)).toBeCloseTo(45);
    expect((await run('archive', 'status')).text).toContain('at its next start');
  });

  test('says where nothing helps', async () => {
    const { run } = await forgottenBy('{"cleanupPeriodDays": 0}');
    expect((await run('archive', 'restore', '--all')).text).toContain('cleanupPeriodDays is 0');
  });
});

describe('the settings of the client', () => {
  test.each([
    ['{// c\n"cleanupPeriodDays": 60,}', { days: 60, from: 'settings' }, 'cleanupPeriodDays is 60'],
    ['\uFEFF{"cleanupPeriodDays": 7}', { days: 7, from: 'settings' }, 'cleanupPeriodDays is 7'],
    ['{}', { days: 30, from: 'default' }, 'is not set'],
    ['', { days: 30, from: 'default' }, 'is not set'],
    ['{bad', { days: 30, from: 'unreadable' }, 'cannot be read'],
    ['[]', { days: 30, from: 'unreadable' }, 'cannot be read'],
    ['{"cleanupPeriodDays": "30"}', { days: 30, from: 'unreadable' }, 'cannot be read'],
  ])('%j', async (settings, cleanup, words) => {
    const { root, run } = machine(rootOf({ [NAME]: entry('a'), 'settings.json': settings }));
    expect(at((await run('archive', 'status', '--json')).json(), 'cleanup')).toMatchObject([{ root, ...cleanup }]);
    const { text } = await run('archive', 'status');
    expect(text).toContain(words);
    if (cleanup.from !== 'default') expect(text).not.toContain('is not set');
  });
});

test('a link to a file elsewhere is not written through, one to a file of the same folder is', () => {
  const { root, archive, back } = deleted({ [NAME]: 1, [OTHER]: 1 });
  const outside = rootOf({ precious: 'precious' });
  symlinkSync(join(outside, 'precious'), join(root, NAME));
  writeFileSync(join(root, 'inner'), 'inner');
  symlinkSync(join(root, 'inner'), join(root, OTHER));
  const outcomes = back({ force: true }).map(({ file, outcome, why }) => [file.name, outcome, why]);
  expect(outcomes).toEqual([
    [NAME, 'kept', 'a link to a file elsewhere is there'],
    [OTHER, 'restored', undefined],
  ]);
  expect(statSync(join(outside, 'precious')).size).toBe('precious'.length);
  expect(statSync(join(root, 'inner')).size).toBe(statesOf(archive, OTHER)[0]?.length);
});
