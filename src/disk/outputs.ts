/** Tool outputs that were too large for the transcript (L4), read from the sessions' own folders and from nowhere else. */
import { basename, win32 } from 'node:path';
import { decode } from '../format/text.ts';
import { DiskError } from './errors.ts';
import { fileSource } from './source.ts';

const MAX_BYTES = 64 << 20;

/**
 * A resolver for the paths that `<persisted-output>` names. The path was written on some machine at some time: only its
 * last part counts, looked for in `tool-results/` beside each session. A transcript cannot make us read any other file.
 */
export function toolOutputsOf(sessionFiles: readonly string[]): (path: string) => string | undefined {
  const folders = sessionFiles.map((file) => `${file.replace(/\.jsonl$/, '')}/tool-results`);
  return (path) => {
    const name = basename(win32.basename(path));
    if (name === '' || name === '.' || name === '..') return undefined;
    for (const folder of folders) {
      const text = readText(`${folder}/${name}`);
      if (text !== undefined) return text;
    }
    return undefined;
  };
}

function readText(file: string): string | undefined {
  const source = fileSource(file);
  try {
    return decode(source.read(0, Math.min(source.size(), MAX_BYTES)));
  } catch (error) {
    if (error instanceof DiskError) return undefined;
    throw error;
  } finally {
    source.close();
  }
}
