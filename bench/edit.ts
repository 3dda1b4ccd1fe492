/** The rows of rewriting: a session read, slimmed and written, against parsing it; and the whole command beside. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOf, ROOT, singleFile } from './corpus.ts';
import { costOf } from './measure.ts';

export interface EditBench {
  /** Megabytes of the large session. */
  readonly large: number;
  readonly node: string;
  readonly skein: string;
  /** Preloaded, it prints the peak of the process. */
  readonly peak: string;
  /** A job's CPU and peak, in a process of its own after a warm-up. */
  job(name: string, file: string, warmUp: string): { readonly cpu: number; readonly rss: number };
  row(name: string, measured: string, ratio: number, against: string, target: number): void;
}

const KEPT = join(ROOT, '.cache', 'bench', 'edit');
const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export function benchEdit({ large, node, skein, peak, job, row }: EditBench): void {
  const [warmUp, file, more] = [singleFile(20), singleFile(100), singleFile(Math.min(large, 300))];
  const parse = job('full-parse', file, warmUp);
  const slim = job('slim', file, warmUp);
  const larger = job('slim', more, warmUp);
  console.log(`\nslim of a session of ${megabytes(bytesOf([file]))}, after a warm-up on 20 MB`);
  row('slim, 100 MB session', seconds(slim.cpu), slim.cpu / parse.cpu, 'full parse', 2);
  const growth = larger.cpu / slim.cpu / (bytesOf([more]) / bytesOf([file]));
  row(`the same, ${megabytes(bytesOf([more]))}: growth`, seconds(larger.cpu), growth, 'linear', 1.3);
  const command = `SKEIN_HOME=${KEPT} ${node} --require ${peak} ${skein} slim ${file} --dry-run`;
  const whole = costOf(command, 1);
  console.log(`     (the whole command, with all checks of what it wrote: ${seconds(whole.cpu)})`);
  row('skein slim: peak memory', megabytes(whole.rss), whole.rss / 300e6, '300 MB', 1);
  rmSync(KEPT, { recursive: true, force: true });
}
