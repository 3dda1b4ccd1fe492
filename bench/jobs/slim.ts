/** A session read, slimmed by the standard preset and written to a file: what the edit itself takes. */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inChunks } from '../../src/disk/durable.ts';
import { readSessionOf } from '../../src/disk/read.ts';
import { draftOf } from '../../src/edit/draft.ts';
import { encodeDraft } from '../../src/edit/log.ts';
import { PRESETS } from '../../src/edit/slim/settings.ts';
import { slim } from '../../src/edit/slim/slim.ts';
import { measured } from './measured.ts';

measured(([file = '']) => {
  let count = 0;
  const freshUuid = () => {
    count += 1;
    return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
  };
  const target = { sessionId: 'slim', from: 'source', now: '2027-01-01T00:00:00.000Z', freshUuid };
  const made = slim(readSessionOf(file).entries, { settings: PRESETS.standard, ...target });
  const folder = mkdtempSync(join(tmpdir(), 'skein-bench-'));
  const out = openSync(join(folder, 'slim.jsonl'), 'w');
  let bytes = 0;
  for (const chunk of inChunks(encodeDraft(draftOf(made, target)))) bytes += writeSync(out, chunk);
  closeSync(out);
  rmSync(folder, { recursive: true });
  return bytes + made.report().removedCalls;
});
