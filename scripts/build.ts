/** Bundles the command into dist/: one file whose parts run when they are used, and the heavy packages each in a file of its own. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { buildWeb } from './build-web.ts';
import { buildHot, makeCodeCaches } from './hot.ts';
import { slimPrices } from './slim-prices.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies = {} }: { dependencies?: Record<string, string> } = JSON.parse(
  readFileSync(`${root}/package.json`, 'utf8'),
);

/**
 * Node's own modules are asked for the names that are used. An `import` of one loads all it could ever give: node:fs its
 * promises and streams, node:util worker_threads, 3 ms of CPU each where a whole small command takes 50.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtin', sideEffects: false } : undefined,
    );
    onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => /^[a-z_]\w*$/i.test(name));
      const start = `const all = /* @__PURE__ */ process.getBuiltinModule('${path}');\nexport default all;\n`;
      // Marked as pure, so that those nobody imports are left out.
      const each = (name: string) =>
        `const of_${name} = /* @__PURE__ */ of('${name}'); export { of_${name} as ${name} };`;
      return { contents: `${start}const of = (name) => all[name];\n${names.map(each).join('\n')}` };
    });
  },
};

/** Packages larger than the command itself. Most runs need none of them, so each is a file that is loaded when it is asked for. */
const HEAVY: Readonly<Record<string, RegExp>> = {
  secretlint: /^@secretlint\/secretlint-rule-preset-recommend$/,
  prices: /^@pydantic\/genai-prices$/,
  mcp: /\/client\/mcp\/server\.ts$/,
  server: /\/server\/start\.ts$/,
};

const heavy: Plugin = {
  name: 'heavy',
  setup({ onResolve }) {
    for (const [name, filter] of Object.entries(HEAVY)) {
      onResolve({ filter }, ({ importer }) =>
        importer === '' ? undefined : { path: `./${name}.cjs`, external: true, sideEffects: false },
      );
    }
  },
};

/** Built beside dist/ and put in its place at the end: a command that runs meanwhile finds a whole one. */
const fresh = `dist.${process.pid}`;
const shared = {
  absWorkingDir: root,
  outdir: fresh,
  bundle: true,
  platform: 'node',
  target: 'node22.16',
  external: Object.keys(dependencies),
  legalComments: 'linked',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
  metafile: true,
} as const;
/** CommonJS in one file: loading some fifty small ES modules took longer than what most commands do. */
const command: BuildOptions & { metafile: true } = {
  ...shared,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: "const moduleUrl = process.getBuiltinModule('node:url').pathToFileURL(__filename).href;" },
  plugins: [heavy, builtins, slimPrices],
  // Its CommonJS asks for its parts in a way that cannot be bundled.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
};
const built = await Promise.all([
  build({
    ...command,
    entryPoints: {
      main: 'src/cli/main.ts',
      secretlint: '@secretlint/secretlint-rule-preset-recommend',
      prices: '@pydantic/genai-prices',
      mcp: 'src/client/mcp/server.ts',
      server: 'src/server/start.ts',
    },
  }),
  ...buildHot(command),
  // What others import.
  build({
    ...shared,
    entryPoints: {
      format: 'src/format/index.ts',
      graph: 'src/graph/index.ts',
      edit: 'src/edit/index.ts',
      views: 'src/views/index.ts',
    },
    splitting: true,
    format: 'esm',
    plugins: [builtins, slimPrices],
  }),
  buildWeb(`${root}/${fresh}/web`),
]);
const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));

writeFileSync(`${root}/${fresh}/LICENSES.txt`, licencesOf(inputs));
makeCodeCaches(`${root}/${fresh}`, root);

// Types for those who import skein/format and the like; `--bundle` is for tests, which have theirs checked before.
if (!process.argv.includes('--bundle')) {
  const types = ['-p', `${root}/tsconfig.types.json`, '--outDir', `${root}/${fresh}/types`];
  execFileSync(`${root}/node_modules/.bin/tsc`, types, { stdio: 'inherit' });
} else if (existsSync(`${root}/dist/types`))
  cpSync(`${root}/dist/types`, `${root}/${fresh}/types`, { recursive: true });

const old = `${root}/${fresh}.old`;
if (existsSync(`${root}/dist`)) renameSync(`${root}/dist`, old);
renameSync(`${root}/${fresh}`, `${root}/dist`);
rmSync(old, { recursive: true, force: true });

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
