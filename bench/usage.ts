/** The rows of usage: from the files, from the archive, and the status line. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { bytesOf, corpus, overTranscripts, ROOT, singleFile, transcripts } from './corpus.ts';
import { costBeside, costOf } from './measure.ts';
import { ccusage } from './peers.ts';

const KEPT = join(ROOT, '.cache', 'bench', 'usage');
const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export function benchUsage(bench: Bench): void {
  const { sizes, node, peak, row } = bench;
  for (const size of sizes) benchCorpus(bench, size);
  const file = singleFile(sizes[1]);
  const whole = costOf(usageOf(bench, file).replace(node, `${node} --require ${peak}`), 1);
  row(
    `usage of one file of ${megabytes(bytesOf([file]))}: memory`,
    megabytes(whole.rss),
    whole.rss / 150e6,
    '150 MB',
    1,
  );
  rmSync(KEPT, { recursive: true, force: true });
}

function usageOf({ node, skein }: Bench, root: string): string {
  return `SKEIN_HOME=${KEPT} ${node} ${skein} usage --json --root ${root}`;
}

function benchCorpus(bench: Bench, size: number): void {
  const { node, skein, row } = bench;
  const root = corpus(size);
  const files = transcripts(root);
  const command = usageOf(bench, root);
  rmSync(KEPT, { recursive: true, force: true });
  const lines = costBeside(`${overTranscripts('cat', root)} | wc -l`, command, 5);
  console.log(`\nusage of ${megabytes(bytesOf(files))} in ${files.length} files`);
  row(`usage from the files, ${size} MB`, seconds(lines.cost.cpu), lines.cost.cpu / lines.base.cpu, 'cat | wc -l', 9);
  const peer = ccusage();
  if (peer === undefined) console.log('     (npm does not bring ccusage: CCUSAGE=PROGRAM measures it beside)');
  else {
    const beside = costBeside(`CLAUDE_CONFIG_DIR=${root} ${peer} daily --offline --json`, command, 10);
    row('the same', seconds(beside.cost.cpu), beside.cost.cpu / beside.base.cpu, 'ccusage', 1);
  }
  execFileSync(node, [skein, 'archive', 'sync', '--root', root], { env: { ...process.env, SKEIN_HOME: KEPT } });
  // The first question after a sync makes what the others are answered with.
  costOf(command, 1);
  const indexed = costBeside(`${node} -e 0`, command, 40);
  row(
    `usage from the archive, ${size} MB`,
    seconds(indexed.cost.cpu),
    indexed.cost.cpu / indexed.base.cpu,
    'node -e 0',
    2,
  );
  const status = `CLAUDE_CONFIG_DIR=${root} SKEIN_HOME=${KEPT} ${node} ${skein} usage --statusline`;
  const told = costBeside(`${node} -e 0`, `echo '{}' | ${status}`, 20);
  row(`usage --statusline, ${size} MB`, seconds(told.cost.cpu), told.cost.cpu / told.base.cpu, 'node -e 0', 2);
}
