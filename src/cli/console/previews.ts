/** The session that is selected in a list, in short: its facts and its last turn as `skein show` tells them, read when the selection rests. */
import { safeLine } from '../../views/safe.ts';
import { MOST_PREVIEWED } from '../terminal/previewed.ts';
import type { ConsoleHost } from './host.ts';
import { broken, fit } from './lines.ts';

export interface Previews {
  /** Undefined: not read, or not yet; `changed` is called when there is something. */
  of(session: { readonly file: string; readonly bytes: number }, width: number): readonly string[] | undefined;
  stop(): void;
}

const REST_MS = 120;
/** More than is shown of one. */
const MOST_LINES = 100;
const MOST_KEPT = 50;

export function createPreviews({ verb }: Pick<ConsoleHost, 'verb'>, changed: () => void): Previews {
  const known = new Map<string, readonly string[]>();
  let wanted = '';
  let resting: NodeJS.Timeout | undefined;
  let reading = new AbortController();
  const stop = () => {
    clearTimeout(resting);
    reading.abort();
  };
  const read = async (key: string, file: string, width: number) => {
    const { code, out } = await verb(['show', file, '--turn', 'last', '--tools', 'none'], {
      columns: width,
      signal: reading.signal,
    });
    if (key !== wanted) return;
    if (known.size >= MOST_KEPT) known.clear();
    // What cannot be read is not tried again and again.
    known.set(key, code === 0 ? linesOf(out, width) : []);
    changed();
  };
  return {
    stop,
    of: ({ file, bytes }, width) => {
      if (bytes > MOST_PREVIEWED) return undefined;
      const key = `${width} ${file}`;
      if (wanted !== key && !known.has(key)) {
        stop();
        wanted = key;
        reading = new AbortController();
        resting = setTimeout(() => void read(key, file, width), REST_MS);
      }
      const lines = known.get(key);
      return lines?.length === 0 ? undefined : lines;
    },
  };
}

function linesOf(out: string, width: number): string[] {
  const [title = '', ...rest] = out
    .trimEnd()
    .slice(0, MOST_LINES * width)
    .split('\n');
  // Rows are few: none is left empty.
  const filled = rest.filter((line) => line.trim() !== '');
  return [fit(safeLine(title), width), ...filled.flatMap((line) => broken(line, width))];
}
