/** Completion for bash. Names are offered as they are, never through `compgen -W`, which would run what stands in them. */
import type { Offers } from './offers.ts';

export function bashScript(verbs: readonly Offers[]): string {
  const names = verbs.map(({ command }) => command.name).join(' ');
  return `# bash completion for skein
_skein_offer() {
  local each
  for each in "$@"; do if [[ "$each" == "$word"* ]]; then COMPREPLY+=("$each"); fi; done
}
_skein_ids() {
  local each
  while IFS= read -r each; do _skein_offer "$each"; done < <(skein completion --ids 2>/dev/null)
}
_skein_paths() {
  local each
  compopt -o filenames 2>/dev/null
  while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen "$@" -- "$word" 2>/dev/null)
}
_skein() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" at=$COMP_CWORD marked=
  COMPREPLY=()
  # bash takes "=" and "@" for words of their own.
  if [[ "$word" == "=" ]]; then word=
  elif [[ "$previous" == "=" && $at -gt 2 ]]; then previous="\${COMP_WORDS[at-2]}"
  elif [[ "$word" == "@" && "$COMP_WORDBREAKS" == *@* ]]; then marked=1
  elif [[ "$previous" == "@" ]]; then word="@$word" marked=1 previous="\${COMP_WORDS[at-2]}" at=$((at-1))
  fi
  if [[ $at -eq 1 ]]; then
    _skein_offer ${names} help --help --version
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) if [[ $at -eq 2 ]]; then _skein_offer ${names}; fi ;;
${verbs.map(verbCase).join('')}  esac
  if [[ -n "$marked" ]]; then COMPREPLY=("\${COMPREPLY[@]#@}"); fi
}
complete -F _skein skein
`;
}

function verbCase(verb: Offers): string {
  const flags = verb.options.map(({ name }) => `--${name}`);
  const values = verb.options
    .filter(({ value }) => value !== 'none')
    .map(({ name, option, value }) => {
      const offer = {
        none: '',
        unknown: '',
        choice: `_skein_offer ${option.choices?.join(' ')}; `,
        folder: '_skein_paths -d; ',
        file: '_skein_paths -f; ',
      }[value];
      return `        --${name}) ${offer}return ;;\n`;
    });
  return `    ${verb.command.name})
      case "$previous" in
${values.join('')}      esac
      if [[ "$word" == -* ]]; then _skein_offer ${flags.join(' ')}
${verb.words.length === 0 ? '' : `      elif [[ $at -eq 2 ]]; then _skein_offer ${verb.words.join(' ')}\n`}      else ${argument(verb)}; fi ;;
`;
}

/** Folders always go with files: the way to a file leads through them. */
function argument({ ids, files, folders }: Offers): string {
  const offers = [
    ids ? '_skein_ids' : [],
    files === 'all' ? '_skein_paths -f' : [],
    files === 'transcripts' ? "_skein_paths -f -X '!*.jsonl'" : [],
    files === 'transcripts' || (folders && files === 'none') ? '_skein_paths -d' : [],
  ].flat();
  return offers.length > 0 ? offers.join('; ') : ':';
}
