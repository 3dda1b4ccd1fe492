/** What can stand where on the command line, read from a verb's own table: the same for every shell. */
import { COMMON_OPTIONS, type Command, type Option } from '../command.ts';

export interface Offers {
  readonly command: Command;
  readonly options: readonly OptionOffer[];
  /** Words the first argument can be, e.g. `bash|zsh|fish`. */
  readonly words: readonly string[];
  /** Session ids, and the files that may be named instead. */
  readonly ids: boolean;
  readonly files: 'none' | 'transcripts' | 'all';
  readonly folders: boolean;
}

export interface OptionOffer {
  readonly name: string;
  readonly option: Option;
  /** What its value can be; `none` for one that takes no value, `unknown` for one only the user knows. */
  readonly value: 'none' | 'choice' | 'folder' | 'file' | 'unknown';
}

export function offersOf(command: Command): Offers {
  const [place = ''] = command.usage.split(/ \[?--/);
  const [first = ''] = place.split(' ');
  const ids = command.completes === 'selector' || /\bSEL\b/.test(place);
  return {
    command,
    options: Object.entries({ ...command.options, ...COMMON_OPTIONS }).map(([name, option]) => ({
      name,
      option,
      value: kindOfValue(option),
    })),
    words: /^[a-z]+(\|[a-z]+)+$/.test(first) ? first.split('|') : [],
    ids,
    files: /\bFILE\b/.test(place) ? 'all' : ids ? 'transcripts' : 'none',
    folders: /\bDIR\b/.test(place),
  };
}

function kindOfValue({ type, choices, value }: Option): OptionOffer['value'] {
  if (type === 'boolean') return 'none';
  if (choices !== undefined) return 'choice';
  return value === 'DIR' ? 'folder' : value === 'FILE' ? 'file' : 'unknown';
}
