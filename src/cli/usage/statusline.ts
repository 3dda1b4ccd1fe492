/** `--statusline`: what the client's status line shows. Whatever goes wrong, it prints something and ends well. */
import { resolve } from 'node:path';
import { archiveFolder } from '../../archive/place.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../format/json.ts';
import { countOf, dollarsOf } from '../../format/usage.ts';
import { safeLine } from '../../views/safe.ts';
import { dayIn } from '../../views/usage/days.ts';
import { PER_DOLLAR } from '../../views/usage/rates.ts';
import { type Status, statusText } from '../../views/usage/statusline.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { type RecentSums, recentUsage } from './recent.ts';
import { currentBlock, spentIn, uniqueRows } from './recentblocks.ts';
import { recentSession } from './recentsession.ts';
import { zoneOf } from './zone.ts';

const WAIT_MS = 500;
/** A client tells a few kilobytes. */
const MOST_TOLD = 4 << 20;

export async function printStatusline(context: Context, args: Arguments): Promise<number> {
  const wrong = wrongIn(args);
  if (wrong !== undefined) {
    context.out.write(`skein: ${safeLine(wrong)}\n`);
    return 0;
  }
  const asked = await readStdin();
  const told = toldBy(asked);
  let status: Status = { ...told, partial: false };
  try {
    const transcript = asString(asked.transcript_path);
    const folder = resolve(context.cwd, archiveFolder(context));
    const now = context.now().getTime();
    const recent = await recentUsage({ folder, now, transcript, find: () => findFiles(context) });
    const session = told.session ?? (await sessionOf(recent, transcript));
    status = {
      ...countedIn(recent, { transcript, window: windowOf(asked), zone: zoneOf(args), now }),
      ...told,
      session,
      partial: recent.partial,
    };
  } catch {
    // A status line is no place for errors; what the client told is shown.
  }
  context.out.write(`${safeLine(statusText(status, context.now().getTime()))}\n`);
  return 0;
}

const FILTERS = ['team', 'root', 'by', 'since', 'until', 'project', 'model', 'cost', 'prices'];
const FORMS = ['json', 'explain', 'limit', 'skip', 'heatmap', 'plot', 'ascii', 'reveal'];

/** What would change nothing, and a zone that there is not: whoever gives it should see that. */
function wrongIn(args: Arguments): string | undefined {
  const idle = [...FILTERS, ...FORMS].find((name) => args.flag(name) || args.values(name).length > 0);
  if (idle === 'team') return 'a status line tells of this machine alone; leave --team out';
  if (idle !== undefined) return `a status line is made without it; leave --${idle} out`;
  const [word] = args.positionals;
  if (word !== undefined) return `a status line tells of the session that the client names; leave "${word}" out`;
  try {
    zoneOf(args);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

async function findFiles(context: Context): Promise<string[]> {
  const [{ findRoots }, { findSessions }] = await Promise.all([
    import('../../disk/roots.ts'),
    import('../../disk/find.ts'),
  ]);
  const { roots } = findRoots({ env: context.env, home: context.home });
  return findSessions(roots).files.map(({ file }) => file);
}

/** What the client itself says. */
function toldBy(asked: JsonObject): Partial<Status> {
  const model = asObject(asked.model);
  const cost = dollarsOf(asObject(asked.cost)?.total_cost_usd);
  const usage = asObject(asObject(asked.context_window)?.current_usage);
  const count = (name: string) => countOf(usage?.[name]) ?? 0;
  const tokens = count('input_tokens') + count('cache_creation_input_tokens') + count('cache_read_input_tokens');
  const name = [model?.display_name, model?.id].map((each) => asString(each)?.trim()).find((each) => each);
  return {
    ...(name === undefined ? {} : { model: name }),
    ...(cost === undefined ? {} : { session: { cost: Math.round(cost * PER_DOLLAR), unpriced: 0, messages: 0 } }),
    ...(usage ? { context: { tokens, ...shareOf(tokens, windowOf(asked)) } } : {}),
  };
}

function windowOf(asked: JsonObject): number | undefined {
  return countOf(asObject(asked.context_window)?.context_window_size) || undefined;
}

/** The window of the models that have no larger one. */
const WINDOW = 200_000;

interface Asked {
  readonly transcript: string | undefined;
  readonly window: number | undefined;
  /** The machine's own without it. */
  readonly zone: string | undefined;
  readonly now: number;
}

/** What the client does not tell. */
async function sessionOf(recent: RecentSums, transcript: string | undefined): Promise<Status['session']> {
  const known = transcript === undefined ? undefined : await recentSession(recent.byFile, transcript);
  return known && { ...spentIn(uniqueRows(known.rows)), isPart: recent.partial || known.isPart };
}

function countedIn(recent: RecentSums, { transcript, window, zone, now }: Asked): Partial<Status> {
  const rows = uniqueRows(recent.rows);
  const day = dayIn(zone);
  const today = day(now);
  const own = transcript === undefined ? undefined : recent.byFile.get(transcript)?.rows;
  const last = own?.findLast(([, , , , , , side]) => side === 0)?.[5];
  const block = currentBlock(rows, recent.chain, now);
  return {
    today: spentIn(rows.filter(({ time }) => day(time) === today)),
    ...(block === undefined ? {} : { block }),
    ...(last === undefined ? {} : { context: { tokens: last, ...shareOf(last, window) } }),
  };
}

/** Of the window the client told; what does not fit into the usual one is in a larger one, and how large that is nobody said. */
function shareOf(tokens: number, window: number | undefined): { readonly share?: number } {
  if (window === undefined && tokens > WINDOW) return {};
  return { share: tokens / (window ?? WINDOW) };
}

/** Waits no longer than a moment: nothing may be there, and nobody may ever close it. What is longer than any client tells is none. */
function readStdin(): Promise<JsonObject> {
  const { stdin } = process;
  if (stdin.isTTY) return Promise.resolve({});
  return new Promise((done) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = () => {
      clearTimeout(timer);
      stdin.destroy();
      const text = bytes > MOST_TOLD ? '' : Buffer.concat(chunks).toString('utf8');
      done(asObject(parseJson(text)) ?? {});
    };
    const timer = setTimeout(finish, WAIT_MS);
    stdin.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_TOLD) finish();
    });
    stdin.on('end', finish);
    stdin.on('error', finish);
  });
}
