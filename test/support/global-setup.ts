/** The command under test is the built one: it is built once before the tests. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function buildCommand(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.ts', import.meta.url)), '--bundle'], {
    stdio: 'inherit',
  });
}
