/** The grammar of bash, loaded when the first command has to be understood. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Parser, Tree } from 'web-tree-sitter';

export interface ShellParser {
  /** Never throws. Undefined for what is too long or nests too deep to be looked at. */
  parse(text: string): Tree | undefined;
}

/** As the published client: what is longer is asked about. */
export const MAX_COMMAND_CHARS = 10_000;

let loading: Promise<ShellParser> | undefined;

export function loadShellParser(): Promise<ShellParser> {
  loading ??= load();
  return loading;
}

async function load(): Promise<ShellParser> {
  const { Parser: Made, Language } = await import('web-tree-sitter');
  await Made.init({ locateFile: (name: string) => fileOf(name, 'web-tree-sitter') });
  const parser = new Made();
  parser.setLanguage(await Language.load(fileOf('tree-sitter-bash.wasm', 'tree-sitter-bash')));
  return { parse: (text) => parse(parser, text) };
}

function parse(parser: Parser, text: string): Tree | undefined {
  if (text.length > MAX_COMMAND_CHARS) return undefined;
  try {
    return parser.parse(text) ?? undefined;
  } catch {
    parser.reset();
    return undefined;
  }
}

/** Beside the bundle, else in the package. */
function fileOf(name: string, packageName: string): string {
  const beside = join(dirname(fileURLToPath(import.meta.url)), name);
  if (existsSync(beside)) return beside;
  const require = createRequire(import.meta.url);
  return require.resolve(`${packageName}/${name}`);
}
