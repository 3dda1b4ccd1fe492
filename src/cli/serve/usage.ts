/** Usage for the page: what the verb says, remembered until a session changes. */
import type { Options } from '../../server/questions.ts';
import { CommandError } from '../errors.ts';
import type { Catalog } from './catalog.ts';
import type { Children } from './children.ts';

const MOST_KEPT = 50;
const FLAGS = new Set(['heatmap']);

export type AskUsage = (options: Options, more?: readonly string[], signal?: AbortSignal) => Promise<object>;

export function createUsage(catalog: Catalog, children: Children, verb: readonly string[] = ['usage']): AskUsage {
  const kept = new Map<string, { readonly changes: number; readonly answer: object }>();
  return async (options, more = [], signal) => {
    const { chat: chats = [], ...others } = options;
    const rest = chats.map((id) => fileOf(catalog, id));
    const argv = [...verb, ...more, ...optionsOf(others)];
    const key = JSON.stringify([argv, rest]);
    const { changes } = catalog;
    const known = kept.get(key);
    if (known?.changes === changes) return known.answer;
    const answer = await children.json(argv, { rest, signal });
    kept.delete(key);
    kept.set(key, { changes, answer });
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return answer;
  };
}

/** The file of a chat that is known: a selector could name another, and an id be taken for a selector. */
function fileOf(catalog: Catalog, id: string): string {
  const chat = catalog.find(id);
  if (chat === undefined) throw new CommandError('There is no such chat.', id, 'Choose one of the list.');
  return chat.file.file;
}

/** A value cannot become an option: it stands behind its name. */
function optionsOf(options: Options): string[] {
  return Object.entries(options).flatMap(([name, values]) =>
    FLAGS.has(name) ? [`--${name}`] : values.map((value) => `--${name}=${value}`),
  );
}
