/** Glob: files by their names. */
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { z } from 'zod';
import { defineTool } from './define.ts';
import { takePaths } from './files/hide.ts';
import { pathIn, Refusal, tellTrouble } from './files/place.ts';
import { ripgrep } from './files/ripgrep.ts';
import type { Tool, ToolHost, ToolOutcome } from './tool.ts';

const input = z.strictObject({
  pattern: z.string().min(1).describe('The pattern, e.g. "**/*.ts" or "src/*.{js,css}"'),
  path: z.string().min(1).optional().describe('The folder to look in (default: the working directory)'),
});

type Input = z.infer<typeof input>;

const MOST_FILES = 100;

export const glob: Tool = defineTool<Input>({
  name: 'Glob',
  description: `Finds files by name, newest first, ${MOST_FILES} at most. A pattern without a slash matches in all folders below. Hidden and ignored files are found too, those inside .git only when the pattern names it.`,
  input,
  acts: 'reads',
  path: (given) => placeOf(given).folder,
  run: (given, host) => {
    const { folder, pattern } = placeOf(given);
    const path = pathIn(host.session, folder ?? '.');
    return tellTrouble(host, path, () => findFiles(path, pattern, host));
  },
});

async function findFiles(folder: string, pattern: string, host: ToolHost): Promise<ToolOutcome> {
  const began = performance.now();
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat?.isDirectory())
    throw new Refusal(`There is no folder ${folder}. The working directory is ${host.session.cwd}.`);
  const git =
    /(?:^|\/)\.git(?:\/|$)/.test(pattern) || folder.split('/').includes('.git') ? [] : ['--glob', '!**/.git/**'];
  const args = ['--files', '--null', '--hidden', '--no-ignore', '--no-messages', '--sortr=modified', '--glob', pattern];
  const take = takePaths(host.session, folder);
  const { records, stopped } = await ripgrep({
    args: [...args, ...git],
    cwd: folder,
    signal: host.signal,
    most: MOST_FILES,
    end: '\0',
    ...(take && { take }),
  });
  const filenames = records.map((name) => join(folder, name));
  const truncated = stopped !== undefined;
  const result = {
    filenames,
    durationMs: Math.round(performance.now() - began),
    numFiles: filenames.length,
    truncated,
  };
  return { content: [...shown(filenames), ...noteOn(stopped)].join('\n'), result };
}

function shown(filenames: readonly string[]): readonly string[] {
  return filenames.length > 0 ? filenames : ['No file has such a name.'];
}

function noteOn(stopped: 'enough' | 'late' | undefined): string[] {
  if (stopped === 'enough') return [`(The ${MOST_FILES} newest; there are more. Give a narrower pattern or path.)`];
  return stopped === 'late' ? ['(It took too long and was stopped. Give a narrower path.)'] : [];
}

/** A pattern may begin with a folder of its own: absolute, or above the one it is looked for in. */
function placeOf({ pattern, path }: Input): { folder: string | undefined; pattern: string } {
  const plain = pattern.startsWith('./') ? pattern.slice(2) : pattern;
  if (!isAbsolute(plain) && !plain.startsWith('../')) return { folder: path, pattern: plain };
  const fixed = /^[^*?[{]*/.exec(plain)?.[0] ?? '';
  const folder = fixed.endsWith('/') ? fixed : dirname(fixed);
  const rest = relative(resolve('/', folder), resolve('/', fixed)) + plain.slice(fixed.length);
  return { folder: isAbsolute(folder) ? folder : join(path ?? '.', folder), pattern: `/${rest}` };
}
