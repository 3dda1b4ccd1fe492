/** `skein search`: anything that was said, thought, asked of tools or answered by them, in all chats. */
import { holdForLarge } from '../../archive/compilers.ts';
import { counted } from '../../views/counted.ts';
import { NAMES, operatorsIn, parseQuery, type Query, QueryError, shortened } from '../../views/search/query.ts';
import { wholeNumber } from '../arguments.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { type Masking, openMask, REVEAL_OPTION } from '../mask.ts';
import { nextPage } from '../nextpage.ts';
import { quoted } from '../quoted.ts';
import { runSearch, type Searched } from '../search/run.ts';

const LIMIT = 20;

export const search: Command = {
  name: 'search',
  minusWords: true,
  filters: NAMES,
  opensLate: true,
  usage: 'WORDS… [--limit N] [--page N] [--sort rank|date] [--scan] [--substring]',
  summary: 'find what was said, thought, asked of tools or answered by them, in all chats',
  details: [
    'All words must be there, as whole words, in any order; upper and lower case and accents make no difference. "a phrase" stands together, auth* finds what begins so, -word leaves out, ~text finds any part of the text (all of it with --substring), /regex/i a regular expression. Chinese, Japanese and Korean need no spaces.',
    'Filters: project: session: role:user|assistant|system tool: file: model: git-branch: after: before: is:error in:prompt|answer|thinking|tool|input|result|title|summary|note. Values with spaces stand in quotes; a minus before a filter that is no time turns it round; times are dates, ages (7d, 12h), today or yesterday. Filters alone list everything they let through.',
    'With an archive (skein archive sync) its index is asked, and only files that changed since are read; without one every file is read. What was copied by resuming, forking or reporting is found once.',
  ],
  options: {
    limit: { type: 'string', value: 'N', help: `How many hits (default ${LIMIT})` },
    page: { type: 'string', value: 'N', help: 'Which of the pages of that many (default 1)' },
    sort: {
      type: 'string',
      value: 'HOW',
      choices: ['rank', 'date'],
      help: 'rank: what fits best, newer before older (default) · date: newest first, as always without an index',
    },
    scan: { type: 'boolean', help: 'Read the files, whatever the index knows' },
    substring: { type: 'boolean', help: 'Take every word for a part of the text' },
    ...REVEAL_OPTION,
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein search login redirect', 'entries with both words'],
    ['skein search \'"exponential backoff" after:7d role:assistant\'', 'a phrase, said by the model in the last week'],
    ["skein search 'tool:Bash is:error docker*'", 'failed commands with a word that begins with docker'],
    ["skein search 'in:thinking 登录'", 'two characters in the thoughts'],
    ["skein search '/TODO\\(\\w+\\)/'", 'a regular expression'],
    ["skein search parser --json | jq '.hits[].session'", 'for programs'],
  ],
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const text = args.positionals.join(' ');
  const query = queryOf(context, text, args.flag('substring'));
  const limit = wholeNumber(args, 'limit', 1) ?? LIMIT;
  const offset = ((wholeNumber(args, 'page', 1) ?? 1) - 1) * limit;
  const mask = await openMask(context, args);
  const sort = args.value('sort') === 'date' ? 'date' : 'rank';
  const snippetLength = args.flag('json') ? undefined : (await import('../search/print.ts')).snippetLength(context);
  const request = { query, sort, offset, limit, now: context.now(), mask, snippetLength } as const;
  const found = await runSearch(context, args, request, { scan: args.flag('scan'), hold: holdForLarge });
  const page = { offset, limit };
  if (found.problems.length > 0) (await import('../library.ts')).reportProblems(context, found.problems);
  if (args.flag('json')) {
    const { searchJson } = await import('../search/json.ts');
    context.out.write(`${mask.json(searchJson(found, page))}\n`);
  } else await print(context, mask, found, { ...page, query, operators: operatorsIn(text) });
  return found.total > 0 ? 0 : 1;
}

export function queryOf(context: Context, text: string, substring: boolean): Query {
  try {
    const query = parseQuery(text, { now: context.now(), substring });
    const { terms, filters, after, before } = query;
    const filtered = Object.values(filters).some(({ any, none }) => any.length + none.length > 0);
    if (terms.length > 0 || filtered || after !== undefined || before !== undefined) return query;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new UsageError(error.what, error.where, error.next);
  }
  const [what, next] = emptyText(context, text);
  throw new UsageError(what, context.asTool ? shortened(text) : `skein search ${shortened(text)}`.trim(), next);
}

/** What is wrong with a text that asks for nothing, and what to ask instead. */
function emptyText({ asTool, now }: Context, text: string): readonly [string, string] {
  const command = (words: string) => (asTool ? words : `skein search ${quoted(words)}`);
  // Quotes around nothing.
  if (/^~?[\s"]*$/.test(text)) return ['What to search for?', `Give words, e.g. ${command('login')}`];
  const signs = text.replace(/^~|"/g, '').trim();
  const asWhole = /\s/.test(signs) ? `~"${signs}"` : `~${signs}`;
  const isToTry = shortened(asWhole) === asWhole && parseQuery(asWhole, { now: now() }).terms.length > 0;
  const next = isToTry
    ? `Find the characters themselves: ${command(asWhole)}`
    : 'Give words or letters: signs alone are none.';
  return ['There is no word in it.', next];
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

async function print(
  context: Context,
  mask: Masking,
  found: Searched,
  { offset, limit, query, operators }: Page & { readonly query: Query; readonly operators: readonly string[] },
): Promise<void> {
  const [{ byChat, groupLines }, { groupTitle }, { wrapProse }] = await Promise.all([
    import('../search/print.ts'),
    import('../search/titles.ts'),
    import('../../views/wrap.ts'),
  ]);
  const { out } = context;
  const groups = byChat(found).map((group) => ({ ...group, title: groupTitle(group, found) }));
  const shown = mask.settled(() => groups.map((group) => `${groupLines(context, group, mask).join('\n')}\n\n`));
  for (const text of shown) out.write(text);
  const range = rangeText(context, found, { offset, limit });
  const notes = [`${found.total} found${range} (${told(context, found, query)})`];
  if (found.total === 0) notes.push('To find more: fewer words or filters, begin* or ~part of a text');
  for (const each of operators) notes.push(`${each} was looked for as a word; ${INSTEAD[each]}`);
  for (const note of notes) for (const line of wrapProse(note, out.columns)) out.write(`${out.style.dim(line)}\n`);
}

/** How to write what is written so elsewhere. */
const INSTEAD: Partial<Record<string, string>> = {
  AND: 'all words have to be there anyway',
  OR: 'either of two is found by /one|other/i',
  NOT: 'a minus before a word leaves out what has it: -word',
};

/** Which of them are shown, and how to see the others. */
function rangeText(context: Context, { hits, total }: Searched, { offset, limit }: Page): string {
  if (offset > 0 && offset >= total) return total === 0 ? '' : `; the last page is ${Math.ceil(total / limit)}`;
  const range = hits.length > 0 && total > hits.length ? `, ${offset + 1}–${offset + hits.length} shown` : '';
  return `${range}${offset + limit < total ? `; ${nextPage(context, offset / limit + 2)}` : ''}`;
}

function told({ asTool }: Context, { engine, scanned, demo, asked }: Searched, { terms }: Query): string {
  const files = counted(scanned, 'file');
  if (engine === 'team') return 'the team';
  if (engine === 'index') return scanned > 0 ? `index, and ${files} read that changed since` : 'index';
  // Parts of a text and patterns are looked for in the files, whatever the index knows.
  const isForIndex = !asTool && !demo && !asked && terms.every(({ kind }) => kind === 'words');
  return `${files} read${isForIndex ? '; an index makes it faster: skein archive sync' : ''}`;
}
