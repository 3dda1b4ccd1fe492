/** Copies a file to stdout: `file`. Fails unless the reader went away before the end. */
import { copyRange } from '../../../src/disk/read.ts';

const [file = ''] = process.argv.slice(2);
const { closed } = await copyRange(file, process.stdout);
process.exitCode = closed ? 0 : 3;
