/** The version of this package, as the launcher tells it. */
import { readFileSync } from 'node:fs';
import { asString, at, parseJson } from '../../format/json.ts';

/** Next to dist/ in the package, above src/ in a clone. */
export function version(): string {
  for (const path of ['../package.json', '../../../package.json']) {
    const text = attempt(new URL(path, import.meta.url));
    const found = asString(at(parseJson(text), 'version'));
    if (found !== undefined) return found;
  }
  return '0';
}

function attempt(url: URL): string {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return '';
  }
}
