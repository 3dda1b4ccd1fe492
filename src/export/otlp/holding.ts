/** What spans hold that not every run may send. What waits on disk is noted with it: a run sends only what it would have made itself, or less. */
export interface Holding {
  /** What was said, given to tools and given back; true unless told otherwise. */
  readonly content?: boolean;
  readonly thinking?: boolean;
  /** Secrets are not masked. */
  readonly revealed?: boolean;
}

/** A word for the name of a file. */
export function holdingWord({ content = true, thinking = false, revealed = false }: Holding): string {
  const letters = `${content ? 'c' : ''}${content && thinking ? 't' : ''}${revealed ? 'r' : ''}`;
  return letters === '' ? NOTHING : letters;
}

const NOTHING = '0';

export function isWithin(word: string, allowed: string): boolean {
  return [...word].every((letter) => letter === NOTHING || allowed.includes(letter));
}
