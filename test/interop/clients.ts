/** The published client, by exact version, in a cache folder: a judge for tests, never shipped. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const NEWEST = '2.1.325';
/** Strict and old. */
export const OLD = '2.1.29';

const CACHE = fileURLToPath(new URL('../../.cache/clients', import.meta.url));
const NAME = '@anthropic-ai/claude-code';

/** The command that starts a version; it is installed by `installClient`. */
export function clientCommand(version: string): string[] {
  const folder = join(CACHE, version, 'node_modules', NAME);
  const { bin }: { bin: { claude: string } } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const program = join(folder, bin.claude);
  return program.endsWith('.js') ? [process.execPath, program] : [program];
}

/** Throws what npm said when it cannot provide the version. Install scripts and optional packages bring the program itself. */
export function installClient(version: string): void {
  const folder = join(CACHE, version);
  const done = join(folder, 'installed');
  if (existsSync(done)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, dependencies: { [NAME]: version }, allowScripts: { [NAME]: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const flags = ['install', '--no-audit', '--no-fund', '--include=optional', '--ignore-scripts=false'];
  execFileSync('npm', flags, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  const [program = '', script] = clientCommand(version);
  const said = execFileSync(program, [...(script ? [script] : []), '--version'], {
    encoding: 'utf8',
    env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder, CLAUDE_CONFIG_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (!said.startsWith(version)) throw new Error(`the installed client says it is ${said.trim()}`);
  writeFileSync(done, said);
}
