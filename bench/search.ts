/** The rows of search: over the files and over the index, beside grep, ripgrep and counting lines. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { bytesOf, corpus, overTranscripts, ROOT, singleFile, transcripts } from './corpus.ts';
import { costBeside, costOf } from './measure.ts';
import { rgPath } from './peers.ts';

const KEPT = join(ROOT, '.cache', 'bench', 'search');
const NEEDLE = 'zanzibarquokka';
const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export function benchSearch(bench: Bench): void {
  const { sizes, node, peak, row } = bench;
  for (const size of sizes) benchCorpus(bench, size);
  const file = singleFile(sizes[1]);
  const whole = costOf(searchOf(bench, file).replace(node, `${node} --require ${peak}`), 1);
  row(
    `search in one file of ${megabytes(bytesOf([file]))}: memory`,
    megabytes(whole.rss),
    whole.rss / 150e6,
    '150 MB',
    1,
  );
  rmSync(KEPT, { recursive: true, force: true });
}

function searchOf({ node, skein }: Bench, root: string): string {
  return `SKEIN_HOME=${KEPT} ${node} ${skein} search ${NEEDLE} --json --root ${root}`;
}

function benchCorpus(bench: Bench, size: number): void {
  const { node, skein, row } = bench;
  const root = corpus(size);
  const files = transcripts(root);
  const command = searchOf(bench, root);
  rmSync(KEPT, { recursive: true, force: true });
  const lines = costOf(overTranscripts('wc -l', root));
  const peer = costOf(`${rgPath} --no-ignore --hidden -F ${NEEDLE} ${root}`);
  console.log(
    `\nsearch in ${megabytes(bytesOf(files))} in ${files.length} files: wc -l ${seconds(lines.cpu)}, rg -F ${seconds(peer.cpu)}`,
  );
  const raw = costBeside(`grep -rF ${NEEDLE} ${root}`, command, 5);
  row(`search in the files, ${size} MB`, seconds(raw.cost.cpu), raw.cost.cpu / raw.base.cpu, 'grep -F', 2.5);
  execFileSync(node, [skein, 'archive', 'sync', '--root', root], { env: { ...process.env, SKEIN_HOME: KEPT } });
  const indexed = costBeside(`${node} -e 0`, command, 40);
  row(
    `search in the index, ${size} MB`,
    seconds(indexed.cost.cpu),
    indexed.cost.cpu / indexed.base.cpu,
    'node -e 0',
    2,
  );
}
