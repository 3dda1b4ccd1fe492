/** Replaces a file for ever, each time by the same number of equal lines: `file`. */
import { writeFileAtomic } from '../../../src/disk/durable.ts';
import { encode } from '../../../src/format/text.ts';

const [file = ''] = process.argv.slice(2);
for (let number = 0; ; number += 1) writeFileAtomic(file, encode(`{"n":${number}}\n`.repeat(5000)));
