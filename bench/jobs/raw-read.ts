/** The baseline: every byte of every file read into memory, nothing else. */
import { readFileSync } from 'node:fs';
import { measured } from './measured.ts';

measured((files) => {
  let bytes = 0;
  for (const file of files) bytes += readFileSync(file).length;
  return bytes;
});
