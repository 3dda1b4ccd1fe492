/** A configuration file of the client's as text; what is no text is not changed by anybody. */
import { isUtf8 } from 'node:buffer';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { DiskError, toDiskError } from '../disk/errors.ts';
import { readPlainBytes } from '../disk/plainfile.ts';

/** Makes the error for a file that is not as it should be. */
type Unlike = (file: string, why: string) => DiskError;

/** undefined where there is none, and may be. A file in the place of a link would hide the one that comes back with a disk or a checkout. */
export function configTextIfAny(file: string, unlike: Unlike): string | undefined {
  if (existsSync(file)) return configText(file, unlike);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw unlike(file, `it is a link to ${readlinkSync(file)}, which is not there`);
  return undefined;
}

/** Throws DiskError. */
export function configText(file: string, unlike: Unlike): string {
  let bytes: Buffer;
  try {
    bytes = readPlainBytes(file);
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
