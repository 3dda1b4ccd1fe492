/** Modes by name, as settings and flags give them. */
import { MODES, type Mode } from './types.ts';

/** Modes of the published client that are not ours are read as default, with a word. */
export function readMode(text: string): { readonly mode: Mode; readonly note?: string } {
  const mode = MODES.find((each) => each === text);
  if (mode !== undefined) return { mode };
  // The client's own other name for it.
  if (text === 'manual') return { mode: 'default' };
  return {
    mode: 'default',
    note: `The permission mode "${text}" is not known here; it is taken for default. Modes: ${MODES.join(', ')}.`,
  };
}
