/** Every file the real client wrote that the tests have. */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function recordings(): string[] {
  const folder = fileURLToPath(new URL('../fixtures', import.meta.url));
  return globSync('**/*.{jsonl,json}', { cwd: folder }).map((file) => `${folder}/${file}`);
}
