/** `skein team push` */
import type { Archive } from '../../archive/store.ts';
import type { Problem } from '../../disk/errors.ts';
import { TeamError } from '../../team/errors.ts';
import type { Policy } from '../../team/policy/types.ts';
import { openLate, type Sender } from '../../team/push/late.ts';
import { lockTarget } from '../../team/push/lock.ts';
import { pushAll } from '../../team/push/push.ts';
import type { PushSession } from '../../team/push/sessions.ts';
import type { PushOptions, PushReport } from '../../team/push/types.ts';
import type { TeamTarget } from '../../team/target.ts';
import { chosenSessions } from '../archive/choose.ts';
import { sourcesOf, tellProblems, withArchive } from '../archive/open.ts';
import { syncSources } from '../archive/sync.ts';
import { ask, canAsk } from '../ask.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { jsonText } from '../jsontext.ts';
import { keepHeapSmall } from '../memory.ts';
import { parseTime } from '../time.ts';
import { agree, isAgreed, policyOf, stateOf } from './policied.ts';
import { tellPush, toJson, whatLeaves } from './pushprint.ts';
import { targetOf } from './shared.ts';

/** For another push to end: it may have a whole history to send. */
const WAIT_MS = 10 * 60_000;
/** A hook's push then leaves it to the next one. */
const QUIET_WAIT_MS = 60_000;

/** Exit code 1 when something waits or could not be read. */
export async function run(context: Context, args: Arguments): Promise<number> {
  const target = targetOf(context, args);
  // Before anything is archived or opened: what cannot be followed stops everything.
  policyOf(context);
  const isQuiet = args.flag('quiet');
  return withArchive(context, { create: true }, async (archive) => {
    const { problems } = await syncSources(context, archive, sourcesOf(context, args));
    const isWanted = wantedOf(context, args, archive);
    const state = stateOf(context, target);
    const unlock = await lockTarget(state.path, {
      waitMs: isQuiet ? QUIET_WAIT_MS : WAIT_MS,
      signal: context.signal,
    });
    try {
      if (unlock === undefined) return elsewhere(context, state.path, isQuiet);
      keepHeapSmall();
      // Another push may have been waited for, for long.
      const policy = policyOf(context);
      const options: PushOptions = {
        archive,
        state,
        target,
        policy,
        home: context.home,
        signal: context.signal,
        now: () => context.now().getTime(),
        again: args.flag('all'),
        ...(isWanted !== undefined && { isWanted }),
      };
      if (args.flag('dry-run')) return tell(context, args, target, await pushAll(undefined, options), problems);
      if (!isAgreed(state, policy)) {
        if (!args.flag('yes') && !(await agreed(context, target, options))) return 1;
        agree(state, context.now());
      }
      const team = whilePolicyHolds(context, policy, openLate(target));
      const work = {
        ...options,
        ...progressing(context, isQuiet),
        ...(isQuiet && { patience: { tries: 3 }, patient: true }),
      };
      const report = await pushAll(team, work).finally(() => team.close());
      return tell(context, args, target, report, problems);
    } finally {
      unlock?.();
      state.close();
    }
  });
}

/** A push may take long: what was said meanwhile holds from then on. */
function whilePolicyHolds(context: Context, policy: Policy, sender: Sender): Sender {
  const held = JSON.stringify(policy);
  return {
    ...sender,
    async insert(...args) {
      const now = policyOf(context);
      if (JSON.stringify(now) !== held) {
        const where = [...new Set([...policy.files, ...now.files].map(({ path }) => path))].join(', ');
        const next = 'The next push follows it: skein team push';
        throw new TeamError({ what: 'The policy changed while something was sent', where, next, kind: 'other' });
      }
      await sender.insert(...args);
    },
  };
}

function elsewhere(context: Context, where: string, isQuiet: boolean): number {
  if (isQuiet || context.signal.aborted) return 0;
  throw new CommandError('Another push to this team is running.', where, 'It sends the same; wait for it to end.');
}

function wantedOf(
  context: Context,
  args: Arguments,
  archive: Archive,
): ((session: PushSession) => boolean) | undefined {
  const since = args.value('since');
  const from = since === undefined ? undefined : parseTime(since, context.now());
  if (since !== undefined && from === undefined) {
    throw new UsageError(`--since "${since}" is no time.`, '--since', 'For example: 2026-01-31, 7d, today');
  }
  const chosen =
    args.positionals.length === 0
      ? undefined
      : new Set(args.positionals.flatMap((each) => chosenSessions(archive, each)));
  if (from === undefined && chosen === undefined) return undefined;
  return ({ id, files }) =>
    (chosen?.has(id) ?? true) && (from === undefined || files.some(({ state }) => state.mtimeMs >= from));
}

/** The first push to a target without a policy shows what would leave, and asks. */
async function agreed(context: Context, target: TeamTarget, options: PushOptions): Promise<boolean> {
  const report = await pushAll(undefined, options);
  const { err } = context;
  err.write(`${whatLeaves(report, target.name)}\n`);
  if (canAsk(context)) return ask(context, 'Send it?');
  throw new UsageError(
    'Nothing was sent yet: this is the first push to this team, and there is no policy.',
    target.name,
    'See what leaves: skein team policy. Then say --yes once, or write a policy (docs/team.md).',
  );
}

function progressing({ err, now }: Context, isQuiet: boolean): Pick<PushOptions, 'onSession'> {
  if (isQuiet || !err.isTerminal) return {};
  let drawn = 0;
  return {
    onSession(done, all) {
      if (now().getTime() - drawn < 100 && done < all) return;
      drawn = now().getTime();
      err.write(`\r\u001b[Ksending ${done} of ${all} sessions`);
    },
  };
}

async function tell(
  context: Context,
  args: Arguments,
  target: TeamTarget,
  report: PushReport,
  problems: readonly Problem[],
): Promise<number> {
  const { err, out } = context;
  const isQuiet = args.flag('quiet');
  if (err.isTerminal && !isQuiet) err.write('\r\u001b[K');
  const { stoppedBy } = report;
  const isOver = stoppedBy === undefined;
  const isOffline = stoppedBy instanceof TeamError && stoppedBy.passes;
  if (!isOver && !isOffline && !context.signal.aborted) throw stoppedBy;
  if (isQuiet) return 0;
  if (args.flag('json')) out.write(`${jsonText(toJson(report, target.name, args.flag('dry-run'), problems))}\n`);
  else {
    await tellProblems(context, problems);
    tellPush(context, report, target.name, args.flag('dry-run'));
  }
  return isOver && problems.length + report.problems.length === 0 ? 0 : 1;
}
