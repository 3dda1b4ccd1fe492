/** Images that a prompt names by their paths come along, as a drop onto the terminal or a paste of a path would have it. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TurnPrompt } from '../../agent/ports.ts';
import { isPictureName, MOST_PICTURE_BYTES, pictureBlock } from '../../agent/tools/files/images.ts';
import type { JsonObject } from '../../format/json.ts';

const MOST = 5;

/** In quotes, with blanks behind backslashes, or plain; `@` before it as for any file. */
const PATHS = /@?(?:'([^'\n]+\.\w+)'|"([^"\n]+\.\w+)"|((?:\\.|[^\s'"\\@])+\.\w+))/g;

export function withImages(text: string, cwd: string): TurnPrompt['content'] {
  if (text.startsWith('/') && !/^\/\S*\.\w+/.test(text)) return text;
  const paths = [...text.matchAll(PATHS)].map(
    ([, single, double, plain]) => single ?? double ?? (plain ?? '').replace(/\\(.)/g, '$1'),
  );
  const images = [...new Set(paths)].flatMap((path) => imageOf(resolve(cwd, path))).slice(0, MOST);
  return images.length === 0 ? text : [{ type: 'text', text }, ...images];
}

function imageOf(path: string): JsonObject[] {
  if (!isPictureName(path)) return [];
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MOST_PICTURE_BYTES) return [];
    const image = pictureBlock(readFileSync(path));
    return image === undefined ? [] : [image];
  } catch {
    return [];
  }
}
