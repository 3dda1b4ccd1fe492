/** Writes the demo set to demo/: what Skein shows when a machine has no sessions. `node scripts/make-demo.ts` */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { demoFiles } from './demo/set.ts';

export const DEMO = fileURLToPath(new URL('../demo/', import.meta.url));

export function writeDemo(folder: string): number {
  rmSync(folder, { recursive: true, force: true });
  let bytes = 0;
  for (const [path, text] of demoFiles()) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    bytes += Buffer.byteLength(text);
  }
  return bytes;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`demo: ${Math.round(writeDemo(DEMO) / 1024)} KB`);
}
