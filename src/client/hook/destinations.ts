/** Where a hook sends turns to. */
import { createHash } from 'node:crypto';
import { type Endpoint, endpointOf } from '../../export/otlp/endpoint.ts';
import { placesOf } from '../../export/otlp/places.ts';
import { deliverSession, type SessionSpans } from '../../export/otlp/session.ts';
import type { Settings } from '../../export/otlp/settings.ts';
import { readState } from '../../export/otlp/state.ts';
import { createMasker } from '../../redact/masker.ts';
import type { Destination, Sent } from './delivery.ts';
import { type OldHook, readOldHook } from './oldhook.ts';
import type { HookPlaces } from './place.ts';
import { type HookRates, openRates, PriceMissing } from './rates.ts';
import { stampOf } from './sessions.ts';
import { hadTrouble, noteTrouble } from './trouble.ts';

/** A server that did not answer a moment ago is not given all the time of a run again. */
const AFTER_TROUBLE_MS = 1500;
/** Hooks of one session take moments; whoever holds it longer has much to send, and sends this too. */
const LOCK_WAIT_MS = 3000;

export interface Wanted {
  readonly langfuse: boolean;
  readonly otlp: string | undefined;
}

/** Throws ExportError where a key or an address is missing. */
export function endpointsOf({ langfuse, otlp }: Wanted, settings: Settings): Endpoint[] {
  return [
    ...(langfuse ? [endpointOf('langfuse', settings)] : []),
    ...(otlp === undefined ? [] : [endpointOf('otlp', settings, otlp)]),
  ];
}

export interface DestinationOptions extends Wanted {
  /** Names, times and usage only. */
  readonly content: boolean;
  readonly settings: Settings;
  readonly version: string;
  readonly places: HookPlaces;
  /** Config folders in which the older hook may have left its state. */
  readonly configs: readonly string[];
}

export function openDestinations(options: DestinationOptions): Destination[] {
  const old = readOldHook(options.configs);
  return endpointsOf(options, options.settings).map((endpoint) => destinationOf(endpoint, old, options));
}

function destinationOf(endpoint: Endpoint, old: OldHook, options: DestinationOptions): Destination {
  const { content, settings, version, places } = options;
  const rates = openRates(places.rates);
  const masker = createMasker();
  const trouble = `${places.trouble}-${endpoint.key}`;
  return {
    name: endpoint.dialect,
    backlog: (transcript) => {
      const sent = readState(placesOf(places.folder, endpoint.key).sessions, transcript)?.offset ?? 0;
      return Math.max(0, stampOf(transcript).bytes - sent);
    },
    async send(session, { deadline: latest, signal }) {
      const deadline = hadTrouble(trouble) ? Math.min(latest, Date.now() + AFTER_TROUBLE_MS) : latest;
      const spans: SessionSpans = {
        hash: (text) => createHash('sha256').update(text).digest('hex'),
        content,
        mask: (text) => masker.mask(text),
        pricing: { mode: 'auto', ratesOf: rates.of },
        user: settings.LANGFUSE_USER_ID,
        environment: settings.LANGFUSE_TRACING_ENVIRONMENT,
        now: Date.now(),
      };
      const deliver = () => {
        const left = Math.max(1, deadline - Date.now());
        return deliverSession({ file: session.transcript, stopped: session.stopped }, spans, {
          endpoint,
          home: places.folder,
          sender: { version },
          patience: { tries: 2, firstWaitMs: 200, deadline, signal },
          timeoutMs: left,
          lockWaitMs: Math.min(left, LOCK_WAIT_MS),
          sentBefore: endpoint.dialect === 'langfuse' ? old.sentOf(session) : undefined,
        });
      };
      try {
        const sent = toSent(await retried(deliver, rates));
        noteTrouble(trouble, sent.again);
        return sent;
      } catch (error) {
        noteTrouble(trouble, true);
        throw error;
      } finally {
        rates.save();
      }
    },
  };
}

/** Prices are loaded only when one is missing. */
async function retried<T>(deliver: () => Promise<T>, rates: HookRates): Promise<T> {
  try {
    return await deliver();
  } catch (error) {
    if (!(error instanceof PriceMissing)) throw error;
    await rates.load();
    return deliver();
  }
}

function toSent({ turns, spans, open, queued, left, busy, problem }: Awaited<ReturnType<typeof deliverSession>>): Sent {
  const waits = queued > 0 ? `${queued} spans wait on disk` : left > 0 ? `${left} spans are left` : undefined;
  const other = busy ? 'another process is sending this session' : undefined;
  const why = [problem ?? other, waits].filter((part) => part !== undefined).join('; ');
  return { turns, spans, open, again: busy || queued + left > 0, ...(why !== '' && { problem: why }) };
}
