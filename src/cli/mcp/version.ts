/** The version of this package, as the launcher tells it. */
import { readFileSync } from 'node:fs';
import { asString, at, parseJson } from '../../format/json.ts';

/** Put in by the build: to read it takes a hook as long as to send what is small. */
declare const SKEIN_VERSION: string | undefined;

export function version(): string {
  return typeof SKEIN_VERSION === 'string' ? SKEIN_VERSION : versionInClone();
}

function versionInClone(): string {
  try {
    const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    return asString(at(parseJson(text), 'version')) ?? '0';
  } catch {
    return '0';
  }
}
