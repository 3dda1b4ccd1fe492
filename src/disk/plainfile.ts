/** Files that a project brings along: a link of that name may lead to a pipe or a device that has no end. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

const MOST_BYTES = 64 * 1024 * 1024;

/** Throws an error with a code where there is no file of that name, or none to be read whole. */
export function readPlainFile(file: string): string {
  return readPlainBytes(file).toString('utf8');
}

/** The same, as it is. */
export function readPlainBytes(file: string): Buffer {
  // Opening a pipe would wait for whoever writes to it.
  const fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile())
      throw Object.assign(new Error('it is no file'), { code: stat.isDirectory() ? 'EISDIR' : 'EINVAL' });
    if (stat.size > MOST_BYTES) throw Object.assign(new Error('it is too large'), { code: 'EFBIG' });
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
