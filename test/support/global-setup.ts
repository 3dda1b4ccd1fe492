/** The command under test is the built one: it is built once before the tests. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from '../web/chromium.ts';
import { ensureTmux } from './tmux.ts';

export default function buildCommand(): void {
  ensureChromium();
  ensureTmux();
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.ts', import.meta.url)), '--bundle'], {
    stdio: 'inherit',
  });
}
