/** What an edited copy is called. */

/** A prompt that serves as a title may be long. */
const TITLE_LENGTH = 80;

/** The title with what was done to it; a word that an earlier edit set there gives way. */
export function editedTitle(title: string | undefined, word: string): string {
  const plain = (title ?? 'Session').replace(/ \((?:clone|slim|compressed|repaired)\)$/, '');
  const short = plain.length > TITLE_LENGTH ? `${plain.slice(0, TITLE_LENGTH).trimEnd()}…` : plain;
  return `${short} (${word})`;
}
