/** Archived secrets, and scrubbing them. */
import { allFiles } from '../../../src/archive/files.ts';
import { scrub } from '../../../src/archive/scrub/scrub.ts';
import { secretMasker } from '../../../src/archive/scrub/secrets.ts';
import { chooseFiles } from '../../../src/archive/select.ts';
import type { Archive } from '../../../src/archive/store.ts';

export const NOW = new Date('2026-01-02T03:04:05Z');

/** Put together here, so that no scanner takes this file for a leak. */
export const token = (seed: string) => `ghp_${seed.padEnd(36, 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY')}`;

export function scrubbed(
  archive: Archive,
  selector?: string,
  options: { dryRun?: boolean; signal?: AbortSignal } = {},
) {
  const files = selector === undefined ? allFiles(archive.db) : chooseFiles(archive.db, selector).files;
  return scrub(archive, files, secretMasker(), NOW, options);
}
