/** BashOutput: what a command in the background has printed since the last look. */
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import type { JsonObject } from '../../format/json.ts';
import { defineTool } from './define.ts';
import type { BackgroundShell, Shells } from './shell/types.ts';
import { toSendable } from './spill.ts';
import { failed } from './tool.ts';

export const bashOutput = defineTool({
  name: 'BashOutput',
  description: `Gives what a command started with run_in_background has printed since you last asked, and whether it still runs.

- \`filter\`: a regular expression; only lines that match are given, the others count as seen.`,
  input: z.object({
    bash_id: z.string().describe('The ID that Bash gave'),
    filter: z.string().optional().describe('Regular expression for the lines to give'),
  }),
  acts: 'reads',
  parallel: false,
  run: async ({ bash_id: id, filter }, host) => {
    const shell = host.session.shells.get(id);
    if (shell === undefined) return failed(unknownShell(id, host.session.shells));
    const pattern = filter === undefined ? undefined : toPattern(filter);
    if (pattern instanceof Error) return failed(`The filter is not a regular expression: ${pattern.message}`);
    const { text, lost } = shell.take();
    const kept = pattern === undefined ? text : matching(text, pattern);
    if (kept === undefined) return failed('The filter takes too long on this output; ask with a simpler one.');
    const output = lost === 0 ? kept : `[${lost} characters before this were not kept]\n${kept}`;
    const sent = toSendable(host, output.trimEnd());
    return { content: told(shell, sent.text), result: resultOf(shell, sent.text, filter) };
  },
});

export function unknownShell(id: string, shells: Shells): string {
  const known = shells.list().map((shell) => `${shell.id} (${shell.status})`);
  return `No command in the background has the ID ${id}. ${known.length === 0 ? 'There is none.' : `Known: ${known.join(', ')}.`}`;
}

function toPattern(filter: string): RegExp | Error {
  try {
    return new RegExp(filter);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const FILTER_MS = 1000;

/** A pattern can take for ever on a line that it nearly matches; only a context of its own can be stopped in the midst of it. */
function matching(text: string, pattern: RegExp): string | undefined {
  try {
    const code = 'text.split("\\n").filter((line) => new RegExp(source).test(line)).join("\\n")';
    return String(runInNewContext(code, { text, source: pattern.source }, { timeout: FILTER_MS }));
  } catch {
    return undefined;
  }
}

/** Saved output has to begin with its own mark to be found again. */
function told(shell: BackgroundShell, output: string): string {
  const status = `Status: ${shell.status}${shell.code === undefined ? '' : `, exit code ${shell.code}`}`;
  if (output === '') return `${status}\nNothing new was printed.`;
  return output.startsWith('<persisted-output>') ? `${output}\n${status}` : `${status}\n\n${output}`;
}

function resultOf(shell: BackgroundShell, stdout: string, filter: string | undefined): JsonObject {
  return {
    shellId: shell.id,
    command: shell.command,
    status: shell.status,
    exitCode: shell.code ?? null,
    stdout,
    stderr: '',
    stdoutLines: stdout === '' ? 0 : stdout.split('\n').length,
    stderrLines: 0,
    timestamp: new Date().toISOString(),
    ...(filter !== undefined && { filterPattern: filter }),
  };
}
