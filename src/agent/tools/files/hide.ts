/** Leaves out what ripgrep found in files that rules forbid to read. */
import { resolve } from 'node:path';
import type { ToolSession } from '../tool.ts';

type Take = (record: string) => string | undefined;

function shows(session: ToolSession, folder: string): ((path: string) => boolean) | undefined {
  const { hides } = session;
  if (hides === undefined) return undefined;
  const known = new Map<string, boolean>();
  return (path) => {
    const shown = known.get(path) ?? !hides(resolve(folder, path));
    known.set(path, shown);
    return shown;
  };
}

/** For records that are paths; undefined where nothing is hidden. */
export function takePaths(session: ToolSession, folder: string): Take | undefined {
  const isShown = shows(session, folder);
  return isShown && ((path) => (isShown(path) ? path : undefined));
}

/** For lines that begin with a path and NUL (`--null`): they become what ripgrep prints without it. */
export function takeLines(session: ToolSession, folder: string): Take | undefined {
  const isShown = shows(session, folder);
  if (isShown === undefined) return undefined;
  return (line) => {
    const at = line.indexOf('\0');
    // What names no file is shown only where it cannot tell of one.
    if (at < 0) return line === '--' ? line : undefined;
    const [path, rest] = [line.slice(0, at), line.slice(at + 1)];
    if (!isShown(path)) return undefined;
    return `${path}${/^\d+(-)/.exec(rest)?.[1] ?? ':'}${rest}`;
  };
}
