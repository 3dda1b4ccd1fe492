/** Enforces who may import whom (docs/ARCHITECTURE.md). Prints every import that breaks the rule; exit 1 if there is one. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Folder → folders it may import besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  format: [],
  graph: ['format'],
  edit: ['format', 'graph'],
  views: ['format', 'graph'],
  disk: ['format', 'graph'],
  redact: ['format'],
  store: ['format', 'graph', 'views', 'disk'],
  archive: ['format', 'graph', 'views', 'disk', 'redact', 'store'],
  team: ['format', 'graph', 'views', 'disk', 'redact', 'archive', 'store'],
  export: ['format', 'graph', 'views', 'disk', 'redact'],
  agent: ['format', 'graph', 'edit', 'views', 'disk', 'archive'],
  client: ['format', 'graph', 'views', 'disk', 'archive', 'export', 'redact', 'store', 'team'],
  server: ['format', 'graph', 'edit', 'views', 'disk', 'archive', 'redact'],
  cli: [
    ...['format', 'graph', 'edit', 'views', 'disk', 'redact', 'store', 'archive', 'team'],
    ...['export', 'agent', 'client', 'server'],
  ],
  web: ['format', 'graph', 'views'],
};
const PURE = new Set(['format', 'graph', 'edit', 'views']);

export function brokenImports(file: string, text: string): string[] {
  const [, folder = ''] = /^(?:src\/)?([^/]+)\//.exec(file) ?? [];
  const allowed = MAY_IMPORT[folder];
  if (allowed === undefined) return [`${file}: folder "${folder}" is not in the design`];
  return importsOf(text).flatMap((specifier) => {
    if (specifier.startsWith('.')) {
      const [, target = ''] = /^(?:src\/)?([^/]+)/.exec(join(dirname(file), specifier).replaceAll(sep, '/')) ?? [];
      const fine = target === folder || allowed.includes(target);
      return fine ? [] : [`${file}: ${folder} may not import ${target} (${specifier})`];
    }
    if (PURE.has(folder) && (specifier.startsWith('node:') || ['fs', 'path', 'os'].includes(specifier))) {
      return [`${file}: ${folder} is pure and may not import ${specifier}`];
    }
    return [];
  });
}

function importsOf(text: string): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}'], { cwd: root });
  const broken = files.flatMap((file) => brokenImports(file, readFileSync(join(root, file), 'utf8')));
  for (const line of broken) console.error(line);
  console.log(`imports: ${files.length} files, ${broken.length} broken`);
  process.exitCode = broken.length > 0 ? 1 : 0;
}
