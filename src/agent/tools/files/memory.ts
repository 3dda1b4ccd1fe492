/** What was read in a session: the files used last, so that a long session stays small. */
import type { FileMemory, FileSeen } from '../tool.ts';

const MOST_FILES = 2000;

export function createFileMemory(most = MOST_FILES): FileMemory {
  const seen = new Map<string, FileSeen>();
  const put = (path: string, what: FileSeen) => {
    seen.delete(path);
    seen.set(path, what);
    if (seen.size <= most) return;
    const [oldest] = seen.keys();
    if (oldest !== undefined) seen.delete(oldest);
  };
  return {
    get(path) {
      const what = seen.get(path);
      if (what !== undefined) put(path, what);
      return what;
    },
    set: put,
  };
}
