/** What the editor offers while one writes: commands after `/`, files after `@`. */
import type { AutocompleteItem, AutocompleteProvider } from '@earendil-works/pi-tui/dist/autocomplete.js';
import { fuzzyFilter } from '@earendil-works/pi-tui/dist/fuzzy.js';
import type { Agent } from '../../agent/agenttypes.ts';
import { safeLine } from '../../views/safe.ts';
import type { ConsoleHost } from './host.ts';
import { SLASHES } from './slashes.ts';

const MOST = 50;
/** The files of a folder are asked for again after this. */
const FRESH_MS = 10_000;

export function completions(agent: Pick<Agent, 'commandList'>, host: Pick<ConsoleHost, 'files'>): AutocompleteProvider {
  let known: { readonly files: Promise<readonly string[]>; readonly at: number } | undefined;
  const files = () => {
    if (known === undefined || performance.now() - known.at > FRESH_MS) {
      known = { files: host.files().catch(() => []), at: performance.now() };
    }
    return known.files;
  };
  return {
    getSuggestions: async (lines, cursorLine, cursorCol, { signal }) => {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
      const called = cursorLine === 0 ? /^\/([\w:-]*)$/.exec(before)?.[1] : undefined;
      if (called !== undefined) return found(commandItems(agent), called, `/${called}`);
      const path = /(?:^|\s)@([^\s"]*)$/.exec(before)?.[1];
      if (path === undefined) return null;
      // A name that drives terminals cannot be written into the editor.
      const all = (await files()).filter((file) => safeLine(file) === file);
      if (signal.aborted) return null;
      return found(
        all.map((file) => ({ value: `@${file}`, label: safeLine(file) })),
        path,
        `@${path}`,
      );
    },
    applyCompletion: (lines, cursorLine, cursorCol, item, prefix) => {
      const line = lines[cursorLine] ?? '';
      const start = cursorCol - prefix.length;
      const value = `${item.value} `;
      const changed = `${line.slice(0, start)}${value}${line.slice(cursorCol).replace(/^ /, '')}`;
      return { lines: lines.with(cursorLine, changed), cursorLine, cursorCol: start + value.length };
    },
    shouldTriggerFileCompletion: () => false,
  };
}

function found(
  items: readonly AutocompleteItem[],
  words: string,
  prefix: string,
): { items: AutocompleteItem[]; prefix: string } | null {
  const fitting = words === '' ? [...items] : fuzzyFilter([...items], words, ({ label }) => label);
  return fitting.length === 0 ? null : { items: fitting.slice(0, MOST), prefix };
}

function commandItems({ commandList }: Pick<Agent, 'commandList'>): AutocompleteItem[] {
  const own = SLASHES.map(({ name, about, hint }) => item(name, about, hint));
  const names = new Set(SLASHES.map(({ name }) => name));
  const others = commandList.filter(({ name }) => !names.has(name));
  return [...own, ...others.map(({ name, description, hint }) => item(name, description, hint))];
}

function item(name: string, about: string, hint: string | undefined): AutocompleteItem {
  return { value: `/${name}`, label: name, description: safeLine(hint === undefined ? about : `${hint}  ${about}`) };
}
