/** Bash: runs a command in a shell. */
import { realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { z } from 'zod';
import type { JsonObject } from '../../format/json.ts';
import { defineTool } from './define.ts';
import { prLinkOf } from './shell/prlink.ts';
import type { Printed, ShellRan } from './shell/types.ts';
import { shortened, toSendable } from './spill.ts';
import { failed, type ToolHost, type ToolOutcome, type ToolSession } from './tool.ts';

const input = z.object({
  command: z.string().min(1).describe('The command, as you would type it'),
  description: z.string().optional().describe('What it does, in five to ten words'),
  timeout: z.number().positive().optional().describe('Milliseconds it may take'),
  run_in_background: z.boolean().optional().describe('Leave it running and go on; BashOutput tells what it prints'),
});

export const bash = defineTool({
  name: 'Bash',
  description: `Runs a command in the user's shell and gives what it printed, standard output and standard error in the order they came.

- Each call is a shell of its own: variables, functions and options end with it. The working directory stays as \`cd\` left it, as long as it is inside the project.
- There is no terminal and no input: a program that asks a question gets end-of-file. Give it the flags that answer beforehand.
- A command may take 2 minutes, or \`timeout\` milliseconds, at most 10 minutes; then it is ended with everything it started. Use run_in_background for servers and for what takes longer; do not put \`&\` at the end instead.
- A status other than 0 is reported as an error with the output.
- Output that is too long is saved to a file whose path you get; read the part you need.
- Quote paths with spaces. Prefer Read, Edit, Write, Glob and Grep to cat, sed, echo, find and grep.`,
  input,
  acts: 'runs',
  parallel: false,
  run: (request, host) => (request.run_in_background ? inBackground(request, host) : inForeground(request, host)),
});

type Input = z.infer<typeof input>;

async function inBackground({ command }: Input, host: ToolHost): Promise<ToolOutcome> {
  const place = standIn(host.session);
  if (place.failure !== undefined) return failed(place.failure);
  const shell = await host.session.shells.start({
    command,
    cwd: place.cwd,
    env: host.session.env,
    sandbox: host.session.sandbox,
  });
  if ('failure' in shell) return failed(`The command could not be started: ${shell.failure}`);
  const content = `Command running in background with ID: ${shell.id}. BashOutput gives what it prints, KillShell ends it; with the session it ends too.`;
  const said = [content, ...place.words].join('\n');
  return { content: said, result: { ...resultOf('', place.words), backgroundTaskId: shell.id } };
}

async function inForeground(request: Input, host: ToolHost): Promise<ToolOutcome> {
  const { session } = host;
  const { command } = request;
  const place = standIn(session);
  if (place.failure !== undefined) return failed(place.failure);
  const timeoutMs = timeoutOf(request, session);
  const ran = await session.shells.run({
    command,
    cwd: place.cwd,
    env: session.env,
    signal: host.signal,
    timeoutMs,
    sandbox: session.sandbox,
    onProgress: ({ tail, lines, elapsedMs }) => {
      host.progress({
        type: 'bash_progress',
        output: tail.split('\n').slice(-5).join('\n'),
        fullOutput: tail,
        elapsedTimeSeconds: Math.round(elapsedMs / 1000),
        totalLines: lines,
      });
    },
  });
  if (ran.failure !== undefined) return failed(`The command could not be started: ${ran.failure}`);
  const words = [...place.words, ...moveTo(session, ran.cwd), ...survivorWords(ran)];
  return ran.why === 'exit' && ran.code === 0 ? fine(command, ran, words, host) : wrong(ran, timeoutMs, words, host);
}

function fine(command: string, ran: ShellRan, words: readonly string[], host: ToolHost): ToolOutcome {
  const text = textOf(ran.output);
  const complete = ran.output.lost === 0;
  const sent = toSendable(host, text, { bytes: ran.output.bytes, complete });
  const link = prLinkOf(command, text);
  const result: JsonObject = {
    ...resultOf(shortOf(text, host), words),
    ...(sent.path !== undefined && { persistedOutputPath: sent.path, persistedOutputSize: ran.output.bytes }),
    ...(link && { gitOperation: { pr: { number: link.prNumber, url: link.prUrl, action: 'created' } } }),
  };
  return { content: lines(sent.text, ...words) || 'The command printed nothing.', result };
}

/** The first line as the client writes it; of a long output the end matters as much as the beginning. */
function wrong(ran: ShellRan, timeoutMs: number, words: readonly string[], host: ToolHost): ToolOutcome {
  const text = textOf(ran.output);
  const content = lines(`Exit code ${ran.code}`, whyWords(ran, timeoutMs), withinLimit(text, host), ...words);
  if (ran.why !== 'interrupt') return { content, result: `Error: ${content}`, isError: true };
  return { content, result: { ...resultOf(shortOf(text, host), words), interrupted: true }, isError: true };
}

function whyWords({ why, signal }: ShellRan, timeoutMs: number): string {
  if (why === 'interrupt') return '[Request interrupted by user for tool use]';
  if (why === 'timeout') return `The command took longer than ${timeoutMs / 1000} s and was ended.`;
  return signal === null ? '' : `The shell was ended by the signal ${signal}.`;
}

function survivorWords({ survivors }: ShellRan): string[] {
  return survivors.length === 0 ? [] : [`These processes could not be ended: ${survivors.join(', ')}.`];
}

function withinLimit(text: string, host: ToolHost): string {
  const max = host.session.limits.outputChars;
  if (text.length <= max) return text;
  const { path } = toSendable(host, text);
  return shortened(text, max, path === undefined ? 'they could not be saved' : `all of it stands in ${path}`);
}

function textOf({ head, tail, lost }: Printed): string {
  const all = lost === 0 ? head + tail : `${head}\n\n[${lost} bytes were not kept]\n\n${tail}`;
  return all.trimEnd();
}

function shortOf(text: string, host: ToolHost): string {
  return shortened(text, host.session.limits.outputChars, 'see persistedOutputPath');
}

function resultOf(stdout: string, words: readonly string[]): JsonObject {
  return { stdout, stderr: words.join('\n'), interrupted: false, isImage: false, noOutputExpected: false };
}

function lines(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}

function timeoutOf({ timeout }: Input, { env, limits }: ToolSession): number {
  const usual = milliseconds(env.BASH_DEFAULT_TIMEOUT_MS) ?? limits.bashTimeoutMs;
  const most = Math.max(milliseconds(env.BASH_MAX_TIMEOUT_MS) ?? limits.bashMaxTimeoutMs, usual);
  return Math.min(timeout ?? usual, most);
}

function milliseconds(text: string | undefined): number | undefined {
  const number = Number(text);
  return text !== undefined && Number.isFinite(number) && number > 0 ? number : undefined;
}

type Place = { readonly failure: string } | { readonly failure?: undefined; cwd: string; words: readonly string[] };

/** Where the command starts: a folder that is gone would let no shell start at all. */
function standIn(session: ToolSession): Place {
  if (isFolder(session.cwd)) return { cwd: session.cwd, words: [] };
  if (!isFolder(session.root)) return { failure: `The working directory is gone: ${session.root}` };
  const words = [`The working directory ${session.cwd} is gone; it is ${session.root} again.`];
  session.cwd = session.root;
  return { cwd: session.cwd, words };
}

/** Keeps where the shell ended, as long as that is a part of the work. */
function moveTo(session: ToolSession, folder: string | undefined): string[] {
  if (folder === undefined || folder === session.cwd || folder === realOf(session.cwd)) return [];
  const root = [session.root, ...session.folders].find((each) => isWithin(realOf(each), folder));
  if (root !== undefined && isFolder(folder)) {
    // Named as the project is, also where that is a link.
    session.cwd = join(root, relative(realOf(root), folder));
    return [];
  }
  session.cwd = session.root;
  const why = root === undefined ? 'lies outside of the project' : 'is gone';
  return [`The working directory is ${session.root} again: ${folder} ${why}.`];
}

function isWithin(root: string, folder: string): boolean {
  const path = relative(root, folder);
  return path !== '..' && !path.startsWith(`..${sep}`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
