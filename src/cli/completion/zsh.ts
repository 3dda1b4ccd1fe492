/** Completion for zsh, by `_arguments`. */
import type { Offers, OptionOffer } from './offers.ts';

export function zshScript(verbs: readonly Offers[]): string {
  const described = verbs.map(({ command }) => `    ${quoted(`${command.name}:${command.summary}`)}`);
  return `#compdef skein
_skein_sessions() {
  local -a ids expl
  ids=("\${(@f)$(skein completion --ids 2>/dev/null)}")
  _wanted sessions expl session compadd -a ids
}
_skein_selector() {
  local ret=1
  _skein_sessions && ret=0
  _files -g '*.jsonl' && ret=0
  return ret
}
_skein_selector_or_file() {
  local ret=1
  _skein_sessions && ret=0
  _files && ret=0
  return ret
}
_skein_selector_or_folder() {
  local ret=1
  _skein_selector && ret=0
  _files -/ && ret=0
  return ret
}
_skein() {
  local -a verbs
  verbs=(
${described.join('\n')}
    'help:help on a verb'
  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
    help)
      (( CURRENT == 2 )) && _describe 'verb' verbs ;;
${verbs.map(verbCase).join('')}  esac
}
compdef _skein skein
`;
}

function verbCase(verb: Offers): string {
  const specs = verb.options.flatMap(optionSpecs);
  if (verb.words.length > 0) specs.push(`1:what:(${verb.words.join(' ')})`);
  const action = argument(verb);
  if (action !== undefined) specs.push(`*:session:${action}`);
  return `    ${verb.command.name})\n      _arguments \\\n${specs.map((spec) => `        ${quoted(spec)}`).join(' \\\n')} ;;\n`;
}

function optionSpecs({ name, option, value }: OptionOffer): string[] {
  const action = {
    none: '',
    choice: `(${option.choices?.join(' ')})`,
    folder: '_files -/',
    file: '_files',
    unknown: ' ',
  }[value];
  // Inside the brackets only these need a backslash; a colon would in the name of the value.
  const help = option.help.replaceAll(/[\\[\]]/g, '\\$&');
  const taken = value === 'none' ? '' : `:${(option.value ?? name).replaceAll(':', '\\:')}:${action}`;
  const long = `${option.multiple ? '*' : ''}--${name}${value === 'none' ? '' : '='}[${help}]${taken}`;
  return option.short === undefined ? [long] : [long, `-${option.short}[${help}]${taken}`];
}

function argument({ ids, files, folders }: Offers): string | undefined {
  if (ids)
    return files === 'all' ? '_skein_selector_or_file' : folders ? '_skein_selector_or_folder' : '_skein_selector';
  return files === 'all' ? '_files' : folders ? '_files -/' : undefined;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
