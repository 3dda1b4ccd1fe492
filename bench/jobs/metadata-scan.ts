/** The metadata of every entry, payloads passed over. */
import { readEntriesOf } from '../../src/disk/read.ts';
import { measured } from './measured.ts';

measured((files) => {
  let entries = 0;
  for (const file of files) for (const entry of readEntriesOf(file)) entries += entry.head.uuid === undefined ? 0 : 1;
  return entries;
});
