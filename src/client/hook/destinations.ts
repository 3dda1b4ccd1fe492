/** Where a hook sends turns to. */
import { type Dialect, type Endpoint, endpointOf } from '../../export/otlp/endpoint.ts';
import { placesOf } from '../../export/otlp/places.ts';
import {
  type Delivered,
  deliverSession,
  type SessionPlace,
  type SessionSpans,
  type SessionToDeliver,
} from '../../export/otlp/session.ts';
import type { Settings } from '../../export/otlp/settings.ts';
import { placeToRead, readState } from '../../export/otlp/state.ts';
import { sha256Hex } from '../../format/sha256.ts';
import { createMasker, type Masker } from '../../redact/masker.ts';
import type { Destination, Sent } from './delivery.ts';
import { type OldHook, readOldHook } from './oldhook.ts';
import type { HookPlaces } from './place.ts';
import { type HookRates, openRates, PriceMissing } from './rates.ts';
import { stampOf } from './sessions.ts';
import { hadTrouble, noteTrouble } from './trouble.ts';

/** A server that did not answer a moment ago is not given all the time of a run again. */
const AFTER_TROUBLE_MS = 1500;
/** Nobody waits for a process of its own, but an endpoint that hangs must not hold it either. */
const ANSWER_MS = 30_000;
/** Hooks of one session take moments; whoever holds it longer has much to send, and sends this too. */
const LOCK_WAIT_MS = 3000;
/** Goes out at once on a new connection (ten packets of 1460 bytes): packing it would save no time, and takes some to load. */
const PLAIN_BELOW = 14_600;

export interface Wanted {
  readonly langfuse: boolean;
  readonly otlp: string | undefined;
}

/** Throws ExportError where a key or an address is missing. */
export function endpointsOf(wanted: Wanted, settings: Settings): Endpoint[] {
  return dialectsOf(wanted).map((dialect) => endpointIn(dialect, wanted, settings));
}

function dialectsOf({ langfuse, otlp }: Wanted): Dialect[] {
  return [...(langfuse ? ['langfuse' as const] : []), ...(otlp === undefined ? [] : ['otlp' as const])];
}

function endpointIn(dialect: Dialect, { otlp }: Wanted, settings: Settings): Endpoint {
  return endpointOf(dialect, settings, dialect === 'otlp' ? otlp : undefined);
}

export interface DestinationOptions extends Wanted {
  /** Names, times and usage only. */
  readonly content: boolean;
  readonly settings: Settings;
  readonly version: string;
  readonly places: HookPlaces;
  /** Config folders in which the older hook may have left its state. */
  readonly configs: readonly string[];
  /** How turns that were copied from other sessions are sent. */
  readonly originals?: SessionToDeliver['originals'];
}

export function openDestinations(options: DestinationOptions): Destination[] {
  const old = readOldHook(options.configs);
  // One for all: it remembers what it has seen.
  const masker = createMasker();
  return dialectsOf(options).map((dialect) => {
    try {
      return destinationOf(endpointIn(dialect, options, options.settings), old, masker, options);
    } catch (error) {
      // Told with each session; what is wrong with one does not stop the other.
      return { name: dialect, backlog: () => 0, send: () => Promise.reject(error) };
    }
  });
}

function destinationOf(endpoint: Endpoint, old: OldHook, masker: Masker, options: DestinationOptions): Destination {
  const { content, settings, version, places, originals } = options;
  const rates = openRates(places.rates);
  const trouble = `${places.trouble}-${endpoint.key}`;
  return {
    name: endpoint.dialect,
    backlog: (transcript) => {
      const state = readState(placesOf(places.folder, endpoint.key).sessions, transcript);
      const sent = state === undefined ? 0 : placeToRead(state, (file) => stampOf(file).bytes).offset;
      return Math.max(0, stampOf(transcript).bytes - sent);
    },
    async send(session, { deadline: latest, signal }) {
      const deadline = hadTrouble(trouble) ? Math.min(latest, Date.now() + AFTER_TROUBLE_MS) : latest;
      const spans: SessionSpans = {
        hash: sha256Hex,
        content,
        mask: masker.mask,
        pricing: { mode: 'auto', ratesOf: rates.of },
        user: settings.LANGFUSE_USER_ID,
        environment: settings.LANGFUSE_TRACING_ENVIRONMENT,
        now: Date.now(),
      };
      const deliver = () => {
        const left = Math.max(1, deadline - Date.now());
        const { transcript: file, stopped } = session;
        // Of this one the client has told the id.
        const sentOf = (each: SessionPlace) => old.sentOf(each.transcript === file ? session : each);
        const sentBefore = endpoint.dialect === 'langfuse' ? sentOf : undefined;
        return deliverSession({ file, stopped, sentBefore, originals }, spans, {
          endpoint,
          home: places.folder,
          sender: { version },
          patience: { tries: 2, firstWaitMs: 200, deadline, signal },
          // At the latest time of all the signal comes, which is no failure of the server's: the two must not race.
          timeoutMs: deadline < latest ? Math.min(left, ANSWER_MS) : ANSWER_MS,
          plainBelow: PLAIN_BELOW,
          lockWaitMs: Math.min(left, LOCK_WAIT_MS),
          holding: { content },
          learnt: () => masker.learnt,
        });
      };
      try {
        const delivered = await retried(deliver, rates);
        // Where nothing was asked of it, nothing new is known of it.
        if (delivered.health !== 'unknown') noteTrouble(trouble, delivered.health !== 'well');
        return toSent(delivered);
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

function toSent(delivered: Delivered): Sent {
  const { turns, spans, open, agents, unsent, health, busy, copied, problem, warning } = delivered;
  const still = unsent === 1 ? '1 turn is still to be sent' : `${unsent} turns are still to be sent`;
  const other = busy ? 'another process is sending this session' : undefined;
  const why = [problem ?? other, unsent > 0 ? still : undefined].filter((part) => part !== undefined).join('; ');
  const stuck = busy || health === 'offline';
  const again = busy || unsent > 0;
  return { turns, spans, open, agents, again, stuck, copied, warning, ...(why !== '' && { problem: why }) };
}
