/** Ctrl-C while a team does not answer. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../support/files.ts';

const BRIDGE = fileURLToPath(new URL('../../src/team/read/bridge.ts', import.meta.url));

/** A process that takes signals over from the system, as `serve` does, and asks a team that never answers. */
const WAITS = `
  const { openBridge } = await import(process.argv[2]);
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => process.exit(99));
  const target = { url: process.argv[3], database: 'skein', user: 'default', password: '', name: 'there', timeoutMs: 2 ** 31 - 1 };
  openBridge(target).ask('SELECT 1');
`;

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends a process that waits', async (signal) => {
  const server = createServer();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const script = join(tempFolder(), 'waits.mjs');
  writeFileSync(script, WAITS);
  const child = spawn(process.execPath, ['--no-warnings', script, BRIDGE, url]);
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await Promise.race([once(server, 'request'), once(child, 'exit')]);
  // One that comes at the very beginning may be taken by who listens, who is not heard yet.
  const again = setInterval(() => child.kill(signal), 200);
  onTestFinished(() => clearInterval(again));
  const [code, by] = await once(child, 'exit');
  expect([told, code, by]).toEqual(['', null, signal]);
});
