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
  /** What each job takes, in processes of their own after a warm-up. */
  jobs(names: readonly string[], file: string, warmUp: string): { readonly time: number; readonly cpu: number }[];
  row(name: string, measured: string, ratio: number, against: string, target: number): void;
}

const KEPT = join(ROOT, '.cache', 'bench', 'edit');
const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;

export function benchEdit({ large, node, skein, peak, jobs, row }: EditBench): void {
  const [warmUp, file, more] = [singleFile(20), singleFile(100), singleFile(Math.min(large, 300))];
  const [parse, slim] = jobs(['full-parse', 'slim'], file, warmUp);
  const [larger] = jobs(['slim'], more, warmUp);
  if (!parse || !slim || !larger) throw new Error('a job gave nothing');
  console.log(
    `\nslim of a session of ${megabytes(bytesOf([file]))}, after a warm-up on 20 MB; CPU of all threads ${(slim.cpu / parse.cpu).toFixed(2)}x`,
  );
  row('slim, 100 MB session', seconds(slim.time), slim.time / parse.time, 'full parse', 2);
  const growth = larger.cpu / slim.cpu / (bytesOf([more]) / bytesOf([file]));
  row(`the same, ${megabytes(bytesOf([more]))}: growth`, seconds(larger.cpu), growth, 'linear', 1.3);
  const command = `SKEIN_HOME=${KEPT} ${node} --require ${peak} ${skein} slim ${file} --dry-run`;
  const whole = costOf(command, 1);
  console.log(`     (the whole command, with all checks of what it wrote: ${seconds(whole.cpu)})`);
  row('skein slim: peak memory', megabytes(whole.rss), whole.rss / 300e6, '300 MB', 1);
  rmSync(KEPT, { recursive: true, force: true });
}
