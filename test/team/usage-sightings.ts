/** Rows of a team's files and usage made by hand, and the same messages folded as the code that reads files does. */
import type { FileUsage } from '../../src/disk/usage.ts';
import { createUsageFold } from '../../src/graph/usage/fold.ts';
import { isBetterOrigin, type LineOrigin } from '../../src/graph/usage/line.ts';
import type { Team } from '../../src/team/connect.ts';
import { teamPath } from '../../src/team/paths.ts';
import type { FileRow, ToolCallRow, UsageRow } from '../../src/team/rows.ts';
import { tierText } from '../../src/team/tier.ts';
import { type Fact, type Pricing, toFact } from '../../src/views/usage/facts.ts';
import type { ClickHouse } from '../support/clickhouse.ts';
import { insertRows } from '../support/teamrows.ts';

export const T0 = Date.UTC(2026, 10, 2, 9, 0, 0);

export interface Told {
  readonly message?: string;
  readonly request?: string;
  readonly model?: string;
  readonly tier?: string;
  readonly speed?: string;
  readonly geo?: string;
  readonly branch?: string;
  readonly agent?: string;
  /** Milliseconds. */
  readonly time?: number;
  readonly ended?: boolean;
  readonly sidechain?: boolean;
  readonly copy?: boolean;
  readonly fork?: boolean;
  readonly start: number;
  readonly input?: number;
  readonly output?: number;
  readonly write?: number;
  readonly write1h?: number;
  readonly read?: number;
  readonly searches?: number;
  readonly recorded?: number;
  readonly estimate?: number;
}

export interface TeamFile {
  readonly session: string;
  readonly name: string;
  readonly slug: string;
  readonly project: string;
  readonly kind?: 'session' | 'agent';
  /** Logins of those who pushed it. */
  readonly owners: readonly string[];
  readonly told: readonly Told[];
  readonly calls?: readonly Called[];
}

export interface Called {
  readonly id: string;
  readonly tool: string;
  readonly status?: string;
  readonly message?: string;
  readonly agent?: string;
  readonly time: number;
  readonly bytes?: number;
  readonly characters?: number;
  readonly hash?: string;
  readonly duration?: number;
}

/** Each owner pushes what is theirs. */
export async function insertFiles(engine: ClickHouse, files: readonly TeamFile[], version = 1): Promise<void> {
  for (const owner of new Set(files.flatMap(({ owners }) => owners))) {
    const team = await pusher(engine, owner);
    const own = files.filter(({ owners }) => owners.includes(owner));
    await insertRows(
      team,
      'usage',
      own.flatMap((file) => file.told.map((told) => usageRow(file, told, owner, version))),
    );
    await insertRows(
      team,
      'tool_calls',
      own.flatMap((file) => (file.calls ?? []).map((call) => callRow(file, call, owner, version))),
    );
    await insertRows(
      team,
      'files',
      own.map((file) => fileRow(file, owner, version)),
    );
  }
}

const pushers = new Map<string, Team>();

/** Made when first asked for. */
export async function pusher(engine: ClickHouse, login: string): Promise<Team> {
  const key = `${engine.url()} ${login}`;
  const known = pushers.get(key);
  if (known !== undefined) return known;
  await engine.addUser(login, ['skein_pusher', 'skein_member']);
  const team = await engine.as(login);
  pushers.set(key, team);
  return team;
}

/** As the server reads it. */
function stamp(time: number): string {
  return new Date(time).toISOString().replace('T', ' ').replace('Z', '');
}

function common({ session, name }: TeamFile, owner: string, time: number, version: number) {
  return {
    session,
    name,
    person: `p-${owner}`,
    retention: 'standard',
    time: stamp(time),
    version,
    deleted: 0 as const,
  };
}

function fileRow(file: TeamFile, owner: string, version: number): FileRow {
  const { slug, project, kind = 'session', session } = file;
  return {
    ...common(file, owner, T0, version),
    machine: `m-${owner}`,
    kind,
    slug,
    project,
    agent: '',
    content: 'full',
    mtime: stamp(T0),
    updated: null,
    size: 0,
    lines: 0,
    digest: '',
    chat: session,
    title: `About ${session}`,
    outline: '',
    body: '',
  };
}

function usageRow(file: TeamFile, told: Told, owner: string, version: number): UsageRow {
  return {
    ...common(file, owner, told.time ?? T0, version),
    message: told.message ?? '',
    request: told.request ?? '',
    machine: `m-${owner}`,
    project: file.project,
    agent: told.agent ?? '',
    branch: told.branch ?? '',
    model: told.model ?? '',
    tier: tierText({ serviceTier: told.tier, speed: told.speed, inferenceGeo: told.geo }),
    timed: told.time === undefined ? 0 : 1,
    ended: told.ended ? 1 : 0,
    sidechain: told.sidechain ? 1 : 0,
    copy: told.copy ? 1 : 0,
    fork: told.fork ? 1 : 0,
    start: told.start,
    input: told.input ?? 0,
    output: told.output ?? 0,
    cache_creation: told.write ?? 0,
    cache_read: told.read ?? 0,
    cache_creation_5m: null,
    cache_creation_1h: told.write1h ?? null,
    web_searches: told.searches ?? null,
    web_fetches: null,
    cost_recorded: told.recorded ?? null,
    estimate: told.estimate ?? null,
  };
}

function callRow(file: TeamFile, call: Called, owner: string, version: number): ToolCallRow {
  return {
    ...common(file, owner, call.time, version),
    id: call.id,
    project: file.project,
    agent: call.agent ?? '',
    tool: call.tool,
    status: call.status ?? 'ok',
    model: '',
    message: call.message ?? '',
    timed: 1,
    duration: call.duration ?? null,
    input_bytes: 0,
    result_bytes: call.bytes ?? 0,
    result_chars: call.characters ?? 0,
    input_hash: call.hash ?? '0',
  };
}

/** What the code says that reads files: in the order of their paths, a file's own messages before its copies. */
export function foldedFacts(files: readonly TeamFile[], pricing: Pricing): Fact[] {
  const fold = createUsageFold<LineOrigin>(isBetterOrigin);
  const projects = new Map<string, string>();
  const sorted = files
    .map((file) => ({ ...file, path: teamPath(file.slug, file.name) }))
    .sort(by(({ path }) => [path]));
  for (const { path, told, project } of sorted) {
    projects.set(path, project);
    for (const each of [...told].sort(by(({ copy, start }) => [copy ? 1 : 0, start]))) fold.add(toMessage(each, path));
  }
  return fold.messages().map((each) => toFact(each, projects.get(each.origin.file) ?? '', pricing));
}

function by<T>(keys: (value: T) => readonly (string | number)[]): (a: T, b: T) => number {
  return (a, b) => {
    const [x, y] = [keys(a), keys(b)];
    for (const [place, key] of x.entries()) {
      const other = y[place] ?? key;
      if (key !== other) return key < other ? -1 : 1;
    }
    return 0;
  };
}

function toMessage(told: Told, file: string): FileUsage {
  return {
    key: told.message,
    requestId: told.request,
    usage: {
      input: told.input ?? 0,
      output: told.output ?? 0,
      cacheCreation: told.write ?? 0,
      cacheRead: told.read ?? 0,
      cacheCreation1h: told.write1h,
      webSearches: told.searches,
      serviceTier: told.tier,
      speed: told.speed,
      inferenceGeo: told.geo,
    },
    ended: told.ended ?? false,
    synthetic: false,
    model: told.model,
    time: told.time,
    costUSD: told.recorded,
    estimate: told.estimate,
    origin: {
      file,
      line: 0,
      start: told.start,
      end: told.start,
      gitBranch: told.branch,
      agentId: told.agent,
      isSidechain: told.sidechain ?? false,
      isCopy: told.copy ?? false,
      isFork: told.fork ?? false,
    },
  };
}
