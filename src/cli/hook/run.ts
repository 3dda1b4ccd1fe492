/** `skein hook run`: whatever happens, the client goes on as if nothing had. */
import { resolve } from 'node:path';
import { archiveFolder } from '../../archive/place.ts';
import { holdForSending } from '../../client/hook/compilers.ts';
import type { SessionToSend } from '../../client/hook/delivery.ts';
import { toHookInput } from '../../client/hook/input.ts';
import { writeLog } from '../../client/hook/log.ts';
import { hookPlaces } from '../../client/hook/place.ts';
import { reasonOf, runHandedOver, runHook } from '../../client/hook/run.ts';
import { asObject, asString, parseJson } from '../../format/json.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { choiceOf, type HookChoice } from './options.ts';
import { readStdin } from './stdin.ts';

/** Left of the time for noting what is left. */
const LAST_MS = 300;

export async function run(context: Context, args: Arguments): Promise<number> {
  const places = hookPlaces(resolve(context.cwd, archiveFolder(context)));
  let [event, session] = ['', ''];
  const report = (level: 'info' | 'error', what: string) => {
    const ms = Math.round(process.uptime() * 1000);
    writeLog(places, { time: context.now().toISOString(), level, event, session, ms, what: safely(what) });
  };
  let safely = (what: string) => what;
  let release = () => {};
  process.on('uncaughtException', (error) => {
    report('error', reasonOf(error));
    process.exit(0);
  });
  try {
    const choice = choiceOf(args);
    if (context.env[PUSHES] !== undefined && choice.team !== undefined) {
      event = 'push';
      const { pushQuietly } = await import('./push.ts');
      await pushQuietly(context, choice.team, report);
      return 0;
    }
    const handed = handedOver(context.env[HANDED_OVER]);
    const address = addressOf(choice, context.env);
    if (handed === undefined && address !== undefined) release = holdForSending(address);
    const timeoutMs = handed === undefined ? choice.timeoutMs : LARGE_MS;
    const end = Date.now() + Math.max(0, Math.round(timeoutMs - process.uptime() * 1000));
    // Fires only if something else still goes on.
    setTimeout(() => {
      report('error', `stopped after ${timeoutMs} ms; what is left comes the next time`);
      process.exit(0);
    }, end - Date.now()).unref();
    const input = handed === undefined ? toHookInput(await readStdin(), context.home) : { event: 'rest', ...handed };
    if (input === undefined) {
      report('error', 'what came on standard input is not what a client tells a hook');
      return 0;
    }
    event = input.event;
    session = input.sessionId;
    const stop = new AbortController();
    const deadline = end - LAST_MS;
    setTimeout(() => stop.abort(new DOMException('', 'TimeoutError')), Math.max(0, deadline - Date.now())).unref();
    const destinations = lazily(async () => {
      if (!choice.langfuse && choice.otlp === undefined) return [];
      const [{ openDestinations }, { configsOf }, { settingsOf }, { withoutKeys }, { version }] = await Promise.all([
        import('../../client/hook/destinations.ts'),
        import('../../client/hook/oldhook.ts'),
        import('../../export/otlp/settings.ts'),
        import('../../client/hook/keys.ts'),
        import('../mcp/version.ts'),
      ]);
      const settings = settingsOf(context.env, places.folder);
      safely = (what) => withoutKeys(what, settings);
      const configs = configsOf(context.env, context.home);
      const originals =
        handed === undefined ? 'elsewhere' : await (await import('../export/originals.ts')).openOriginals(context);
      return openDestinations({ ...choice, settings, version: version(), places, configs, originals });
    });
    const world = { places, home: context.home, now: Date.now, destinations, release, report };
    const limits = { deadline, signal: stop.signal };
    if (handed !== undefined) await runHandedOver(handed, choice, world, limits);
    else await runHook(input, choice, { ...world, handOver }, limits);
    if (handed === undefined && choice.team !== undefined) startPush();
    report('info', 'done');
  } catch (error) {
    report('error', reasonOf(error));
  } finally {
    release();
  }
  return 0;
}

/** As far as is known before anything is loaded. */
function addressOf({ otlp, langfuse }: HookChoice, env: Context['env']): string | undefined {
  return otlp ?? (langfuse ? (env.LANGFUSE_BASE_URL ?? env.LANGFUSE_HOST) : undefined);
}

const HANDED_OVER = 'SKEIN_HOOK_SESSION';
/** Nobody waits for it. */
const LARGE_MS = 15 * 60_000;

/** The same command, by itself: it goes on when this one has ended, unless it is done before. */
function handOver(session: SessionToSend, waitMs: number): Promise<void> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const env = { ...process.env, [HANDED_OVER]: JSON.stringify(session) };
  const child = spawn(process.execPath, process.argv.slice(1), { env, detached: true, stdio: 'ignore' });
  child.unref();
  return new Promise((done) => {
    const timer = setTimeout(done, waitMs);
    child.on('close', () => {
      clearTimeout(timer);
      done();
    });
  });
}

const PUSHES = 'SKEIN_HOOK_PUSH';

/**
 * Nobody waits for it either. It sends what is new, also of sessions that had to wait, and ends at once when there is nothing. The same
 * command, so that what goes wrong can be told in the log.
 */
function startPush(): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const env = { ...process.env, [PUSHES]: '1' };
  spawn(process.execPath, process.argv.slice(1), { env, detached: true, stdio: 'ignore' }).unref();
}

function handedOver(text: string | undefined): SessionToSend | undefined {
  const told = asObject(parseJson(text ?? ''));
  const [transcript, sessionId] = [asString(told?.transcript), asString(told?.sessionId)];
  if (transcript === undefined || sessionId === undefined) return undefined;
  return { transcript, sessionId, stopped: told?.stopped === true };
}

function lazily<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
