/** The rows of a team: pushed to a real engine on this machine, then grown there to the sizes that are asked for. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { asNumber, asString } from '../src/format/json.ts';
import { openTeam, type Team } from '../src/team/connect.ts';
import { searchTeam } from '../src/team/search/search.ts';
import { parseQuery } from '../src/views/search/query.ts';
import { startClickHouse } from '../test/support/clickhouse.ts';
import { bytesOf, corpus, ROOT, transcripts } from './corpus.ts';
import { cpuNow } from './cputime.ts';
import { fitOf } from './fit.ts';
import { copyTeam, keepOriginal, RARE } from './teamcopies.ts';

export interface TeamBench {
  /** Of the corpus that is pushed. */
  readonly megabytes: number;
  /** To which the team is grown, in gigabytes of transcripts. */
  readonly gigabytes: readonly number[];
  readonly node: string;
  readonly skein: string;
  row(name: string, measured: string, ratio: number, against: string, target: number): void;
}

const KEPT = join(ROOT, '.cache', 'bench', 'team');
const seconds = (time: number) => `${time.toFixed(3)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
const HOUR = 3_600_000;

const SEARCHES: readonly (readonly [name: string, words: string])[] = [
  ['a rare word', RARE],
  ['a common word', 'function'],
  ['a common word, newest first', 'function'],
  ['two words', 'authentication timeout'],
  ['a phrase', '"exponential backoff jitter"'],
  ['Chinese', '登录错误'],
  ['a beginning', 'zanzibar*'],
  ['a filter alone', 'tool:Bash is:error'],
  ['a part of a word', '~anzibarquok'],
];

export async function benchTeam({ megabytes: size, gigabytes, node, skein, row }: TeamBench): Promise<void> {
  rmSync(KEPT, { recursive: true, force: true });
  const engine = await startClickHouse({ record: false, folder: join(KEPT, 'engine') });
  const team = await openTeam({ ...engine.admin.target, timeoutMs: HOUR });
  const env = { ...process.env, SKEIN_HOME: join(KEPT, 'home') };
  const run = (...argv: string[]) => runSkein(node, [skein, ...argv], env);
  const from = ['--team', engine.url()];
  try {
    const root = corpus(size);
    const bytes = bytesOf(transcripts(root));
    console.log(`\na team on ${cpus().length} cores (${cpus()[0]?.model.trim()}): ${megabytes(bytes)} pushed`);
    const synced = await costOf(() => run('archive', 'sync', '--root', root));
    const pushed = await costOf(() => run('team', 'push', '--yes', '--json', '--root', root, ...from));
    await settle(team);
    const ratio = (pushed.cpu / synced.cpu).toFixed(1);
    console.log(`     skein team push, masked: ${seconds(pushed.cpu)} of CPU, ${ratio} times archive sync`);
    const rows = (await storedIn(team)).rows;
    const rates = (time: number) => `${(bytes / 1e6 / time).toFixed(1)} MB and ${Math.round(rows / time)} rows`;
    const again = await costOf(() => run('team', 'push', '--yes', '--root', root, ...from));
    console.log(
      `     ${rates(pushed.time)} a second, ${rates(pushed.cpu)} a second of CPU, the engine's with it; again ${told(again)}`,
    );
    const stored = (await storedIn(team)).bytes;
    row('stored in all', megabytes(stored), stored / bytes, 'transcript bytes', 0.3);
    const points: Measured[] = [{ costs: await measure(team, run, from), bytes }];
    await tell(team, points[0]);
    await keepOriginal(team);
    for (let copy = 1, all = bytes; copy < Math.max(0, ...gigabytes) * (1e9 / bytes); copy += 1) {
      const taken = await costOf(() => copyTeam(team, copy));
      all += bytes;
      if (!gigabytes.some((wanted) => all >= wanted * 1e9 && all - bytes < wanted * 1e9)) continue;
      console.log(
        `\n${megabytes(all)}: the engine alone took in ${rates(taken.time)} a second, ${rates(taken.cpu)} a second of CPU`,
      );
      await settle(team);
      points.push({ costs: await measure(team, run, from), bytes: all });
      await tell(team, points.at(-1));
    }
    if (points.length > 1) growth(points, row);
  } finally {
    await team.close();
    await engine.stop();
    rmSync(KEPT, { recursive: true, force: true });
  }
}

function runSkein(node: string, argv: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(node, argv, { env, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${argv.join(' ')}: exit ${status}\n${stderr}`);
}

interface Cost {
  readonly time: number;
  /** With the engine's. */
  readonly cpu: number;
}

async function costOf(call: () => unknown): Promise<Cost> {
  const [started, before] = [performance.now(), cpuNow()];
  await call();
  return { time: (performance.now() - started) / 1000, cpu: cpuNow() - before };
}

/** The least of three runs. */
async function least(call: () => unknown): Promise<Cost> {
  const costs = [await costOf(call), await costOf(call), await costOf(call)];
  return { time: Math.min(...costs.map(({ time }) => time)), cpu: Math.min(...costs.map(({ cpu }) => cpu)) };
}

interface Measured {
  readonly costs: ReadonlyMap<string, Cost>;
  readonly bytes: number;
}

/** As the client sees it. */
async function measure(
  team: Team,
  run: (...argv: string[]) => void,
  from: readonly string[],
): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  const now = new Date();
  for (const [name, words] of SEARCHES) {
    const sort = name.includes('newest') ? 'date' : 'rank';
    const request = { query: parseQuery(words, { now }), sort, offset: 0, limit: 20, now } as const;
    costs.set(name, await least(() => searchTeam(team, request)));
  }
  for (const argv of ['usage --by month', 'usage --by project,model', 'list'])
    costs.set(`skein ${argv}`, await least(() => run(...argv.split(' '), '--json', ...from)));
  return costs;
}

const QUIET_SECONDS = 3;
const MOST_SECONDS = 180;

/** Until what was put in is merged as far as the engine does that by itself, or it takes too long. */
async function settle(team: Team): Promise<void> {
  for (let quiet = 0, waited = 0; quiet < QUIET_SECONDS && waited < MOST_SECONDS; waited += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const [merges] = await team.rows('SELECT count() AS running FROM system.merges');
    quiet = merges?.running === 0 ? quiet + 1 : 0;
  }
}

const STORED = `SELECT table, sum(rows) AS rows, sum(bytes_on_disk) AS bytes, count() AS parts FROM system.parts
  WHERE active AND database = currentDatabase() AND NOT startsWith(table, 'original_') GROUP BY table ORDER BY bytes DESC`;

async function storedIn(team: Team): Promise<{ readonly rows: number; readonly bytes: number }> {
  const tables = await team.rows(STORED);
  const sum = (name: string) => tables.reduce((all, row) => all + (asNumber(row[name]) ?? 0), 0);
  return { rows: sum('rows'), bytes: sum('bytes') };
}

async function tell(team: Team, measured: Measured | undefined): Promise<void> {
  if (measured === undefined) return;
  for (const row of await team.rows(STORED)) {
    const [rows, bytes, parts] = [row.rows, row.bytes, row.parts].map((each) => asNumber(each) ?? 0);
    const share = (bytes ?? 0) / measured.bytes;
    console.log(
      `     ${asString(row.table)?.padEnd(16)} ${rows} rows, ${parts} parts, ${share.toFixed(4)} of the transcripts' bytes`,
    );
  }
  for (const [name, cost] of measured.costs) console.log(`     ${name.padEnd(30)} ${told(cost)}`);
}

function told({ time, cpu }: Cost): string {
  return `${seconds(time)}, ${seconds(cpu)} of CPU`;
}

/** By CPU: what passes on the clock depends on who else works there. */
function growth(points: readonly Measured[], row: TeamBench['row']): void {
  for (const [name, { time }] of points.at(-1)?.costs ?? []) {
    const fit = fitOf(points.map(({ bytes, costs }) => ({ x: bytes / 1e9, y: costs.get(name)?.cpu ?? 0 })));
    row(`${name}: growth`, seconds(time), fit.exponent, 'linear', 1.1);
  }
}
