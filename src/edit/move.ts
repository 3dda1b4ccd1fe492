/** A session of a project that lies elsewhere now: the same session, with the folder that the client looks for (L2). */
import { bytesOf, type Entry, jsonOf } from '../format/entry.ts';
import { asString } from '../format/json.ts';
import type { Draft, OutLine } from './log.ts';
import { patchLine } from './patch.ts';

export interface Move {
  /** The folder the project had. */
  readonly from: string;
  readonly to: string;
}

/** Every line in its place; only `cwd` changes, where it is the old folder or one below it. */
export function move(entries: readonly Entry[], { from, to }: Move): Draft {
  const lines = entries.map((entry) => {
    const cwd = entry.head.cwd === undefined ? undefined : movedPath(entry.head.cwd, { from, to });
    return cwd === undefined || cwd === entry.head.cwd ? plain(entry) : moved(entry, cwd);
  });
  return { lines, notes: [] };
}

function plain(entry: Entry): OutLine {
  return {
    get bytes() {
      return bytesOf(entry);
    },
  };
}

function moved(entry: Entry, cwd: string): OutLine {
  return {
    get bytes() {
      const value = jsonOf(entry);
      return value === undefined || asString(value.cwd) === undefined
        ? bytesOf(entry)
        : patchLine(bytesOf(entry), value, { ...value, cwd });
    },
  };
}

/** The new path of what lies in the old folder; other paths stay. Slashes are those of the machine that wrote them. */
export function movedPath(path: string, { from, to }: Move): string {
  const root = from.replace(/[/\\]+$/, '');
  if (path === from || path === root) return to;
  const separator = path.charAt(root.length);
  if (!path.startsWith(root) || (separator !== '/' && separator !== '\\')) return path;
  const ours = to.includes('\\') ? '\\' : '/';
  return to.replace(/[/\\]+$/, '') + path.slice(root.length).replaceAll(separator, ours);
}
