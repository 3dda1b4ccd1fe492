/** `skein follow --export`: turns are sent as soon as they are over. */
import { archiveFolder } from '../../archive/place.ts';
import { configsOf, readOldHook } from '../../client/hook/oldhook.ts';
import { type Endpoint, endpointOf } from '../../export/otlp/endpoint.ts';
import type { Patience } from '../../export/otlp/retry.ts';
import { type Delivered, deliverSession } from '../../export/otlp/session.ts';
import { type Settings, settingsOf } from '../../export/otlp/settings.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { version } from '../mcp/version.ts';
import { openOriginals } from './originals.ts';
import { spanOptions } from './tracechats.ts';
import { holdingOf } from './traces.ts';

export interface LiveExport {
  /** The file may have grown. Does not wait. */
  look(): void;
  /** Sends what is left, for a moment. */
  close(): Promise<void>;
}

/** Where stop reasons are missing, a turn is over when it was quiet for a while (T6). */
const LOOK_AGAIN_MS = 30_000;
const LAST_MS = 5000;

export async function openLive(context: Context, args: Arguments, file: string): Promise<LiveExport> {
  const home = archiveFolder(context);
  const endpoints = endpointsOf(settingsOf(context.env, home), args.value('endpoint'));
  const options = await spanOptions(context, args);
  const old = readOldHook(configsOf(context.env, context.home));
  const originals = await openOriginals(context, args.values('root'));
  let wanted = false;
  let working: Promise<void> | undefined;

  async function deliver(patience: Patience): Promise<void> {
    // One that hangs takes no time from the others.
    await Promise.all(endpoints.map((endpoint) => deliverTo(endpoint, patience)));
  }

  async function deliverTo(endpoint: Endpoint, patience: Patience): Promise<void> {
    const delivery = { endpoint, home, sender: { version: version() }, patience, holding: holdingOf(args) };
    const sentBefore = endpoint.dialect === 'langfuse' ? old.sentOf : undefined;
    try {
      const spans = { ...options, now: context.now().getTime() };
      tell(context, endpoint, await deliverSession({ file, sentBefore, originals }, spans, delivery));
    } catch (error) {
      // Following goes on; what was not sent is sent with the next turn.
      warn(context, error instanceof Error ? error.message : String(error));
    }
  }

  async function work(): Promise<void> {
    while (wanted && !context.signal.aborted) {
      wanted = false;
      await deliver({ signal: context.signal });
    }
    working = undefined;
  }

  const look = () => {
    wanted = true;
    working ??= work();
  };
  const timer = setInterval(look, LOOK_AGAIN_MS);
  return {
    look,
    async close() {
      clearInterval(timer);
      await working;
      await deliver({ deadline: Date.now() + LAST_MS });
    },
  };
}

/** Every one that is set up; one is enough. An address that is given is not Langfuse's unless the settings say so: it does not get its keys. */
function endpointsOf(settings: Settings, given: string | undefined): Endpoint[] {
  const hasKeys = settings.LANGFUSE_PUBLIC_KEY !== undefined && settings.LANGFUSE_SECRET_KEY !== undefined;
  if (given !== undefined) {
    const langfuse = hasKeys ? endpointOf('langfuse', settings, given) : undefined;
    const isKnown = langfuse !== undefined && langfuse.url === endpointOf('langfuse', settings).url;
    return [isKnown ? langfuse : endpointOf('otlp', settings, given)];
  }
  const hasAddress =
    (settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT) !== undefined;
  const found = [
    ...(hasKeys ? [endpointOf('langfuse', settings)] : []),
    ...(hasAddress ? [endpointOf('otlp', settings)] : []),
  ];
  if (found.length > 0) return found;
  const next =
    'Set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, or name an OpenTelemetry endpoint with --endpoint URL.';
  throw new CommandError('Where to? No endpoint is set.', '--export', next, 2);
}

function tell(context: Context, { shown }: Endpoint, { turns, spans, problem, warning }: Delivered): void {
  const { err } = context;
  if (turns > 0)
    err.write(`${err.style.dim(`sent ${counted(turns, 'turn')}, ${counted(spans, 'span')} to ${shown}`)}\n`);
  if (warning !== undefined) warn(context, `${shown} says: ${warning}`);
  if (problem !== undefined) warn(context, `not all was sent to ${shown}: ${problem}`);
}

function warn({ err }: Context, what: string): void {
  err.write(`${err.style.warn('warning:')} ${safeLine(what)}\n`);
}
