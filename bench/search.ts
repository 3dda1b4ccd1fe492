/** The rows of search: over the files and over the index, beside grep and, where it is there, ripgrep. */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { bytesOf, corpus, ROOT, singleFile, transcripts } from './corpus.ts';
import { costOf } from './measure.ts';

const KEPT = join(ROOT, '.cache', 'bench', 'search');
const NEEDLE = 'zanzibarquokka';
const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export function benchSearch({ sizes: [size, large], node, skein, peak, row }: Bench): void {
  const root = corpus(size);
  const files = transcripts(root);
  const search = (from: string) => `SKEIN_HOME=${KEPT} ${node} ${skein} search ${NEEDLE} --json --root ${from}`;
  rmSync(KEPT, { recursive: true, force: true });
  const start = costOf(`${node} -e 0`, 20);
  const grep = costOf(`grep -rF ${NEEDLE} ${root}`);
  const lines = costOf(`cat ${files.map((file) => `'${file}'`).join(' ')} | wc -l`);
  console.log(
    `\nsearch in ${megabytes(bytesOf(files))} in ${files.length} files: grep -F ${seconds(grep.cpu)}, cat | wc -l ${seconds(lines.cpu)}${ripgrep(root)}`,
  );
  const raw = costOf(search(root));
  row('search in the files', seconds(raw.cpu), raw.cpu / grep.cpu, 'grep -F', 2.5);
  const file = singleFile(large);
  const whole = costOf(search(file).replace(node, `${node} --require ${peak}`), 1);
  row(`search in ${megabytes(bytesOf([file]))}: peak memory`, megabytes(whole.rss), whole.rss / 150e6, '150 MB', 1);
  execFileSync(node, [skein, 'archive', 'sync', '--root', root], { env: { ...process.env, SKEIN_HOME: KEPT } });
  const indexed = costOf(search(root), 20);
  row('search in the index', seconds(indexed.cpu), indexed.cpu / start.cpu, 'node -e 0', 2);
  rmSync(KEPT, { recursive: true });
}

function ripgrep(root: string): string {
  if (spawnSync('rg', ['--version']).status !== 0) return '';
  return `, rg -F ${seconds(costOf(`rg --no-ignore --hidden -F ${NEEDLE} ${root}`).cpu)}`;
}
