/** What is handed to the shell: the command as it stands, and around it what tells where the shell stood at its end. */
import { accessSync, constants } from 'node:fs';
import { basename } from 'node:path';

/** The person's own shell where it is one whose language models write; else bash, else whatever `sh` is. */
export function shellOf(env: Readonly<Record<string, string | undefined>>): string {
  const own = env.SHELL;
  if (own !== undefined && KNOWN.has(basename(own)) && isExecutable(own)) return own;
  return isExecutable('/bin/bash') ? '/bin/bash' : 'sh';
}

const KNOWN = new Set(['bash', 'zsh']);

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** One argument may take 128 kB on Linux; a longer command is read from a file. */
const MAX_ARGUMENT_BYTES = 100_000;

export function isTooLongForArgument(command: string): boolean {
  return Buffer.byteLength(quoted(command)) > MAX_ARGUMENT_BYTES;
}

/**
 * The command is evaluated as one text: comments and here-documents at its end cannot swallow ours, and what is not whole is
 * the shell's own error. The trap runs however the shell ends, by `exit` too, and leaves the status as it is. `command` passes over functions of the same name.
 */
export function scriptOf(command: string, cwdFile: string, commandFile?: string): string {
  const trap = `trap ${quoted(`command pwd -P >| ${quoted(cwdFile)} 2>/dev/null`)} EXIT`;
  // The blank keeps a command that begins with a dash from being an option.
  const text = commandFile === undefined ? quoted(` ${command}`) : `" $(command cat ${quoted(commandFile)})"`;
  return `${trap}\neval ${text}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
