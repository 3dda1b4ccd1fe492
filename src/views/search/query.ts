/** What a person types to find something, read into terms and filters. Nothing of it is ever taken for another language. */
import { closest } from '../closest.ts';
import { parseTime } from '../typedtime.ts';
import { ROLES, type Where } from './parts.ts';
import { fold, RUN_END, wordsOf } from './words.ts';

export type Term = (
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly prefix: boolean }
  /** Any part of the text, letters compared as in words. */
  | { readonly kind: 'substring'; readonly text: string }
  | { readonly kind: 'regex'; readonly regex: RegExp }
) & { readonly negated: boolean };

export interface Choice {
  /** One of these; any when empty. */
  readonly any: readonly string[];
  readonly none: readonly string[];
}

export const FILTERS = ['project', 'session', 'role', 'tool', 'file', 'model', 'git-branch', 'in', 'is'] as const;
export type FilterName = (typeof FILTERS)[number];
const TIMES = ['after', 'before'] as const;
export const NAMES: readonly string[] = [...FILTERS, ...TIMES];

export interface Query {
  readonly terms: readonly Term[];
  readonly filters: Readonly<Record<FilterName, Choice>>;
  /** Milliseconds, inclusive. */
  readonly after: number | undefined;
  /** Milliseconds, exclusive. */
  readonly before: number | undefined;
}

/** As much of what was typed as a message has room for. */
export function shortened(text: string): string {
  return text.length <= MOST_TOLD ? text : `${text.slice(0, MOST_TOLD).replace(/[\ud800-\udbff]$/, '')}…`;
}

const MOST_TOLD = 200;

/** A query that cannot be read: what is wrong, where, what to write instead. */
export class QueryError extends Error {
  readonly what: string;
  readonly where: string;
  readonly next: string;

  constructor(what: string, where: string, next: string) {
    super(what);
    this.what = shortened(what);
    this.where = shortened(where);
    this.next = shortened(next);
  }
}

/** What may stand after `in:`. */
export const IN: Readonly<Record<string, readonly Where[]>> = {
  prompt: ['prompt'],
  answer: ['answer'],
  thinking: ['thinking'],
  tool: ['tool_input', 'tool_result'],
  input: ['tool_input'],
  result: ['tool_result'],
  title: ['title'],
  summary: ['summary'],
  note: ['note'],
};

/** Filters whose values are these and no others. */
export const CHOICES: Partial<Record<string, readonly string[]>> = { role: ROLES, in: Object.keys(IN), is: ['error'] };

/** One item: an optional minus, then a regex, a filter, a substring, a phrase or a word. `--force` is a word: so options are written. */
const ITEM =
  /(?<minus>-(?!-))?(?:\/(?<regex>(?:[^/\\]|\\.|\/(?![a-z]*(?:\s|$)))+)\/(?<flags>[a-z]*)(?=\s|$)|(?<name>[A-Za-z-]+):(?:"(?<quotedValue>[^"]*)"?|(?<value>[^\s"]+))|(?<tilde>~)?(?:"(?<quoted>[^"]*)"?(?<star>\*)?|(?<word>[^\s"]+)))/gy;

export interface QueryOptions {
  readonly now: Date;
  /** Take every word and phrase for a part of the text. */
  readonly substring?: boolean;
}

/** More makes patterns that are refused. */
const LONGEST = 20_000;

/** Throws QueryError. */
export function parseQuery(text: string, options: QueryOptions): Query {
  if (text.length > LONGEST) {
    const what = `A query has at most ${LONGEST} characters, not ${text.length}.`;
    throw new QueryError(what, text, 'Search for less of it.');
  }
  // Each once: thousands of times the same word would take an index minutes.
  const terms = new Map<string, Term>();
  const filters = emptyFilters();
  const times: Record<(typeof TIMES)[number], number | undefined> = { after: undefined, before: undefined };
  for (const { groups } of itemsOf(text)) {
    const { name = '' } = groups;
    const negated = groups.minus !== undefined;
    const value = groups.quotedValue ?? groups.value ?? '';
    if (isRegex(groups)) addTerm(terms, { kind: 'regex', regex: toRegex(groups), negated });
    else if (isTime(name)) times[name] = wider(name, times[name], timeOf(name, value, negated, options.now));
    else if (isFilter(name)) addFilter(filters[name], name, value, negated);
    else for (const term of termsOf(groups, negated, options.substring === true)) addTerm(terms, term);
  }
  return { terms: [...terms.values()], filters, ...times };
}

function addTerm(terms: Map<string, Term>, term: Term): void {
  terms.set(JSON.stringify(term.kind === 'regex' ? [term.negated, String(term.regex)] : term), term);
}

type Groups = Partial<Record<string, string>>;

interface Item {
  readonly groups: Groups;
  readonly start: number;
}

function* itemsOf(text: string): Generator<Item> {
  for (let at = 0; at < text.length; ) {
    ITEM.lastIndex = at;
    const match = /\s/.test(text[at] ?? '') ? null : ITEM.exec(text);
    const start = at;
    at = match ? ITEM.lastIndex : at + 1;
    if (match?.groups) yield { groups: { ...match.groups, all: match[0] }, start };
  }
}

/** Words that other searches take for more than words. */
const OPERATORS: readonly string[] = ['AND', 'OR', 'NOT'];

/** Those that stand in what was typed beside something else, each once. */
export function operatorsIn(text: string): string[] {
  const items = [...itemsOf(text)].map(({ groups }) => groups.all ?? '');
  return items.length > 1 ? OPERATORS.filter((each) => items.includes(each)) : [];
}

/** A filter as it stands in what was typed. */
export interface TypedFilter {
  readonly name: string;
  readonly value: string;
  readonly negated: boolean;
  readonly start: number;
  readonly end: number;
}

export function filtersIn(text: string): TypedFilter[] {
  return [...itemsOf(text)].flatMap(({ groups, start }) => {
    const { name = '', value, quotedValue, minus, all = '' } = groups;
    if (!NAMES.includes(name)) return [];
    return [{ name, value: quotedValue ?? value ?? '', negated: minus !== undefined, start, end: start + all.length }];
  });
}

function emptyFilters(): Record<FilterName, { any: string[]; none: string[] }> {
  const empty = () => ({ any: [], none: [] });
  return {
    project: empty(),
    session: empty(),
    role: empty(),
    tool: empty(),
    file: empty(),
    model: empty(),
    'git-branch': empty(),
    in: empty(),
    is: empty(),
  };
}

function isFilter(name: string): name is FilterName {
  return NAMES.includes(name) && !isTime(name);
}

function isTime(name: string): name is (typeof TIMES)[number] {
  return name === 'after' || name === 'before';
}

function valueMissing(name: string): QueryError {
  return new QueryError(`${name} needs a value.`, name, `Write it without a space: ${name}VALUE`);
}

function addFilter(choice: { any: string[]; none: string[] }, name: string, value: string, negated: boolean): void {
  if (value === '') throw valueMissing(`${name}:`);
  const choices = CHOICES[name];
  const several = value.split(/[|,]/);
  const isSeveral = several.length > 1 && several.every((each) => choices?.includes(each) ?? each !== '');
  if (choices ? !choices.includes(value) : isSeveral && ONE_NAME.includes(name)) {
    const meant = isSeveral ? several.map((each) => `${name}:${each}`) : [choiceMeant(name, value, choices ?? [])];
    throw new QueryError(
      `${name}: takes ${choices?.join(', ') ?? 'one name'}; not "${shortened(value)}".`,
      `${name}:${value}`,
      `Write ${meant.join(' ')}`,
    );
  }
  (negated ? choice.none : choice.any).push(value);
}

/** Filters of names that have none of the signs that several would be written with. */
const ONE_NAME: readonly string[] = ['tool', 'model'];

/** A slip, or what another filter is for. */
function choiceMeant(name: string, value: string, choices: readonly string[]): string {
  const other = Object.keys(CHOICES).find((each) => CHOICES[each]?.includes(value));
  return other ? `${other}:${value}` : `${name}:${closest(value, choices) ?? choices[0]}`;
}

/** The same filter twice means either. */
function wider(name: (typeof TIMES)[number], before: number | undefined, time: number): number {
  if (before === undefined) return time;
  return name === 'after' ? Math.min(before, time) : Math.max(before, time);
}

function timeOf(name: string, value: string, negated: boolean, now: Date): number {
  const time = negated ? undefined : parseTime(value, now);
  if (time !== undefined) return time;
  throw new QueryError(
    negated ? `${name}: cannot be negated.` : `${name}: takes a time; not "${shortened(value)}".`,
    `${negated ? '-' : ''}${name}:${value}`,
    negated
      ? `Write ${name === 'after' ? 'before' : 'after'}:${value}`
      : 'Write a date (2026-01-31), a time (2026-01-31T10:00:00Z), an age (7d, 12h, 2w), today or yesterday.',
  );
}

const FLAGS = /^[imsu]*$/;

/** A letter, or what JavaScript has for flags: a slip, which is told. */
const NEARLY_FLAGS = /^(?:[a-z]?|[dgimsuvy]+)$/;

/** `/usr/local/bin` is a path. */
function isRegex({ regex, flags = '', all = '' }: Groups): boolean {
  return regex !== undefined && (NEARLY_FLAGS.test(flags) || !/^-?[\w/.~@%+,-]+$/.test(all));
}

function toRegex({ regex = '', flags = '', all = '' }: Groups): RegExp {
  try {
    if (FLAGS.test(flags)) return new RegExp(regex, [...new Set(`${flags}g`)].join(''));
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    throw new QueryError(why, all, 'Mend the regular expression, or find the characters themselves: ~text');
  }
  throw new QueryError(`A regular expression takes the flags i, m, s and u; not "${flags}".`, all, `Write /${regex}/i`);
}

function termsOf(groups: Groups, negated: boolean, substring: boolean): Term[] {
  const { tilde, quoted, name, all = '' } = groups;
  const word = groups.word ?? (groups.regex === undefined ? '' : all.replace(/^-/, ''));
  if (name !== undefined) refuseUnknown(name, all);
  if (word.endsWith(':') && NAMES.includes(word.slice(0, -1))) throw valueMissing(word);
  const bare = name === undefined ? (quoted ?? word) : all.replace(/^-/, '');
  // Accents alone are nothing when they are compared, and would be in every text.
  if (tilde !== undefined || substring) return fold(bare) === '' ? [] : [{ kind: 'substring', text: bare, negated }];
  const prefix = quoted === undefined ? bare.endsWith('*') : groups.star !== undefined;
  const words = [...wordsOf(bare)].map((each) => each.word);
  if (words.at(-1) === RUN_END) words.pop();
  return words.length === 0 ? [] : [{ kind: 'words', words, prefix, negated }];
}

/** As git has them. */
const ELSEWHERE: Partial<Record<string, string>> = { since: 'after', until: 'before' };

/** `http://…` and `std::vector` are words; what is nearly a filter is a slip. */
function refuseUnknown(name: string, all: string): void {
  const typed = name.toLowerCase();
  const whole = NAMES.find((each) => each.endsWith(`-${typed}`)) ?? ELSEWHERE[typed];
  const near = whole ?? (typed.length > 2 ? closest(typed, NAMES) : undefined);
  if (near === undefined) return;
  throw new QueryError(
    `There is no filter "${name}:".`,
    all,
    `Did you mean ${near}:? To find the words themselves, put them in quotes.`,
  );
}
