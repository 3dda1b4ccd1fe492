/** The rows of the archive, for a corpus of two sizes and one large file; all that is made of it included. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { bytesOf, corpus, ROOT, singleFile, transcripts } from './corpus.ts';
import { costOf } from './measure.ts';

interface ArchiveBench extends Bench {
  /** Seconds of CPU of one part of a first sync, done by itself over the files. */
  part(name: string, files: readonly string[]): number;
}

const KEPT = join(ROOT, '.cache', 'bench', 'archive');
const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export function benchArchive(bench: ArchiveBench): void {
  const start = costOf(`${bench.node} -e 0`, 20);
  for (const size of bench.sizes) benchCorpus(bench, size, start.cpu);
  const file = singleFile(bench.sizes[1]);
  const whole = costOf(`rm -rf ${KEPT}; ${sync(bench, file)}`, 1);
  benchPeak(bench, `first sync of one file of ${megabytes(bytesOf([file]))}`, whole.rss);
  rmSync(KEPT, { recursive: true, force: true });
}

function benchCorpus(bench: ArchiveBench, size: number, start: number): void {
  const { row } = bench;
  const root = corpus(size);
  const files = transcripts(root);
  // More names than a command line takes.
  const found = `find ${root}/projects -name '*.jsonl'`;
  const bare = costOf(`${found} -print0 | wc -l --files0-from=-`).cpu;
  const piped = costOf(`${found} -exec cat {} + | wc -l`).cpu;
  const first = costOf(`rm -rf ${KEPT}; ${sync(bench, root)}`, size > 500 ? 1 : 3);
  const bytes = readdirSync(KEPT).reduce((sum, name) => sum + statSync(join(KEPT, name)).size, 0);
  const again = costOf(sync(bench, root).replace(`--require ${bench.peak} `, ''), 20);
  const name = megabytes(bytesOf(files));
  console.log(
    `\nthe archive of ${name} in ${files.length} files: wc -l ${seconds(bare)}, cat | wc -l ${seconds(piped)} (the first sync is ${(first.cpu / piped).toFixed(0)}× of that)`,
  );
  row(`first sync of ${name}`, seconds(first.cpu), first.cpu / bare, 'wc -l', 80);
  benchParts(bench, files, first.cpu, bare);
  row('archive and index: size', megabytes(bytes), bytes / bytesOf(files), 'the bytes', 0.6);
  row('nothing changed, sync again', seconds(again.cpu), again.cpu / start, 'node -e 0', 3);
  benchPeak(bench, `first sync of ${name}`, first.rss);
}

/** What is least of it: reading, addresses and digests, compression, and words of parsed lines, nothing else around them. */
function benchParts({ part }: ArchiveBench, files: readonly string[], whole: number, bare: number): void {
  const [lines = 0, ...others] = ['lines', 'hashes', 'packs', 'words'].map((name) => part(name, files));
  const [hashes = 0, packs = 0, words = 0] = others.map((cpu) => cpu - lines);
  const sum = lines + hashes + packs + words;
  const ratio = (cpu: number) => `${(cpu / bare).toFixed(0)}×`;
  const json = part('json', files);
  console.log(
    `     (its parts by themselves ${seconds(sum)}, ${ratio(sum)}: reading lines ${ratio(lines)}, SHA-256 ${ratio(hashes)}, zstd ${ratio(packs)}, parsing and FTS5 ${ratio(words)}; the rest ${ratio(whole - sum)})`,
  );
  // How fast `wc -l` is differs from machine to machine.
  console.log(
    `     (JSON.parse of every line ${seconds(json)}: the sync takes ${(whole / json).toFixed(1)} times as long)`,
  );
}

function benchPeak({ row }: Pick<ArchiveBench, 'row'>, name: string, rss: number): void {
  row(`${name}: peak memory`, megabytes(rss), rss / 250e6, '250 MB', 1);
}

/** One that fails ends the measurement. */
function sync({ node, skein, peak }: ArchiveBench, from: string): string {
  return `SKEIN_HOME=${KEPT} ${node} --require ${peak} ${skein} archive sync --root ${from} || exit`;
}
