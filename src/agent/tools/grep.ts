/** Grep: lines by what stands in them. */
import { statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { counted } from '../../views/counted.ts';
import { defineTool } from './define.ts';
import { takeLines, takePaths } from './files/hide.ts';
import { pathIn, Refusal, tellTrouble } from './files/place.ts';
import { type RipgrepOutput, ripgrep } from './files/ripgrep.ts';
import type { Tool, ToolHost, ToolOutcome } from './tool.ts';

const lines = (what: string) =>
  z.int().min(0).max(1000).optional().describe(`Lines to show ${what} each match (content)`);

const input = z.strictObject({
  pattern: z.string().min(1).describe('A regular expression as ripgrep takes it'),
  path: z.string().min(1).optional().describe('The file or folder to search (default: the working directory)'),
  glob: z.string().optional().describe('Only files with such names, e.g. "*.js" or "*.{ts,tsx}"'),
  type: z.string().optional().describe('Only files of a type ripgrep knows: js, py, rust, go, java …'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .default('files_with_matches')
    .describe('content: the lines; files_with_matches (default): the paths, newest first; count: matches by file'),
  '-A': lines('after'),
  '-B': lines('before'),
  '-C': lines('before and after'),
  context: lines('before and after'),
  '-i': z.boolean().optional().describe('Upper and lower case are the same'),
  '-n': z.boolean().default(true).describe('Line numbers (content; default true)'),
  head_limit: z.int().min(0).optional().describe('How many lines or files to give (default 250; 0: as many as fit)'),
  offset: z.int().min(0).default(0).describe('How many to leave out first'),
  multiline: z.boolean().optional().describe('A match may span lines, and . matches a line end'),
});

type Input = z.infer<typeof input>;

export const grep: Tool = defineTool<Input>({
  name: 'Grep',
  description:
    'Searches the contents of files with ripgrep: hidden files too, ignored files (.gitignore) and those inside .git not, unless a path or glob names them. Use this instead of running grep or rg in a shell. Braces and the like must be escaped to be searched for: interface\\{\\}.',
  input,
  acts: 'reads',
  path: ({ path }) => path,
  run: (given, host) => {
    const path = pathIn(host.session, given.path ?? '.');
    return tellTrouble(host, path, () => search(path, given, host));
  },
});

const LIMIT = 250;
const MOST_RECORDS = 100_000;
const LINE_CHARS = 500;

async function search(path: string, given: Input, host: ToolHost): Promise<ToolOutcome> {
  const { cwd, limits } = host.session;
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new Refusal(`There is no file or folder ${path}. The working directory is ${cwd}.`);
  }
  const { output_mode: mode, offset } = given;
  const limit = given.head_limit === 0 ? MOST_RECORDS : (given.head_limit ?? LIMIT);
  // Files are sorted and counts are summed: all are needed.
  const most = mode === 'content' ? offset + limit : MOST_RECORDS;
  const take = (mode === 'files_with_matches' ? takePaths : takeLines)(host.session, cwd);
  const args = [...argsFor(given), ...(take ? ['--null'] : []), '-e', given.pattern, '--', pathFrom(cwd, path)];
  const end = mode === 'files_with_matches' ? '\0' : '\n';
  const output = await ripgrep({ args, cwd, signal: host.signal, most, end, ...(take && { take }) });
  const page = { offset, limit, late: output.stopped === 'late', chars: limits.outputChars };
  const found = output.records.map((record) => (record.startsWith('./') ? record.slice(2) : record));
  if (mode === 'content') return contentOutcome(found, output, page);
  return mode === 'count' ? countOutcome(found, page) : filesOutcome(found, page, cwd);
}

function argsFor(given: Input): string[] {
  const { output_mode: mode } = given;
  const around = given['-C'] ?? given.context;
  return [
    '--hidden',
    '--no-messages',
    '--color=never',
    ...(mode === 'files_with_matches' ? ['--files-with-matches', '--null'] : ['--with-filename', '--no-heading']),
    ...(mode === 'count' ? ['--count-matches'] : []),
    ...(mode === 'content' ? [`--max-columns=${LINE_CHARS}`, '--max-columns-preview', '--sort=path'] : []),
    ...(mode === 'content' && given['-n'] ? ['--line-number'] : ['--no-line-number']),
    ...(mode === 'content' && around !== undefined ? [`--context=${around}`] : []),
    ...(mode === 'content' && given['-A'] !== undefined ? [`--after-context=${given['-A']}`] : []),
    ...(mode === 'content' && given['-B'] !== undefined ? [`--before-context=${given['-B']}`] : []),
    ...(given['-i'] ? ['--ignore-case'] : []),
    ...(given.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(given.type === undefined ? [] : [`--type=${given.type}`]),
    ...globsOf(given.glob).map((glob) => `--glob=${glob}`),
    // The last one that matches counts.
    ...(/(?:^|\/)\.git(?:\/|$)/.test(`${given.path ?? ''} ${given.glob ?? ''}`.replaceAll(' ', '/'))
      ? []
      : ['--glob=!**/.git/**']),
  ];
}

/** Several may be given, with spaces or commas between; those inside braces belong to one. */
function globsOf(globs: string | undefined): string[] {
  const split = globs?.match(/(?:\{[^}]*\}|[^\s,{])+/g) ?? [];
  return split.filter((glob) => glob !== '');
}

/** So that paths come out relative where they can. */
function pathFrom(cwd: string, path: string): string {
  const below = relative(cwd, path);
  const outside = below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below);
  return outside ? path : `./${below}`;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly late: boolean;
  readonly chars: number;
}

function contentOutcome(found: readonly string[], { stopped }: RipgrepOutput, page: Page): ToolOutcome {
  const { shown, fits } = fitting(found.slice(page.offset, page.offset + page.limit), page.chars);
  const more = stopped === 'enough' || found.length > page.offset + shown.length;
  const content = shown.join('\n');
  return {
    content: [content || NOTHING, ...notesOn(page, shown.length, more, fits)].join('\n\n'),
    result: { mode: 'content', numFiles: 0, filenames: [], content, numLines: shown.length, ...applied(page, more) },
  };
}

function filesOutcome(found: readonly string[], page: Page, cwd: string): ToolOutcome {
  const sorted = newestFirst(found, cwd);
  const { shown, fits } = fitting(sorted.slice(page.offset, page.offset + page.limit), page.chars);
  const more = sorted.length > page.offset + shown.length;
  const head = found.length === 0 ? NOTHING : `${counted(found.length, 'file')}:\n${shown.join('\n')}`;
  return {
    content: [head, ...notesOn(page, shown.length, more, fits)].join('\n\n'),
    result: { mode: 'files_with_matches', filenames: shown, numFiles: shown.length, ...applied(page, more) },
  };
}

function countOutcome(found: readonly string[], page: Page): ToolOutcome {
  const { shown, fits } = fitting(found.slice(page.offset, page.offset + page.limit), page.chars);
  const more = found.length > page.offset + shown.length;
  const numMatches = found.reduce((sum, line) => sum + Number(/:(\d+)$/.exec(line)?.[1] ?? 0), 0);
  const content = shown.join('\n');
  const total = `${numMatches} matches in ${counted(found.length, 'file')}.`;
  return {
    content: found.length === 0 ? NOTHING : [content, total, ...notesOn(page, shown.length, more, fits)].join('\n\n'),
    result: { mode: 'count', numFiles: found.length, filenames: [], content, numMatches, ...applied(page, more) },
  };
}

const NOTHING = 'Nothing was found.';

function notesOn({ offset, late }: Page, count: number, more: boolean, fits: boolean): string[] {
  if (late) return ['(It took too long and was stopped. Give a narrower path or glob.)'];
  if (!more && offset === 0) return [];
  const why = fits ? '' : ' as many as fit;';
  return [
    `(From ${offset + 1} to ${offset + count};${why} ${more ? `go on with offset ${offset + count}` : 'the last ones'}.)`,
  ];
}

function applied({ offset, limit }: Page, more: boolean): { appliedLimit?: number; appliedOffset?: number } {
  return { ...(more && limit < MOST_RECORDS && { appliedLimit: limit }), ...(offset > 0 && { appliedOffset: offset }) };
}

/** As many as may be sent; one at least. */
function fitting(records: readonly string[], chars: number): { shown: string[]; fits: boolean } {
  let left = chars;
  const end = records.findIndex((record, index) => {
    left -= record.length + 1;
    return left < 0 && index > 0;
  });
  return { shown: end < 0 ? [...records] : records.slice(0, end), fits: end < 0 };
}

const MOST_SORTED = 20_000;

function newestFirst(paths: readonly string[], cwd: string): readonly string[] {
  if (paths.length > MOST_SORTED) return paths;
  const times = new Map(paths.map((path) => [path, mtimeOf(resolve(cwd, path))]));
  return paths.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || (a < b ? -1 : 1));
}

function mtimeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
