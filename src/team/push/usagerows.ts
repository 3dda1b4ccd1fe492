/** What a transcript tells of tokens and cost, message by message, as rows. */
import { projectOfCwds } from '../../disk/project.ts';
import { type FileUsage, ofAgent } from '../../disk/usage.ts';
import type { UsageRow } from '../rows.ts';
import { tierText } from '../tier.ts';
import { type FileColumns, timeText } from './linerows.ts';
import type { Shape } from './shape.ts';

export interface UsageRowOptions {
  readonly columns: FileColumns;
  readonly machine: string;
  readonly shape: Shape;
  /** The time of the line that begins at a byte of the file. */
  readonly timeAt: (start: number) => number;
  readonly isDenied: (cwd: string) => boolean;
}

/** A message without any id is known by its file and place (disk/usage.ts): that is no name to send. */
const NO_ID = /[/\\:].*:\d+$/;

/** One at a time: of a large session they are many. */
export function* rowsOfUsage(messages: readonly FileUsage[], options: UsageRowOptions): Generator<UsageRow> {
  const { columns, shape, machine, isDenied } = options;
  const { slug: _, agent, ...common } = columns;
  const own = messages.filter(({ origin }) => origin.cwd === undefined || !isDenied(origin.cwd));
  const project = shape.project(usageProject(own, options.columns.slug));
  for (const told of own) {
    const message = agent === '' ? told : ofAgent(told, agent);
    const { key = '', requestId, model, time, usage, ended, costUSD, estimate, origin } = message;
    yield {
      ...common,
      message: NO_ID.test(key) ? '' : shape.id(key),
      request: shape.id(requestId ?? ''),
      machine,
      project,
      agent: shape.id(origin.agentId ?? ''),
      branch: shape.name(origin.gitBranch),
      model: shape.term(model ?? ''),
      tier: tierText(usage, shape.term),
      time: timeText(time ?? options.timeAt(origin.start)),
      timed: time === undefined ? 0 : 1,
      ended: ended ? 1 : 0,
      sidechain: origin.isSidechain ? 1 : 0,
      copy: origin.isCopy ? 1 : 0,
      fork: origin.isFork ? 1 : 0,
      start: origin.start,
      input: whole(usage.input),
      output: whole(usage.output),
      cache_creation: whole(usage.cacheCreation),
      cache_read: whole(usage.cacheRead),
      cache_creation_5m: maybeWhole(usage.cacheCreation5m),
      cache_creation_1h: maybeWhole(usage.cacheCreation1h),
      web_searches: maybeWhole(usage.webSearches),
      web_fetches: maybeWhole(usage.webFetches),
      cost_recorded: costUSD === undefined || !Number.isFinite(costUSD) ? null : costUSD,
      estimate: maybeWhole(estimate),
    };
  }
}

/** As the archive's own usage finds it. */
function usageProject(messages: readonly FileUsage[], slug: string): string {
  return projectOfCwds(
    messages.map(({ origin }) => origin.cwd),
    slug,
  ).path;
}

function whole(value: number): number {
  return Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

function maybeWhole(value: number | undefined): number | null {
  return value === undefined ? null : whole(value);
}
