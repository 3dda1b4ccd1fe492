/** `/name and arguments`: what a person typed to call a command. */

export interface Called {
  readonly name: string;
  readonly args: string;
}

/** A path such as /usr/bin is none. */
export function calledIn(prompt: string): Called | undefined {
  const [, name, args] = /^\/([A-Za-z0-9_][\w:.-]*)(?:\s+([\s\S]*))?$/.exec(prompt.trim()) ?? [];
  return name === undefined ? undefined : { name, args: (args ?? '').trim() };
}

/** As the client records a command that becomes a prompt. */
export function calledText({ name, args }: Called): string {
  return `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`;
}

/** As it records one that it runs itself. */
export function localText({ name, args }: Called): string {
  const indent = ' '.repeat(12);
  return `<command-name>/${name}</command-name>\n${indent}<command-message>${name}</command-message>\n${indent}<command-args>${args}</command-args>`;
}

/** For the model: what follows was not said to it. */
export const CAVEAT =
  '<local-command-caveat>The command below was run by the user in the program itself, not sent to you as a request; its output went to the user. It stands here as context for later messages.</local-command-caveat>';
