/** The pure folders must bundle for a browser: no node: import may hide behind any of their modules. */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const entryPoints = globSync('src/{format,graph,edit,views}/**/*.ts', { cwd: root });
await build({
  absWorkingDir: root,
  entryPoints,
  bundle: true,
  write: false,
  outdir: 'unused',
  platform: 'browser',
  format: 'esm',
  logLevel: 'error',
});
console.log(`browser bundle: ${entryPoints.length} pure modules`);
