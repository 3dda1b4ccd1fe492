/** The rows of usage: from the files, from the archive, and the status line. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { bytesOf, corpus, ROOT, singleFile, transcripts } from './corpus.ts';
import { costOf } from './measure.ts';

const KEPT = join(ROOT, '.cache', 'bench', 'usage');
const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export function benchUsage({ sizes: [size, large], node, skein, peak, row }: Bench): void {
  const root = corpus(size);
  const files = transcripts(root);
  const command = `SKEIN_HOME=${KEPT} ${node} ${skein} usage --json --root`;
  console.log(`\nusage of ${megabytes(bytesOf(files))} in ${files.length} files`);
  rmSync(KEPT, { recursive: true, force: true });
  const start = costOf(`${node} -e 0`, 20);
  const raw = costOf(`${command} ${root}`, 10);
  const lines = costOf(`cat ${files.map((file) => `'${file}'`).join(' ')} | wc -l`);
  row('usage from the files', seconds(raw.cpu), raw.cpu / lines.cpu, 'cat | wc -l', 9);
  // ccusage is no part of this package: CCUSAGE=BINARY measures it beside.
  if (process.env.CCUSAGE) {
    const peer = costOf(`CLAUDE_CONFIG_DIR=${root} ${process.env.CCUSAGE} daily --offline --json`, 10);
    row('the same', seconds(raw.cpu), raw.cpu / peer.cpu, 'ccusage', 1);
  }
  const file = singleFile(large);
  const whole = costOf(`${command.replace(node, `${node} --require ${peak}`)} ${file}`, 1);
  row(`usage of ${megabytes(bytesOf([file]))}: peak memory`, megabytes(whole.rss), whole.rss / 150e6, '150 MB', 1);
  execFileSync(node, [skein, 'archive', 'sync', '--root', root], { env: { ...process.env, SKEIN_HOME: KEPT } });
  const indexed = costOf(`${command} ${root}`, 20);
  row('usage from the archive', seconds(indexed.cpu), indexed.cpu / start.cpu, 'node -e 0', 2);
  const status = costOf(
    `echo '{}' | CLAUDE_CONFIG_DIR=${root} SKEIN_HOME=${KEPT} ${node} ${skein} usage --statusline`,
    20,
  );
  row('usage --statusline', seconds(status.cpu), status.cpu / start.cpu, 'node -e 0', 2);
  rmSync(KEPT, { recursive: true });
}
