/** A configuration file of the client's as text; what is no text is not changed by anybody. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { DiskError, toDiskError } from '../disk/errors.ts';

/** Throws DiskError; `unlike` makes the one for a file that is not as it should be. */
export function configText(file: string, unlike: (file: string, why: string) => DiskError): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { what, where } = toDiskError(error, 'it cannot be read', file);
    throw new DiskError({
      what,
      where,
      next: 'It was not touched. See what is at this path, and who may read it.',
      cause: error,
    });
  }
  if (!isUtf8(bytes)) throw unlike(file, 'it is not UTF-8');
  return bytes.toString('utf8');
}
