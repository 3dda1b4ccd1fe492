/** `skein completion`: scripts for bash, zsh and fish, made from the verbs' own tables. */
import { findSessions } from '../../disk/find.ts';
import { findRoots } from '../../disk/roots.ts';
import { safeLine } from '../../views/safe.ts';
import type { Arguments, Command } from '../command.ts';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { offersOf } from '../completion/offers.ts';
import { zshScript } from '../completion/zsh.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { VERBS } from '../verbs.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const completion: Command = {
  name: 'completion',
  usage: 'bash|zsh|fish',
  summary: 'completion script for your shell',
  details: [
    'Completes verbs, options, their values, session ids, files and folders. The script asks Skein for ids, so it never goes out of date; load it from your start-up file.',
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
  const verbs = (await Promise.all(VERBS.map((verb) => verb.load()))).map(offersOf);
  if (shell === 'bash') context.out.write(bashScript(verbs));
  else if (shell === 'zsh') context.out.write(zshScript(verbs));
  else if (shell === 'fish') context.out.write(fishScript(verbs));
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
    .map((file) => file.sessionId)
    .filter((id) => safeLine(id) === id);
}
