/** `npm run bench`: the table of ratios, every row against a baseline measured in the same run. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { benchArchive } from './archive.ts';
import { benchChat } from './chat.ts';
import { benchConsole } from './console.ts';
import { bytesOf, corpus, ROOT, singleFile, transcripts } from './corpus.ts';
import { benchEdit } from './edit.ts';
import { benchHook } from './hook.ts';
import { costOf } from './measure.ts';
import { benchSearch } from './search.ts';
import { benchServe } from './serve.ts';
import { benchUsage } from './usage.ts';
import { benchWeb } from './web.ts';

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '200' },
    large: { type: 'string', default: '1000' },
    only: { type: 'string' },
    /** Sizes a team is grown to. */
    gb: { type: 'string', default: '1' },
  },
});
const OUT = join(ROOT, '.cache', 'bench', 'jobs');
const NODE = process.execPath;
const SKEIN = join(ROOT, 'bin', 'skein');
const PEAK = join(ROOT, 'bench', 'peak.cjs');
const rows: Row[] = [];

interface Row {
  readonly job: string;
  readonly measured: string;
  readonly ratio: number;
  readonly against: string;
  readonly target: number;
}

interface JobCost {
  /** Seconds that passed, and those of all threads: the compiler and the collector work beside. */
  readonly time: number;
  readonly cpu: number;
  /** The peak of the process. */
  readonly rss: number;
  /** What the job still held at its end. */
  readonly held: number;
  readonly result: number;
}

interface JobOptions {
  readonly flags?: readonly string[];
  /** A file the job runs over first, unmeasured. */
  readonly warmUp?: string;
}

/** A job's own CPU, the least of three runs in processes of their own. */
function job(name: string, files: readonly string[], options: JobOptions = {}): JobCost {
  return least(Array.from({ length: 3 }, () => runJob(name, files, options)));
}

/** Several jobs in turn, so that a machine whose speed changes is the same to all; the least of five runs of each. */
function jobsInTurn(names: readonly string[], files: readonly string[], options: JobOptions = {}): JobCost[] {
  const rounds = Array.from({ length: 5 }, () => names.map((name) => runJob(name, files, options)));
  return names.map((_, place) => least(rounds.flatMap((round) => round[place] ?? [])));
}

function runJob(name: string, files: readonly string[], { flags = [], warmUp = '' }: JobOptions = {}): JobCost {
  const text = execFileSync(NODE, [...flags, join(OUT, `${name}.js`), ...files], {
    encoding: 'utf8',
    env: { ...process.env, WARM_UP: warmUp },
    maxBuffer: 1 << 28,
  });
  return JSON.parse(text);
}

function least(runs: readonly JobCost[]): JobCost {
  return runs.reduce((best, run) => ({
    ...(run.cpu < best.cpu ? run : best),
    time: Math.min(run.time, best.time),
    rss: Math.max(run.rss, best.rss),
  }));
}

function row(name: string, measured: string, ratio: number, against: string, target: number): void {
  rows.push({ job: name, measured, ratio, against, target });
  const mark = ratio <= target ? 'ok  ' : 'OVER';
  console.log(
    `${mark} ${name.padEnd(44)} ${measured.padStart(12)}  ${ratio.toFixed(2).padStart(7)}×  of ${against.padEnd(18)} (≤ ${target}×)`,
  );
}

const seconds = (cpu: number) => `${cpu.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
const wanted = (name: string) => values.only === undefined || name.includes(values.only);

await build({
  absWorkingDir: ROOT,
  entryPoints: readdirSync(join(ROOT, 'bench', 'jobs')).map((name) => join('bench', 'jobs', name)),
  outdir: OUT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.16',
  logLevel: 'warning',
});

if (wanted('start')) {
  const start = costOf(`${NODE} -e 0`, 20);
  const version = costOf(`${NODE} ${SKEIN} --version`, 20);
  row('skein --version', seconds(version.cpu), version.cpu / start.cpu, 'node -e 0', 1.3);
}

if (wanted('parse')) {
  const files = transcripts(corpus(Number(values.mb)));
  const [raw, chunks, scan, parse] = jobsInTurn(['raw-read', 'raw-chunks', 'metadata-scan', 'full-parse'], files);
  if (!raw || !chunks || !scan || !parse) throw new Error('a job gave nothing');
  const lines = costOf(
    `cat ${join(ROOT, '.cache', 'bench', `corpus-${values.mb}`, '.claude')}/projects/*/*.jsonl | wc -l`,
  );
  console.log(
    `\n${megabytes(bytesOf(files))} in ${files.length} files: raw read ${seconds(raw.cpu)}, through one buffer ${seconds(chunks.cpu)}, cat | wc -l ${seconds(lines.cpu)}`,
  );
  row('metadata scan', seconds(scan.cpu), scan.cpu / raw.cpu, 'raw read', 8);
  row('full parse', seconds(parse.cpu), parse.cpu / raw.cpu, 'raw read', 18);
}

if (wanted('graph')) {
  const [small, large] = [singleFile(100), singleFile(Number(values.large))];
  const warmUp = singleFile(20);
  const [parse, graph] = jobsInTurn(['full-parse', 'graph-context'], [small], { warmUp });
  if (!parse || !graph) throw new Error('a job gave nothing');
  console.log(
    `\nboth after a warm-up on 20 MB; without it ${seconds(job('graph-context', [small]).time)} against ${seconds(job('full-parse', [small]).time)}; CPU of all threads ${(graph.cpu / parse.cpu).toFixed(2)}x`,
  );
  row('graph and context, 100 MB session', seconds(graph.time), graph.time / parse.time, 'full parse', 1.5);
  const whole = job('graph-context', [large], { flags: ['--expose-gc'], warmUp });
  const growth = whole.cpu / graph.cpu / (bytesOf([large]) / bytesOf([small]));
  row(`the same, ${megabytes(bytesOf([large]))}: growth`, seconds(whole.cpu), growth, 'linear', 1.3);
  row(
    `a graph of ${megabytes(bytesOf([large]))}: memory`,
    megabytes(whole.held),
    whole.held / bytesOf([large]),
    'its bytes',
    0.5,
  );
  console.log(`     (peak of the whole process ${megabytes(whole.rss)})`);
}

if (wanted('memory')) {
  const file = singleFile(Number(values.large));
  const limit = 150e6;
  console.log(`\none file of ${megabytes(bytesOf([file]))}`);
  for (const command of ['cat', 'check --json', 'list --json --root']) {
    const cost = costOf(`${NODE} --require ${join(ROOT, 'bench', 'peak.cjs')} ${SKEIN} ${command} ${file}`, 1);
    row(`skein ${command.replace(' --root', '')}: peak memory`, megabytes(cost.rss), cost.rss / limit, '150 MB', 1);
  }
}

if (wanted('edit')) {
  const jobs = (names: readonly string[], file: string, warmUp: string) => jobsInTurn(names, [file], { warmUp });
  benchEdit({ large: Number(values.large), node: NODE, skein: SKEIN, peak: PEAK, jobs, row });
}

if (wanted('archive')) {
  const sizes = [Number(values.mb), Number(values.large)] as const;
  const part = (name: string, files: readonly string[]) =>
    least(Array.from({ length: 2 }, () => runJob('part-of-sync', [name, ...files], { flags: ['--no-warnings'] }))).cpu;
  benchArchive({ sizes, node: NODE, skein: SKEIN, peak: PEAK, part, row });
}

if (wanted('search')) {
  const sizes = [Number(values.mb), Number(values.large)] as const;
  benchSearch({ sizes, node: NODE, skein: SKEIN, peak: PEAK, row });
}

if (wanted('usage')) {
  const sizes = [Number(values.mb), Number(values.large)] as const;
  benchUsage({ sizes, node: NODE, skein: SKEIN, peak: PEAK, row });
}

if (wanted('serve')) {
  const sizes = [Number(values.mb), Number(values.large)] as const;
  await benchServe({ sizes, node: NODE, skein: SKEIN, peak: PEAK, row });
}

if (wanted('web')) await benchWeb({ node: NODE, skein: SKEIN, row });

if (wanted('chat')) await benchChat({ node: NODE, skein: SKEIN, row });

if (wanted('console')) await benchConsole({ node: NODE, skein: SKEIN, row });

if (wanted('hook')) await benchHook({ node: NODE, skein: SKEIN, row });

if (wanted('team')) {
  const { benchTeam } = await import('./team.ts');
  const gigabytes = values.gb.split(',').map(Number);
  await benchTeam({ megabytes: Number(values.mb), gigabytes, node: NODE, skein: SKEIN, row });
}

const over = rows.filter(({ ratio, target }) => ratio > target);
console.log(`\n${rows.length - over.length} of ${rows.length} within their targets`);
process.exitCode = over.length > 0 ? 1 : 0;
