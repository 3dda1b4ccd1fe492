/** `skein completion`: scripts for bash, zsh and fish, made from the verbs' own tables. */
import { findSessions } from '../../disk/find.ts';
import { findRoots } from '../../disk/roots.ts';
import { type Arguments, COMMON_OPTIONS, type Command, type Option } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { VERBS } from '../verbs.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completion: Command = {
  name: 'completion',
  usage: 'bash|zsh|fish',
  summary: 'completion script for your shell',
  details: [
    'Completes verbs, options, their values and session ids. The script asks Skein for ids, so it never goes out of date; load it from your start-up file.',
  ],
  options: { ids: { type: 'boolean', help: 'Print the session ids that can be completed (used by the scripts)' } },
  examples: [
    ['eval "$(skein completion bash)"', 'in ~/.bashrc'],
    ['eval "$(skein completion zsh)"', 'in ~/.zshrc, after compinit'],
    ['skein completion fish > ~/.config/fish/completions/skein.fish', 'once'],
  ],
  completes: 'shell',
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  if (args.flag('ids')) {
    context.out.write(['@last', ...sessionIds(context)].map((id) => `${id}\n`).join(''));
    return 0;
  }
  const [shell] = args.positionals;
  const commands = await Promise.all(VERBS.map((verb) => verb.load()));
  if (shell === 'bash') context.out.write(bashScript(commands));
  else if (shell === 'zsh') context.out.write(zshScript(commands));
  else if (shell === 'fish') context.out.write(fishScript(commands));
  else {
    const what = shell === undefined ? 'Which shell?' : `There is no completion for "${shell}".`;
    throw new UsageError(what, 'skein completion', `Name one of: ${SHELLS.join(', ')}`);
  }
  return 0;
}

function sessionIds(context: Context): string[] {
  const { roots } = findRoots({ env: context.env, home: context.home });
  return findSessions(roots)
    .files.filter((file) => file.kind === 'session')
    .map((file) => file.sessionId);
}

function optionsOf(command: Command): [string, Option][] {
  return Object.entries({ ...command.options, ...COMMON_OPTIONS });
}

/** The words a verb's argument can be, as a shell expression that prints them. */
function argumentWords(command: Command): string {
  if (command.completes === 'selector') return '$(skein completion --ids 2>/dev/null)';
  if (command.completes === 'shell') return SHELLS.join(' ');
  return '';
}

function bashScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const flags = optionsOf(command).map(([name]) => `--${name}`);
    const values = optionsOf(command)
      .filter(([, option]) => option.choices)
      .map(
        ([name, option]) =>
          `      --${name}) COMPREPLY=($(compgen -W "${option.choices?.join(' ')}" -- "$word")); return ;;\n`,
      );
    return `    ${command.name})
      case "$previous" in
${values.join('')}        --root) COMPREPLY=($(compgen -d -- "$word")); return ;;
      esac
      if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "${flags.join(' ')}" -- "$word"))
      else COMPREPLY=($(compgen -W "${argumentWords(command)}" -- "$word") $(compgen -f -X '!*.jsonl' -- "$word")); fi ;;
`;
  });
  return `# bash completion for skein
_skein() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('')}  esac
}
complete -F _skein skein
`;
}

function zshScript(commands: readonly Command[]): string {
  const verbs = commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const cases = commands.map((command) => {
    const specs = optionsOf(command).map(([name, option]) => {
      const values = option.choices
        ? `:${option.value}:(${option.choices.join(' ')})`
        : name === 'root'
          ? ':DIR:_files -/'
          : option.value
            ? `:${option.value}: `
            : '';
      return `        '${option.multiple ? '*' : ''}--${name}[${quoted(option.help).replaceAll(/[[\]]/g, '')}]${values}'`;
    });
    const words = argumentWords(command);
    if (words !== '') specs.push(`        "*:argument:(${words})"`);
    return `      ${command.name})\n        _arguments \\\n${specs.join(' \\\n')} ;;\n`;
  });
  return `#compdef skein
_skein() {
  local -a verbs
  verbs=(
${verbs.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'verb' verbs
  else
    local verb=$words[2]
    shift words
    (( CURRENT-- ))
    case $verb in
${cases.join('')}    esac
  fi
}
compdef _skein skein
`;
}

function fishScript(commands: readonly Command[]): string {
  const lines = [
    '# fish completion for skein',
    'complete -c skein -f',
    'complete -c skein -n __fish_use_subcommand -l version -d "Show the version"',
  ];
  for (const command of commands) {
    const when = `-n "__fish_seen_subcommand_from ${command.name}"`;
    lines.push(`complete -c skein -n __fish_use_subcommand -a ${command.name} -d '${quoted(command.summary)}'`);
    for (const [name, option] of optionsOf(command)) {
      const values = option.choices
        ? ` -x -a "${option.choices.join(' ')}"`
        : name === 'root'
          ? ' -r -a "(__fish_complete_directories)"'
          : option.value
            ? ' -x'
            : '';
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      lines.push(`complete -c skein ${when} -l ${name}${short}${values} -d '${quoted(option.help)}'`);
    }
    const words = argumentWords(command).replace(/^\$\((.*) 2>\/dev\/null\)$/, '($1 2>/dev/null)');
    if (words !== '') lines.push(`complete -c skein ${when} -a "${words}"`);
  }
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return text.replaceAll("'", '’').replaceAll(':', ' -').replaceAll('"', '”').replaceAll('$', '');
}
