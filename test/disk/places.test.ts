/** Where files are read from cannot be asked: no file is passed over for that. */
import { expect, test } from 'vitest';
import { DiskError, orNothing, PlaceError, toDiskError } from '../../src/disk/errors.ts';
import { mountFile, unmountFile } from '../../src/disk/mounts.ts';
import { toolOutputsOf } from '../../src/disk/outputs.ts';
import { readEntriesOf } from '../../src/disk/read.ts';
import { readJsonObject } from '../../src/disk/sidecars.ts';

const ROOT = '/nowhere/of/a/team';

function mountAway(path: string, error: Error) {
  const fail = () => {
    throw error;
  };
  mountFile(path, {
    get bytes() {
      return fail();
    },
    open: fail,
  });
}

test('small files, outputs and transcripts tell it; troubles of the file itself are passed over', () => {
  const away = new PlaceError({ what: 'the team does not answer', where: 'there', next: 'Run it again.' });
  const broken = new DiskError({ what: 'cannot read', where: ROOT, next: 'Look at it.' });
  const files = [`${ROOT}/a.json`, `${ROOT}/s/tool-results/a.json`, `${ROOT}/s.jsonl`];
  const reads = [
    () => readJsonObject(`${ROOT}/a.json`),
    () => toolOutputsOf([`${ROOT}/s.jsonl`])('/h/tool-results/a.json'),
    () => orNothing(() => readJsonObject(`${ROOT}/a.json`)),
  ];
  for (const file of files) mountAway(file, away);
  for (const read of [...reads, () => [...readEntriesOf(`${ROOT}/s.jsonl`)]]) expect(read).toThrow(away);
  for (const file of files) mountAway(file, broken);
  for (const read of reads) expect(read()).toBeUndefined();
  for (const file of files) unmountFile(file);
  expect(toDiskError(away, 'cannot read', ROOT)).toBe(away);
});
