/** Bundles the command into dist/: a thin entry, every verb and heavy module a chunk of its own, loaded when used. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
  readFileSync(`${root}/package.json`, 'utf8'),
);

rmSync(`${root}/dist`, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: {
    main: 'src/cli/main.ts',
    format: 'src/format/index.ts',
    graph: 'src/graph/index.ts',
    views: 'src/views/index.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.16',
  external: Object.keys(dependencies),
  legalComments: 'linked',
  sourcemap: false,
  minifySyntax: true,
  logLevel: 'warning',
  metafile: true,
});

writeFileSync(`${root}/dist/LICENSES.txt`, licencesOf(Object.keys(metafile.inputs)));

// Types for those who import skein/format and the like.
execFileSync(`${root}/node_modules/.bin/tsc`, ['-p', `${root}/tsconfig.types.json`], { stdio: 'inherit' });

/** What is bundled keeps its licence. */
function licencesOf(inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  return [...packages]
    .sort()
    .map((name) => {
      const folder = `${root}/node_modules/${name}`;
      const file = existsSync(folder) ? readdirSync(folder).find((each) => /^licen[cs]e/i.test(each)) : undefined;
      return `${name}\n\n${file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : 'see its package.json'}\n`;
    })
    .join(`\n${'-'.repeat(72)}\n\n`);
}
