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
import { type RecentSums, recentUsage } from './recent.ts';
import { currentBlock, spentIn, uniqueRows } from './recentblocks.ts';

const WAIT_MS = 500;

export async function printStatusline(context: Context, args: Arguments): Promise<number> {
  if (args.value('team') !== undefined) {
    context.out.write('skein: a status line tells of this machine alone; leave --team out\n');
    return 0;
  }
  const asked = await readStdin();
  let status: Status = { ...toldBy(asked), partial: false };
  try {
    const transcript = asString(asked.transcript_path);
    const folder = resolve(context.cwd, archiveFolder(context));
    const now = context.now().getTime();
    const recent = await recentUsage({ folder, now, transcript, find: () => findFiles(context) });
    status = { ...countedIn(recent, transcript, now), ...status, partial: recent.partial };
  } catch {
    // A status line is no place for errors; what the client told is shown.
  }
  context.out.write(`${safeLine(statusText(status, context.now().getTime()))}\n`);
  return 0;
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
  const window = asObject(asked.context_window);
  const usage = asObject(window?.current_usage);
  const count = (name: string) => countOf(usage?.[name]) ?? 0;
  const tokens = count('input_tokens') + count('cache_creation_input_tokens') + count('cache_read_input_tokens');
  const size = countOf(window?.context_window_size);
  const name = [model?.display_name, model?.id].map((each) => asString(each)?.trim()).find((each) => each);
  return {
    ...(name === undefined ? {} : { model: name }),
    ...(cost === undefined ? {} : { session: { cost: Math.round(cost * PER_DOLLAR), unpriced: 0, messages: 0 } }),
    ...(usage ? { context: { tokens, ...(size ? { share: tokens / size } : {}) } } : {}),
  };
}

/** The window of the models that have no larger one; the client tells when it knows better. */
const WINDOW = 200_000;

function countedIn(recent: RecentSums, transcript: string | undefined, now: number): Partial<Status> {
  const rows = uniqueRows(recent.rows);
  const day = dayIn(undefined);
  const today = day(now);
  const own = transcript === undefined ? undefined : recent.byFile.get(transcript);
  const last = own?.findLast(([, , , , , , side]) => side === 0)?.[5];
  const block = currentBlock(rows, recent.chain, now);
  return {
    ...(own ? { session: spentIn(uniqueRows(own)) } : {}),
    today: spentIn(rows.filter(({ time }) => day(time) === today)),
    ...(block === undefined ? {} : { block }),
    ...(last === undefined ? {} : { context: { tokens: last, share: last / WINDOW } }),
  };
}

/** Waits no longer than a moment: nothing may be there, and nobody may ever close it. */
function readStdin(): Promise<JsonObject> {
  const { stdin } = process;
  if (stdin.isTTY) return Promise.resolve({});
  return new Promise((done) => {
    const chunks: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      stdin.destroy();
      done(asObject(parseJson(Buffer.concat(chunks).toString('utf8'))) ?? {});
    };
    const timer = setTimeout(finish, WAIT_MS);
    stdin.on('data', (chunk: Buffer) => chunks.push(chunk));
    stdin.on('end', finish);
    stdin.on('error', finish);
  });
}
