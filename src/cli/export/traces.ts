/** `skein export langfuse|otlp`: every turn as a trace, each once. */
import { archiveFolder } from '../../archive/place.ts';
import { configsOf, readOldHook } from '../../client/hook/oldhook.ts';
import { type Courier, type Load, type Outcome, openCourier } from '../../export/otlp/courier.ts';
import { AS_HTTP, type Dialect, type Endpoint, endpointOf, isHttp } from '../../export/otlp/endpoint.ts';
import { ExportError } from '../../export/otlp/errors.ts';
import type { Holding } from '../../export/otlp/holding.ts';
import { notTaken, type Tally } from '../../export/otlp/outbox.ts';
import { shownAddress } from '../../export/otlp/secrets.ts';
import { settingsOf, timeoutOf } from '../../export/otlp/settings.ts';
import { isSeen, saveSeen } from '../../export/otlp/state.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import type { ListedChat } from '../chats.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { jsonText } from '../jsontext.ts';
import { version } from '../mcp/version.ts';
import { parseTime } from '../time.ts';
import { printTraces } from './dryrun.ts';
import { seenOfOrphans } from './orphans.ts';
import { type ChatToSend, chatsToSend, seenOfChats, tracesOf } from './tracechats.ts';

/** Only these of the options of `export` say something to it. */
const OPTIONS = ['all', 'since', 'endpoint', 'dry-run', 'no-content', 'thinking', 'reveal', 'again'];
const OTHERS = ['to', 'branch', 'all-branches', 'turn', 'replay', 'tools', 'images', 'yes', 'force'] as const;

/** As long as this is waited where a server asks for it. */
const LONGEST_AFTER_MS = 5 * 60_000;

export function exportTraces(dialect: Dialect): (context: Context, args: Arguments) => Promise<number> {
  return async (context, args) => {
    checkOptions(args);
    const since = sinceOf(context, args);
    const chosen = chatsToSend(context, args, since);
    if (args.flag('dry-run')) return printTraces(context, args, chosen, since);
    const home = archiveFolder(context);
    const settings = settingsOf(context.env, home);
    const endpoint = endpointOf(dialect, settings, args.value('endpoint'));
    if (chosen.library.demo) {
      const next = 'Point Skein at your sessions: --root DIR or CLAUDE_CONFIG_DIR; --dry-run shows what would be sent.';
      throw new CommandError('There are no sessions to send, only the demo set.', endpoint.shown, next);
    }
    return send(context, args, { endpoint, home, since, timeoutMs: timeoutOf(settings), ...chosen });
  };
}

interface Job extends ChatToSend {
  readonly endpoint: Endpoint;
  readonly home: string;
  readonly since: number | undefined;
  readonly timeoutMs: number | undefined;
}

async function send(context: Context, args: Arguments, job: Job): Promise<number> {
  const { endpoint, home, since, timeoutMs, chats, orphans, library } = job;
  const again = args.flag('again');
  const { signal } = context;
  const progress = progressOn(context, chats.length);
  const courier = openCourier({
    endpoint,
    home,
    sender: { version: version() },
    patience: { signal, longestAfterMs: LONGEST_AFTER_MS, onWait: progress.wait },
    timeoutMs,
    again,
    since,
    holding: holdingOf(args),
    onRequest: progress.show,
  });
  const { sessions } = courier.places;
  const traces = await tracesOf(context, args, job);
  const seenOf = seenOfChats(library);
  const keeps = (name: string, seen: string) => (outcome: Outcome) => {
    if (outcome.traces.every(outcome.isSettled)) saveSeen(sessions, name, seen);
  };
  const sentBefore = endpoint.dialect === 'langfuse' ? bySentBefore(context, chats) : undefined;
  try {
    await courier.sendQueued();
    for (const chat of chats) {
      if (signal.aborted || courier.tally.left > 0) break;
      const seen = seenOf(chat);
      progress.next();
      if (!again && isSeen(sessions, chat.id, seen)) continue;
      await courier.deliver({
        sessions: chat.sessions.map(({ id }) => id),
        traces: () => traces.ofChat(chat),
        sentBefore: sentBefore?.(chat),
        done: keeps(chat.id, seen),
      });
    }
    for (const each of orphans) {
      if (signal.aborted || courier.tally.left > 0) break;
      const { name, seen } = seenOfOrphans(each);
      if (!again && isSeen(sessions, name, seen)) continue;
      await courier.deliver({
        sessions: [each.sessionId],
        traces: () => traces.ofOrphans(each),
        done: keeps(name, seen),
      });
    }
    await courier.finish();
  } catch (error) {
    // A program is told in JSON as well, whatever was sent before.
    if (error instanceof ExportError && args.flag('json')) reportJson(context, endpoint, courier, error.what);
    throw error;
  } finally {
    progress.clear();
  }
  return report(context, args, endpoint, courier);
}

/** What waits on disk is sent only by a run that would have made it so. */
export function holdingOf(args: Arguments): Holding {
  return { content: !args.flag('no-content'), thinking: args.flag('thinking'), revealed: args.flag('reveal') };
}

/** By chat: the turns that the older hook sent, whichever of its sessions they stand in. */
function bySentBefore(context: Context, chats: readonly ListedChat[]): (chat: ListedChat) => Load['sentBefore'] {
  const roots = chats.flatMap(({ files }) => files.map(({ root }) => root));
  const old = readOldHook([...new Set([...configsOf(context.env, context.home), ...roots])]);
  return ({ sessions }) => {
    const known = sessions.flatMap(({ id, file }) => old.sentOf({ sessionId: id, transcript: file }) ?? []);
    return known.length === 0 ? undefined : (trace) => known.some((isSent) => isSent(trace));
  };
}

function report(
  context: Context,
  args: Arguments,
  endpoint: Endpoint,
  courier: Pick<Courier, 'tally' | 'counts' | 'waiting'>,
): number {
  const { out, err } = context;
  const { shown } = endpoint;
  const { tally, counts, waiting } = courier;
  const { sent, turns, queued, left, refused, rejected, said } = tally;
  const { open, undated, busy } = counts;
  const problem = tally.offline ?? tally.trouble;
  if (args.flag('json')) reportJson(context, endpoint, courier, problem);
  else {
    out.write(sent === 0 ? 'Nothing new was sent' : `${counted(turns, 'turn')} sent in ${counted(sent, 'span')}`);
    out.write(` ${out.style.dim(`to ${shown}`)}\n`);
    const tell = (what: string) => err.write(`${err.style.warn('warning:')} ${safeLine(what)}\n`);
    if (problem !== undefined) tell(`the endpoint could not be reached: ${problem}`);
    if (queued > 0) tell(`${counted(queued, 'span')} wait on disk and are sent next time`);
    else if (waiting() > 0) tell(`still on disk, to be sent: ${counted(waiting(), 'request')} of earlier runs`);
    if (left > 0) tell(`${counted(left, 'span')} or more are left; run it again`);
    if (undated > 0) tell(`${counted(undated, 'turn')} without any time in them cannot be sent`);
    if (busy > 0) tell(`${counted(busy, 'session')} is being sent by another process`);
    for (const { traceId, spans: count, words } of refused)
      tell(`trace ${traceId} (${counted(count, 'span')}): ${words}`);
    if (rejected > 0) tell(`${notTaken(rejected, said)}; what was refused is not sent again, unless you say --again`);
    else for (const words of said) tell(`the endpoint says: ${words}`);
    if (open > 0) err.write(`${err.style.dim(`${counted(open, 'turn')} not over yet`)}\n`);
  }
  return problem === undefined && refused.length === 0 && rejected === 0 && busy === 0 ? 0 : 1;
}

function reportJson(
  { out }: Context,
  { shown }: Endpoint,
  { tally, counts, waiting }: Pick<Courier, 'tally' | 'counts' | 'waiting'>,
  problem: string | undefined,
): void {
  const { sent, turns, queued, left, refused, rejected, said } = tally;
  const { spans, open, undated, busy } = counts;
  const facts = { endpoint: shown, dryRun: false, spans, sent, turns, queued, left, open, undated, busy };
  out.write(`${jsonText({ ...facts, waiting: waiting(), refused, rejected, said, problem: problem ?? null })}\n`);
}

function progressOn({ err }: Context, chats: number) {
  let at = 0;
  const show = ({ sent }: Pick<Tally, 'sent'>) => {
    if (err.isTerminal) err.write(`\r\u001b[Ksending: chat ${at} of ${chats}, ${sent} spans sent`);
  };
  return {
    show,
    wait: (ms: number) => {
      const seconds = Math.ceil(ms / 1000);
      if (err.isTerminal) err.write(`\r\u001b[Ksending: chat ${at} of ${chats}, waiting ${seconds} s for the server`);
    },
    next: () => {
      at += 1;
    },
    clear: () => {
      if (err.isTerminal) err.write('\r\u001b[K');
    },
  };
}

function checkOptions(args: Arguments): void {
  const given = OTHERS.find((name) => args.flag(name) || args.values(name).length > 0);
  if (given !== undefined) {
    const next = `Whole turns are sent. It takes: ${OPTIONS.map((name) => `--${name}`).join(', ')}`;
    throw new UsageError(`--${given} is for files.`, `--${given}`, next);
  }
  const endpoint = args.value('endpoint');
  if (endpoint !== undefined && !isHttp(endpoint)) {
    throw new UsageError('The endpoint is no http address.', `--endpoint ${shownAddress(endpoint)}`, AS_HTTP);
  }
  const ways = [args.positionals.length > 0, args.flag('all')].filter(Boolean).length;
  if (ways === 2) throw new UsageError('SEL and --all do not go together.', '--all', 'Say one.');
  if (ways === 0 && args.value('since') === undefined) {
    throw new UsageError('Which chats?', 'SEL is missing', 'Name one, or say --all or --since 2026-01-31.');
  }
}

function sinceOf(context: Context, args: Arguments): number | undefined {
  const given = args.value('since');
  if (given === undefined) return undefined;
  const time = parseTime(given, context.now());
  if (time !== undefined) return time;
  throw new UsageError(`--since "${given}" is no time.`, '--since', 'For example: 2026-01-31, 7d, today');
}
