/** What could follow at the cursor: names of filters, then their values. */
import type { ChatList } from '../../src/views/page/types.ts';
import { CHOICES, filtersIn, NAMES } from '../../src/views/search/query.ts';
import { fold } from '../../src/views/search/words.ts';
import { shortNames } from '../list/rows.ts';

export interface Suggestion {
  readonly label: string;
  readonly hint: string;
  /** The whole text once it is taken, and where the cursor stands then. */
  readonly text: string;
  readonly cursor: number;
}

export const FILTER_HINTS: Readonly<Record<string, string>> = {
  project: 'of a project',
  role: 'by whom',
  in: 'where it stands',
  is: 'errors only',
  tool: 'calls of a tool',
  file: 'calls about a file',
  model: 'by model',
  'git-branch': 'by git branch',
  after: 'from then on',
  before: 'until then',
  session: 'of a session or sub-agent',
};

const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'Glob', 'Agent', 'Task', 'WebFetch', 'WebSearch', 'TodoWrite'];
const TIMES = ['today', 'yesterday', '7d', '30d', '90d'];
const MOST = 8;

export function suggestions(text: string, cursor: number, list: ChatList | undefined): Suggestion[] {
  const before = text.slice(0, cursor);
  const typed = /(?:^|\s)(?<minus>-?)(?:(?<name>[A-Za-z-]+):"?(?<value>[^\s"]*)|(?<start>[A-Za-z-]{2,}))$/.exec(
    before,
  )?.groups;
  if (typed === undefined) return [];
  const { minus = '', name, value = '', start } = typed;
  const put = (from: number, word: string, after: string): Pick<Suggestion, 'text' | 'cursor'> => {
    const head = text.slice(0, from) + word + after;
    return { text: head + text.slice(cursor).replace(/^\S*\s?/, ''), cursor: head.length };
  };
  if (name === undefined) {
    const from = cursor - (start ?? '').length;
    return NAMES.filter((each) => each.startsWith((start ?? '').toLowerCase())).map((each) => ({
      label: `${minus}${each}:`,
      hint: FILTER_HINTS[each] ?? '',
      ...put(from, `${each}:`, ''),
    }));
  }
  const from = before.lastIndexOf(`${name}:`);
  return valuesOf(name, list)
    .filter(({ value: each }) => each !== value && fold(each).includes(fold(value)))
    .slice(0, MOST)
    .map(({ value: each, hint }) => ({ label: each, hint, ...put(from, `${name}:${quoted(each)}`, ' ') }));
}

interface Value {
  readonly value: string;
  readonly hint: string;
}

function valuesOf(name: string, list: ChatList | undefined): Value[] {
  const chats = list?.chats ?? [];
  const plain = (values: readonly string[]) => values.map((value) => ({ value, hint: '' }));
  const unique = (values: readonly string[]) => plain([...new Set(values)].filter((value) => value !== ''));
  switch (name) {
    case 'project':
      return [...shortNames([...new Set(chats.map(({ project }) => project))])].map(([path, value]) => ({
        value,
        hint: path,
      }));
    case 'model':
      return unique(chats.flatMap(({ models }) => models));
    case 'git-branch':
      return unique(chats.map(({ gitBranch }) => gitBranch ?? ''));
    case 'tool':
      return plain(TOOLS);
    case 'after':
    case 'before':
      return plain(TIMES);
    default:
      return plain(CHOICES[name] ?? []);
  }
}

export function quoted(value: string): string {
  return /[\s"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value;
}

/** The text with a filter put in, or taken out where it is already there. */
export function toggled(text: string, name: string, value: string): string {
  const there = filtersIn(text).find((each) => each.name === name && each.value === value && !each.negated);
  return there ? without(text, there) : `${text.trim()} ${name}:${quoted(value)}`.trim();
}

export function without(text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  return `${text.slice(0, start).trimEnd()} ${text.slice(end).trimStart()}`.trim();
}

/** The same words without any filter. */
export function withoutFilters(text: string): string {
  return filtersIn(text)
    .toReversed()
    .reduce((left, filter) => without(left, filter), text);
}
