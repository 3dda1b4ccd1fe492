/** Bundles the command into dist/: one file whose parts run when they are used, and the heavy packages each in a file of its own. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { anchorTables } from './anchor-tables.ts';
import { buildWeb } from './build-web.ts';
import { buildHot, makeCodeCaches } from './hot.ts';
import { lazyWidths } from './lazy-widths.ts';
import { slimPrices } from './slim-prices.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version, dependencies = {} }: { version: string; dependencies?: Record<string, string> } = JSON.parse(
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
  mcpclient: /^\.\/manager\.ts$/,
  acp: /^@agentclientprotocol\/sdk$/,
  server: /\/server\/start\.ts$/,
  console: /\/console\/run\.ts$/,
  input: /\/terminal\/input\.ts$/,
  tools: /\/agent\/tools\/index\.ts$|^\.\/tools\/index\.ts$/,
  turndown: /^turndown$/,
  unpdf: /^unpdf$/,
  treesitter: /^web-tree-sitter$/,
  clickhouse: /^\.\/clickhouse\.ts$/,
};

const heavy: Plugin = {
  name: 'heavy',
  setup({ onResolve }) {
    for (const [name, filter] of Object.entries(HEAVY)) {
      onResolve({ filter }, ({ importer }) =>
        importer === '' ? undefined : { path: `./${name}.cjs`, external: true, sideEffects: false },
      );
    }
    // Other packages have their own way to it, and go on with that.
    onResolve({ filter: /^zod$/ }, ({ importer }) =>
      /[/\\]src[/\\]agent[/\\]/.test(importer) ? { path: './zod.cjs', external: true, sideEffects: false } : undefined,
    );
  },
};

/** What a wrong input is told in, to the model: the other sixty languages are a quarter of the agent's bundle. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: `${root}/node_modules/zod/v4/locales`,
    }));
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
  define: { 'import.meta.url': 'thisModule.url', SKEIN_VERSION: JSON.stringify(version) },
  // Made when it is asked for. A package may have a function of the name `process`.
  banner: {
    js: "const thisModule = { get url() { return globalThis.process.getBuiltinModule('node:url').pathToFileURL(__filename).href; } };",
  },
  plugins: [heavy, builtins, slimPrices, oneLanguage, lazyWidths, anchorTables],
  alias: {
    // Its CommonJS asks for its parts in a way that cannot be bundled.
    'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
    // One of them, whoever asks for it.
    marked: `${root}/node_modules/marked/lib/marked.esm.js`,
  },
};
const built = await Promise.all([
  build({
    ...command,
    entryPoints: {
      main: 'src/cli/main.ts',
      secretlint: '@secretlint/secretlint-rule-preset-recommend',
      prices: '@pydantic/genai-prices',
      mcp: 'src/client/mcp/server.ts',
      mcpclient: 'src/agent/mcp/manager.ts',
      acp: '@agentclientprotocol/sdk',
      server: 'src/server/start.ts',
      console: 'src/cli/console/run.ts',
      input: 'src/cli/terminal/input.ts',
      tools: 'src/agent/tools/index.ts',
      // As CommonJS, so that its one export is what is imported as its default.
      turndown: 'turndown/lib/turndown.cjs.js',
      unpdf: 'unpdf',
      treesitter: 'web-tree-sitter',
      clickhouse: 'src/team/clickhouse.ts',
      teamworker: 'src/team/read/worker.ts',
      zod: 'zod',
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
/** The shell parser of the agent, beside the code that loads them. */
const WASM = ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'].map(
  (path) => `node_modules/${path}`,
);
for (const path of WASM) cpSync(`${root}/${path}`, `${root}/${fresh}/${path.slice(path.lastIndexOf('/') + 1)}`);
const inputs = [...WASM, ...built.flatMap(({ metafile }) => Object.keys(metafile.inputs))];

writeFileSync(`${root}/${fresh}/LICENSES.txt`, licencesOf(inputs));
await makeCodeCaches(`${root}/${fresh}`, root);

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
