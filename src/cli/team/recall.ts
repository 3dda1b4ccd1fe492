/** `skein team recall` */
import { chooseFiles } from '../../archive/select.ts';
import type { Archive } from '../../archive/store.ts';
import { archiveId, openArchive } from '../../archive/store.ts';
import { TeamError } from '../../team/errors.ts';
import { machineOf } from '../../team/identity.ts';
import { lockTarget } from '../../team/push/lock.ts';
import { pushAll } from '../../team/push/push.ts';
import { markRecalled, purgeRecalled, recalledHere, undoRecall } from '../../team/recall.ts';
import type { TeamTarget } from '../../team/target.ts';
import { counted } from '../../views/counted.ts';
import { chosenSessions, nothingFits } from '../archive/choose.ts';
import { ask, canAsk } from '../ask.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { jsonText } from '../jsontext.ts';
import { homeOf, policyOf, stateOf } from './policied.ts';
import { targetOf, withTeam } from './shared.ts';

const WAIT_MS = 10 * 60_000;
/** The server rewrites all parts that hold something of it. */
const PURGE_MS = 60 * 60_000;

export async function run(context: Context, args: Arguments): Promise<number> {
  const target = targetOf(context, args);
  if (args.flag('purge')) return purge(context, args, target);
  if (args.positionals.length === 0) {
    throw new UsageError('Which session?', 'SEL is missing', 'Name an id, @last, project:NAME or a path.');
  }
  const archive = openArchive(homeOf(context), { create: true });
  const state = stateOf(context, target);
  const unlock = await lockTarget(state.path, { waitMs: WAIT_MS, signal: context.signal });
  try {
    if (archive === undefined || unlock === undefined) {
      throw new CommandError('Another push to this team is running.', state.path, 'Run it again when that has ended.');
    }
    const known = args.flag('undo') ? recalledHere(state) : [];
    const sessions = [...new Set(args.positionals.flatMap((each) => idsOf(archive, each, known)))];
    if (args.flag('dry-run')) {
      const how = args.flag('undo') ? 'could be sent again' : 'would be taken back';
      return tell(context, args, target, sessions, how);
    }
    if (args.flag('undo')) {
      const here = machineOf(archiveId(archive.db));
      await withTeam(target, (team) => undoRecall(team, state, sessions, here, context.now().getTime()));
      return tell(context, args, target, sessions, 'may be sent again, by the next push');
    }
    markRecalled(state, sessions, args.value('reason') ?? '');
    const chosen = new Set(sessions);
    const report = await withTeam(target, (team) =>
      pushAll(team, {
        archive,
        state,
        target,
        policy: policyIfSound(context),
        home: context.home,
        signal: context.signal,
        now: () => context.now().getTime(),
        isWanted: ({ id }) => chosen.has(id),
      }),
    );
    if (report.stoppedBy !== undefined) {
      const { stoppedBy } = report;
      const what = stoppedBy instanceof TeamError ? stoppedBy.what : 'it was stopped';
      const next =
        'It is not sent any more, and the next push takes it back. Run it again when the server can be reached.';
      throw new CommandError(`Not taken back yet: ${what}`, target.name, next);
    }
    return tell(context, args, target, sessions, 'taken back: nobody reads that there any more');
  } finally {
    unlock?.();
    state.close();
    archive?.close();
  }
}

/** Nothing is sent here: whatever is wrong with the policy, taking back works. */
function policyIfSound(context: Context): ReturnType<typeof policyOf> {
  try {
    return policyOf(context);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return { files: [], content: 'none', names: 'pseudonym', person: undefined, machine: undefined };
  }
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SHORTEST_ID = 4;

/** What the archive no longer has is named by its whole id; what was taken back before also by its beginning. */
function idsOf(archive: Archive, selector: string, known: readonly string[]): string[] {
  const isKept = chooseFiles(archive.db, selector).files.some(({ session }) => session !== undefined);
  if (isKept) return chosenSessions(archive, selector);
  const fitting = known.filter((id) => id === selector || (selector.length >= SHORTEST_ID && id.startsWith(selector)));
  if (fitting.length === 1) return fitting;
  if (ID.test(selector)) return [selector];
  throw nothingFits(archive, selector, '. A session of another machine is named by its whole id.');
}

function tell(context: Context, args: Arguments, target: TeamTarget, sessions: readonly string[], how: string): number {
  if (args.flag('json')) {
    const [undo, dryRun] = [args.flag('undo'), args.flag('dry-run')];
    context.out.write(`${jsonText({ team: target.name, sessions, undo, dryRun })}\n`);
    return 0;
  }
  context.out.write(`${target.name}: ${counted(sessions.length, 'session')} ${how}\n`);
  if (!args.flag('undo') && !args.flag('dry-run')) {
    const next = 'Not sent again until: skein team recall SEL --undo';
    context.out.write(
      `  ${next}\n  From the server's disks an administrator deletes it with: skein team recall --purge\n`,
    );
  }
  return 0;
}

async function purge(context: Context, args: Arguments, target: TeamTarget): Promise<number> {
  const dryRun = args.flag('dry-run');
  if (!dryRun && !args.flag('yes')) {
    const question = `Delete all that was taken back, by anyone, from ${target.name} for good?`;
    if (!canAsk(context))
      throw new UsageError(question, target.name, 'Say so with --yes, or see what it is with --dry-run.');
    if (!(await ask(context, question))) return 1;
  }
  const purged = await withTeam({ ...target, timeoutMs: Math.max(target.timeoutMs ?? 0, PURGE_MS) }, (team) =>
    purgeRecalled(team, { dryRun }),
  );
  const rows = Object.values(purged.rows).reduce((sum, each) => sum + each, 0);
  if (args.flag('json')) context.out.write(`${jsonText({ team: target.name, dryRun, ...purged })}\n`);
  else {
    const words = `${counted(purged.sessions, 'session')} taken back, ${counted(rows, 'row')} ${dryRun ? 'would be deleted' : 'deleted'}`;
    context.out.write(`${target.name}: ${words}${dryRun ? '' : `, ${purged.left} left`}\n`);
  }
  return purged.left === 0 ? 0 : 1;
}
