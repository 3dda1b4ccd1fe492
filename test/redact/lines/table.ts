/** Lines in which what must be masked stands between « and ». */
const MARK = /«([^»]*)»/g;

export interface Line {
  readonly text: string;
  readonly secrets: readonly string[];
  /** The text with «» in place of each secret: all that may be gone. */
  readonly rest: string;
}

export function lineOf(marked: string): Line {
  return {
    text: marked.replace(MARK, '$1'),
    secrets: [...marked.matchAll(MARK)].map(([, secret = '']) => secret),
    rest: restOf(marked.replace(MARK, '«»')),
  };
}

/** Masked, with «» in place of each placeholder. */
export const restOf = (masked: string): string =>
  masked.replace(/\[[a-z0-9]+(?:-[a-z0-9]+)*(?::[0-9a-f]{4})?\]/g, '«»');
