/** The whole object of every entry. */
import { readParsedEntriesOf } from '../../src/disk/read.ts';
import { measured } from './measured.ts';

measured((files) => {
  let entries = 0;
  for (const file of files) for (const { json } of readParsedEntriesOf(file)) entries += json === undefined ? 0 : 1;
  return entries;
});
