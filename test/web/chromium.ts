/** The browser of the tests: Debian's chromium, or what CHROMIUM names. As root a missing one is installed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const NO_BROWSER = process.env.SKEIN_NO_BROWSER === '1';
export const IS_ROOT = process.getuid?.() === 0;

export function findChromium(): string | undefined {
  const { CHROMIUM } = process.env;
  if (CHROMIUM !== undefined && CHROMIUM !== '') return CHROMIUM;
  return PLACES.find((path) => existsSync(path));
}

/** Once before all tests: two workers must not install at the same time. */
export function ensureChromium(): void {
  if (NO_BROWSER) {
    console.log('SKEIN_NO_BROWSER=1: the tests that need a browser are left out');
    return;
  }
  if (findChromium() !== undefined || !IS_ROOT || !existsSync('/usr/bin/apt-get')) return;
  console.log('installing chromium for the browser tests');
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'inherit' });
  } catch {
    console.error('chromium could not be installed; the browser tests will say what is needed');
  }
}

export function chromiumPath(): string {
  const found = findChromium();
  if (found !== undefined) return found;
  throw new Error(
    'No chromium for the browser tests. Install it (apt-get install chromium), name one (CHROMIUM=/path), or leave these tests out (SKEIN_NO_BROWSER=1).',
  );
}
