/** Other programs to measure beside. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { ROOT } from './corpus.ts';

export { rgPath };

const CCUSAGE = '20.0.24';

/** The program itself, without npm around it: CCUSAGE names one, else npm brings it once; undefined where it cannot. */
export function ccusage(): string | undefined {
  if (process.env.CCUSAGE) return process.env.CCUSAGE;
  const folder = join(ROOT, '.cache', 'bench', 'ccusage');
  const name = `@ccusage/ccusage-${process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin', 'ccusage');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${CCUSAGE}`], {
      stdio: 'ignore',
    });
  } catch {
    return undefined;
  }
  if (!existsSync(program)) return undefined;
  // Its package leaves that to who starts it.
  chmodSync(program, 0o755);
  return program;
}
