import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { startSkein } from '../support/skein.ts';

test('a slow reader of follow does not make it keep the file in memory', async () => {
  const file = join(tempFolder(), 'long.jsonl');
  const row = `${JSON.stringify({ type: 'user', x: 'y'.repeat(100_000) })}\n`;
  writeFileSync(file, row.repeat(2000));
  const child = startSkein(['follow', file, '--raw', '--lines', '2000']);
  // Nobody reads: the pipe is full, and everything else must wait on disk.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const status = existsSync('/proc/self/status') ? readFileSync(`/proc/${child.pid}/status`, 'utf8') : '';
  let bytes = 0;
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (data) => {
      bytes += data.length;
      if (bytes >= row.length * 2000) resolve();
    });
  });
  child.kill('SIGINT');
  expect(bytes).toBe(row.length * 2000);
  expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024).toBeLessThan(170);
});
