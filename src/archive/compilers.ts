/**
 * V8's compilers, held while something runs that ends within milliseconds: what gets warm meanwhile they compile on other threads, and
 * the process ends before that is used. Node's own modules that are loaded meanwhile come without their byte code.
 */
import { statSync } from 'node:fs';
import { loadSqlite } from './sqlite.ts';

const COMPILERS = ['sparkplug', 'maglev', 'turbofan'];

/** Lets them go again. */
export function holdCompilers(): () => void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const name of COMPILERS) setFlagsFromString(`--no-${name}`);
  let isHeld = true;
  return () => {
    if (isHeld) for (const name of COMPILERS) setFlagsFromString(`--${name}`);
    isHeld = false;
  };
}

/** Bytes of an archive of a thousand transcripts or so. What is done for each of fewer hardly gets warm: holding takes as long as it saves. */
const LARGE = 128e6;

/** The same where an archive is large. */
export function holdForLarge(archive: string): () => void {
  if (sizeOf(archive) < LARGE) return () => {};
  loadSqlite();
  return holdCompilers();
}

/** What is wrong with it is told where it is opened. */
function sizeOf(archive: string): number {
  try {
    return statSync(archive, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}
