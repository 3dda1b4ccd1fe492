/** Completion for fish. */
import type { Offers } from './offers.ts';

export function fishScript(verbs: readonly Offers[]): string {
  const lines = [
    '# fish completion for skein',
    'complete -c skein -f',
    "complete -c skein -n __fish_use_subcommand -l version -d 'Show the version'",
    "complete -c skein -n __fish_use_subcommand -l help -s h -d 'Show help'",
    "complete -c skein -n __fish_use_subcommand -a help -d 'Help on a verb'",
    `complete -c skein -n '__fish_seen_subcommand_from help' -a '${verbs.map(({ command }) => command.name).join(' ')}'`,
  ];
  return `${[...lines, ...verbs.flatMap(verbLines)].join('\n')}\n`;
}

function verbLines({ command, options, words, ids, files, folders }: Offers): string[] {
  // "skein help list" is about help.
  const seen = `__fish_seen_subcommand_from ${command.name}; and not __fish_seen_subcommand_from help`;
  const line = (rest: string, when = seen) => `complete -c skein -n ${quoted(when)} ${rest}`;
  const first = `${seen}; and not __fish_seen_subcommand_from ${words.join(' ')}`;
  const later = words.length === 0 ? seen : `${seen}; and __fish_seen_subcommand_from ${words.join(' ')}`;
  return [
    `complete -c skein -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
    ...options.map(({ name, option, value }) => {
      const taken = {
        none: '',
        choice: ` -x -a ${quoted(option.choices?.join(' ') ?? '')}`,
        folder: " -x -a '(__fish_complete_directories)'",
        file: ' -r -F',
        unknown: ' -x',
      }[value];
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      return line(`-l ${name}${short}${taken} -d ${quoted(option.help)}`);
    }),
    words.length > 0 ? line(`-a ${quoted(words.join(' '))}`, first) : [],
    ids ? line("-a '(skein completion --ids 2>/dev/null)' -d session", later) : [],
    files === 'all' ? line('-F', later) : [],
    files === 'transcripts' ? line("-a '(__fish_complete_suffix .jsonl)'", later) : [],
    folders && files !== 'all' ? line("-a '(__fish_complete_directories)'", later) : [],
  ].flat();
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
