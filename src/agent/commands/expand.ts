/** The text of a command with its arguments put in and the output of its `!` commands. */
import { dirname } from 'node:path';
import type { Command } from './find.ts';

/** Runs one command of a text; throws a CommandTrouble when it may not or fails. */
export type RunShell = (command: string, pattern: string) => Promise<string>;

/** Why a command did not come about, in words for the person. */
export class CommandTrouble extends Error {}

export async function expand(command: Command, args: string, sessionId: string, run: RunShell): Promise<string> {
  const folder = dirname(command.file);
  const body = withArguments(command.body, args)
    .replaceAll(/\$\{CLAUDE_SKILL_DIR\}/g, () => folder)
    .replaceAll(/\$\{CLAUDE_SESSION_ID\}/g, sessionId);
  const text = await withOutput(body, run);
  return command.kind === 'skill' ? `Base directory for this skill: ${folder}\n\n${text.trimStart()}` : text;
}

/** Counted from 0, as in the client; what was not given stays as it is written. Not asked for at all they come at the end. */
export function withArguments(body: string, args: string): string {
  const words = wordsOf(args);
  let isUsed = false;
  const put = (value: string | undefined, as: string): string => {
    if (value === undefined) return as;
    isUsed = true;
    return value;
  };
  const text = body.replace(/\$ARGUMENTS(?:\[(\d+)\])?|\$(\d+)(?!\d)/g, (as, index?: string, number?: string) => {
    const place = index ?? number;
    return place === undefined ? put(args, as) : put(words[Number(place)], as);
  });
  return isUsed || args === '' ? text : `${text}\n\nARGUMENTS: ${args}`;
}

/** As a shell would part them. */
export function wordsOf(args: string): string[] {
  return [...args.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

const SHELL = /(^|\s)!`([^`\n]+)`/g;

async function withOutput(text: string, run: RunShell): Promise<string> {
  let made = '';
  let end = 0;
  for (const found of text.matchAll(SHELL)) {
    const [whole, before = '', command = ''] = found;
    made += `${text.slice(end, found.index)}${before}${await run(command, `!\`${command}\``)}`;
    end = found.index + whole.length;
  }
  return made + text.slice(end);
}
