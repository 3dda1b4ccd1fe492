import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allStates } from '../../../src/archive/files.ts';
import { openIndex, openIndexForReading } from '../../../src/archive/index/derived.ts';
import { usageFromJson, usageToJson } from '../../../src/archive/index/usagejson.ts';
import { isUsageKept, openUsage } from '../../../src/archive/index/usagekept.ts';
import { updateUsageInTurns } from '../../../src/archive/index/usagerows.ts';
import { run, totalChanges } from '../../../src/archive/sqlite.ts';
import { usageOfFile } from '../../../src/disk/usage.ts';
import { asObject, parseJson } from '../../../src/format/json.ts';
import { TABLE } from '../../../src/views/usage/pricetable.ts';
import { assistant, chain, toJsonl } from '../../support/build.ts';
import { FIXTURES, tempFolder, transcriptsBelow } from '../../support/files.ts';
import { FORK, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';

const lines = (from: number, count: number) =>
  toJsonl(
    chain(
      Array.from({ length: count }, (_, n) => assistant('x', { id: `m${from + n}`, requestId: `r${from + n}` })),
      { cwd: '/work/app' },
    ).map((line, n) => ({ ...line, uuid: `u${from + n}` })),
  );

describe('usage kept beside the archive', () => {
  test('each transcript is read once; a second time nothing is read or written', async () => {
    const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: lines(0, 3), [`${PLACE}/${FORK}.jsonl`]: lines(2, 2) });
    const archive = newArchive();
    syncRoot(archive, root);
    expect(await updateUsageInTurns(archive)).toBe(2);
    expect(await updateUsageInTurns(archive)).toBe(0);
    appendFileSync(join(root, PLACE, `${SESSION}.jsonl`), lines(10, 1));
    syncRoot(archive, root);
    expect(await updateUsageInTurns(archive)).toBe(1);
    const files = allStates(archive.db).length;
    const cells = openUsage(archive)?.cells(files) ?? [];
    // m2 is in both files.
    expect(cells.reduce((sum, { messages }) => sum + messages, 0)).toBe(5);
    expect(openUsage(archive)?.cells(files - 1)).toBeUndefined();
    // By day they are one sum, and hold for as many files.
    expect(openUsage(archive)?.dayCells(files)).toMatchObject([{ messages: 5, file: '' }]);
    expect(openUsage(archive)?.dayCells(files - 1)).toBeUndefined();
  });

  test('nothing of it is left in the journal while somebody has the index open to read', async () => {
    const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: lines(0, 3) });
    const archive = newArchive();
    syncRoot(archive, root);
    openIndex(archive).close();
    const reader = openIndexForReading(archive);
    await updateUsageInTurns(archive);
    expect(statSync(join(archive.folder, 'index.db-wal')).size).toBe(0);
    reader?.close();
  });

  test('sums of another time are not given', async () => {
    const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: lines(0, 3) });
    const archive = newArchive();
    syncRoot(archive, root);
    await updateUsageInTurns(archive);
    appendFileSync(join(root, PLACE, `${SESSION}.jsonl`), lines(10, 1));
    syncRoot(archive, root);
    expect(openUsage(archive)?.cells(allStates(archive.db).length)).toBeUndefined();
    expect(openUsage(archive)?.dayCells(allStates(archive.db).length)).toBeUndefined();
    const index = openIndex(archive);
    expect(totalChanges(index.db)).toBe(0);
    index.close();
  });

  test('what was kept by other rules is not given, and read again', async () => {
    const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: lines(0, 3), [`${PLACE}/${FORK}.jsonl`]: lines(2, 2) });
    const archive = newArchive();
    syncRoot(archive, root);
    await updateUsageInTurns(archive);
    const states = allStates(archive.db);
    const [{ digest } = { digest: Buffer.alloc(0) }] = states;
    const has = () => {
      const kept = openUsage(archive);
      const found = [kept?.find(digest, 'f') !== undefined, kept?.cells(states.length) !== undefined];
      kept?.close();
      return [...found, isUsageKept(archive)];
    };
    expect(has()).toEqual([true, true, true]);
    const index = openIndex(archive);
    // As the version before left it: without its layout, sums under the name of the prices alone.
    run(index.db, "DELETE FROM meta WHERE key = 'usage'");
    run(index.db, 'UPDATE usage_cells SET prices = ?', TABLE.version);
    index.close();
    expect(has()).toEqual([false, false, false]);
    expect(await updateUsageInTurns(archive)).toBe(2);
    expect(has()).toEqual([true, true, true]);
  });

  test('fast mode and the place of an answer are kept', () => {
    const file = join(tempFolder(), 'session.jsonl');
    const line = assistant('x', { id: 'm1' });
    const usage = { input_tokens: 1, output_tokens: 2, speed: 'fast', inference_geo: 'us' };
    writeFileSync(file, toJsonl(chain([{ ...line, message: { ...asObject(line.message), usage } }])));
    const [message] = usageFromJson(parseJson(JSON.stringify(usageToJson(usageOfFile(file)))), file) ?? [];
    expect(message?.usage).toMatchObject({ input: 1, output: 2, speed: 'fast', inferenceGeo: 'us' });
  });

  test('what is written down is what was read, on every fixture', () => {
    for (const file of transcriptsBelow(FIXTURES)) {
      const messages = usageOfFile(file);
      const again = usageFromJson(parseJson(JSON.stringify(usageToJson(messages))), file) ?? [];
      const plain = (list: readonly object[]) =>
        JSON.stringify(
          list.map((each) => ({ ...each, uuid: undefined })),
          sorted,
        );
      expect(plain(again), file).toBe(plain(messages));
    }
  });
});

/** Keys in one order; line numbers are only known when asked for. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'line')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
