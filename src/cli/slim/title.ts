/** What an edited copy is called. */
import type { Arguments } from '../command.ts';
import { UsageError } from '../errors.ts';

/** `--title`, where it is given. */
export function titleGiven(args: Arguments): string | undefined {
  const title = args.value('title');
  if (title === undefined || title.trim() !== '') return title;
  throw new UsageError('The title is empty.', '--title', 'Leave the option out, or name the copy.');
}

/** What the result is to be called: in place it keeps its name. */
export function titleFor(args: Arguments, title: string | undefined, word: string): string | undefined {
  return titleGiven(args) ?? (args.flag('in-place') ? undefined : editedTitle(title, word));
}

/** A prompt that serves as a title may be long. */
const TITLE_LENGTH = 80;

/** The title with what was done to it; a word that an earlier edit set there gives way. */
export function editedTitle(title: string | undefined, word: string): string {
  const plain = (title ?? 'Session').replace(/ \((?:clone|slim|compressed|repaired)\)$/, '');
  const short = plain.length > TITLE_LENGTH ? `${plain.slice(0, TITLE_LENGTH).trimEnd()}…` : plain;
  return `${short} (${word})`;
}
