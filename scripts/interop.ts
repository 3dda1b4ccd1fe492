/** `npm run interop`: the published client as a judge. Passed over, with a word, only where npm cannot provide it. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installClient, NEWEST, OLD } from '../test/interop/clients.ts';
import { installSdk } from '../test/interop/sdk.ts';

for (const version of [NEWEST, OLD]) {
  try {
    installClient(version);
    installSdk();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    console.error(`interop: skipped, npm cannot provide client ${version}: ${reason}`);
    process.exit(0);
  }
}
const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const flags = ['run', '--config', 'vitest.interop.config.ts', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, [vitest, ...flags], { stdio: 'inherit' });
process.exitCode = status ?? 1;
