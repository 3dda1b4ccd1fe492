/** Who may ask: whoever opened the URL that was printed, and from then on has its cookie. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export interface Token {
  readonly text: string;
  fits(given: string | undefined): boolean;
}

const BYTES = 32;

export function createToken(): Token {
  const text = randomBytes(BYTES).toString('base64url');
  const own = digest(text);
  // Digests are of one length, whatever was given.
  return { text, fits: (given) => given !== undefined && timingSafeEqual(digest(given), own) };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Fits once: for an address that others may see for a moment, such as in the list of processes. */
export function createOnceToken(): Token {
  const token = createToken();
  let used = false;
  return {
    text: token.text,
    fits(given) {
      const fits = !used && token.fits(given);
      used ||= fits;
      return fits;
    },
  };
}
