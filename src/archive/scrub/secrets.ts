/** Secrets as `scrub` masks them: strings inside JSON, everything else byte for byte as it was. */
import { maskJsonBytes } from '../../redact/json.ts';
import { createMasker } from '../../redact/masker.ts';
import type { Masker } from './scrub.ts';

export interface SecretMasker extends Masker {
  /** What stands in the place of each secret found, and how often it was. */
  readonly found: ReadonlyMap<string, number>;
  /** Lines that could not be looked at: they stay as they are. */
  readonly unscanned: number;
}

export function secretMasker(): SecretMasker {
  const masker = createMasker();
  /** As it was when all had been looked at: masking counts again. */
  let seen: Pick<SecretMasker, 'found' | 'unscanned'> | undefined;
  const now = () => seen ?? { found: masker.told.masked, unscanned: masker.told.notScanned };

  /** Elsewhere what cannot be looked at is not shown; here it is the only copy and stays. */
  function masked(bytes: Buffer): Buffer {
    const before = masker.told.notScanned;
    const result = maskJsonBytes(bytes, masker);
    if (result === bytes || masker.told.notScanned > before) return bytes;
    return Buffer.from(result.buffer, result.byteOffset, result.length);
  }

  return {
    look: (bytes) => masked(bytes) !== bytes,
    mask(bytes) {
      seen ??= { found: new Map(masker.told.masked), unscanned: masker.told.notScanned };
      return masked(bytes);
    },
    get found() {
      return now().found;
    },
    get unscanned() {
      return now().unscanned;
    },
  };
}
