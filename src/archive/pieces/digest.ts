/**
 * The digest of a whole file that can go on where it stopped. A plain SHA-256 could not: its inner state is not to be
 * had, so a line appended to a file of 1 GB would cost reading 1 GB. Blocks are chained instead: each link is the SHA-256
 * of the link before and the block's bytes; the digest is the link of the last block, full or not.
 */
import { sha256 } from '../../format/sha256.ts';

const BLOCK = 16 << 10;
const LINK = 32;

/** The chain up to `at`, a multiple of the block's size before the last byte: what follows must be read again to go on. */
export interface Link {
  readonly chain: Uint8Array;
  readonly at: number;
}

export const FIRST_LINK: Link = { chain: new Uint8Array(LINK), at: 0 };

/** Where the last block of a file of this size starts. */
export function lastBlock(size: number): number {
  return size === 0 ? 0 : Math.floor((size - 1) / BLOCK) * BLOCK;
}

export interface Digest {
  update(bytes: Uint8Array): void;
  size(): number;
  link(): Link;
  value(): Buffer;
}

export function createDigest(from: Link = FIRST_LINK): Digest {
  let { chain, at } = from;
  // The link before, then the last block, which stays open until a byte comes after it.
  const linked = Buffer.alloc(LINK + BLOCK);
  linked.set(chain);
  let filled = 0;

  function hash(): Buffer {
    return sha256(linked.subarray(0, LINK + filled));
  }

  return {
    update(bytes) {
      for (let done = 0; done < bytes.length; ) {
        if (filled === BLOCK) {
          chain = hash();
          linked.set(chain);
          at += BLOCK;
          filled = 0;
        }
        const part = bytes.subarray(done, done + BLOCK - filled);
        linked.set(part, LINK + filled);
        filled += part.length;
        done += part.length;
      }
    },
    size: () => at + filled,
    link: () => ({ chain, at }),
    value: hash,
  };
}
