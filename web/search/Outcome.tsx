/** One line about what was found, or what to do when there is nothing to show. */
import { filtersIn } from '../../src/views/search/query.ts';
import { Failed } from '../parts/Failed.tsx';
import { counted } from '../usage/amounts.ts';
import type { Checked } from './check.ts';
import { without, withoutFilters } from './complete.ts';
import type { Found, Searching } from './useSearch.ts';

export interface OutcomeProps {
  readonly query: string;
  readonly checked: Checked;
  readonly searching: Searching;
  readonly onText: (text: string) => void;
}

export function Outcome({ query, checked, searching, onText }: OutcomeProps) {
  const { found, error, loading, retry } = searching;
  if (checked.state === 'empty') return <Ways onText={onText} />;
  if (checked.state === 'wrong') {
    return (
      <div class="search-wrong" role="status">
        <p>{checked.what}</p>
        <p class="quiet small">{checked.next}</p>
      </div>
    );
  }
  if (error !== undefined && !loading) return <Failed error={error} retry={retry} />;
  if (found === undefined) return <Waiting />;
  if (found.total === 0 && found.query === query && !loading)
    return <NothingFound query={query} found={found} onText={onText} />;
  return (
    <p class="search-told small quiet number" role="status">
      {counted(found.total, 'hit')} · {toldBy(found)}
    </p>
  );
}

function Waiting() {
  return (
    <div role="status">
      <p class="search-told small quiet soon">Searching all chats…</p>
      {[0, 1, 2].map((index) => (
        <div key={index} class="skeleton hit-skeleton" />
      ))}
    </div>
  );
}

function toldBy({ engine, scanned }: Found): string {
  const files = counted(scanned, 'file');
  if (engine !== 'index') return `${files} read`;
  return scanned > 0 ? `from the index and ${files} that changed since` : 'from the index';
}

function NothingFound({
  query,
  found,
  onText,
}: {
  readonly query: string;
  readonly found: Found;
  readonly onText: (text: string) => void;
}) {
  const filters = filtersIn(query);
  const words = withoutFilters(query);
  const part = words !== '' && !/["~/*]/.test(words);
  const ways = [
    ...(filters.length > 1 && words !== '' ? [{ label: 'Without any filter', text: words }] : []),
    ...filters.map((filter) => ({
      label: `Without ${filter.negated ? '-' : ''}${filter.name}:${filter.value}`,
      text: without(query, filter),
    })),
    ...(part ? [{ label: 'Words that begin so', text: query.replace(words, begins(words)) }] : []),
    ...(part ? [{ label: 'Any part of the text', text: query.replace(words, `~"${words}"`) }] : []),
  ].filter(({ text }) => text.trim() !== '' && text !== query);
  return (
    <div class="search-none" role="status">
      <p class="state-what">Nothing found</p>
      <p class="quiet small">
        Searched prompts, answers, thinking, tools and titles of all chats
        {filters.length > 0 &&
          ` within ${filters.map(({ name, value, negated }) => `${negated ? '-' : ''}${name}:${value}`).join(' ')}`}{' '}
        ({toldBy(found)}).
      </p>
      {ways.length > 0 && (
        <p class="search-ways">
          {ways.map(({ label, text }) => (
            <button type="button" key={label} class="button" onClick={() => onText(text)}>
              {label}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

function begins(words: string): string {
  return words
    .split(/\s+/)
    .map((word) => `${word}*`)
    .join(' ');
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['"exponential backoff"', 'a phrase'],
  ['auth*', 'words that begin so'],
  ['tool:Bash is:error', 'commands that failed'],
  ['in:prompt after:7d', 'what you asked in the last week'],
  ['~useEff', 'any part of the text'],
  ['/TODO\\(\\w+\\)/', 'a regular expression'],
];

function Ways({ onText }: { readonly onText: (text: string) => void }) {
  return (
    <dl class="search-examples small">
      {EXAMPLES.map(([text, what]) => (
        <div key={text}>
          <dt>
            <button type="button" class="search-example" onClick={() => onText(text)}>
              <code>{text}</code>
            </button>
          </dt>
          <dd class="quiet">{what}</dd>
        </div>
      ))}
    </dl>
  );
}
