/** Scans a file and tells how many entries it has, how much was read and how much memory that took: `file`. */
import { io } from '../../../src/disk/io.ts';
import { readEntriesOf } from '../../../src/disk/read.ts';

const [file = ''] = process.argv.slice(2);
let entries = 0;
let unreadable = 0;
let last: string | undefined;
for (const { kind, head } of readEntriesOf(file)) {
  entries += 1;
  if (kind === 'unreadable') unreadable += 1;
  last = head.uuid;
}
const { bytesRead } = io;
console.log(JSON.stringify({ entries, unreadable, last, bytesRead, maxRssMb: process.resourceUsage().maxRSS / 1024 }));
