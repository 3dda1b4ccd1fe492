/** Bundles web/ for the browser: one script and one style, as a strict policy allows. Alone: `node scripts/build-web.ts [FOLDER]`. */
import { cpSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildResult, build } from 'esbuild';
import { RULES } from '../src/redact/rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What stands in web/ as an entry → its file under `outdir`. */
const ENTRIES = {
  app: 'web/main.tsx',
  'app.css': 'web/styles/app.css',
  standalone: 'web/standalone/main.tsx',
  'standalone.css': 'web/standalone/standalone.css',
};

/** What the page knows as a placeholder for a secret. */
const SECRET_KINDS = [...new Set([...RULES.map(({ kind }) => kind), 'password'])];

export async function buildWeb(outdir: string): Promise<BuildResult<{ metafile: true }>> {
  const built = await build({
    absWorkingDir: root,
    outdir,
    entryPoints: Object.entries(ENTRIES).map(([out, path]) => ({ in: path, out: out.replace(/\.css$/, '') })),
    bundle: true,
    format: 'iife',
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { SECRET_KINDS: JSON.stringify(SECRET_KINDS) },
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  });
  mkdirSync(outdir, { recursive: true });
  cpSync(`${root}/web/index.html`, `${outdir}/index.html`);
  return built;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWeb(process.argv[2] ?? `${root}/dist/web`);
