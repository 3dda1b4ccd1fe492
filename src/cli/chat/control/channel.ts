/** Questions to the program that drives us (`control_request`), and its answers: the one place that knows which are open. */
import { randomUUID } from 'node:crypto';
import { asObject, asString, type JsonObject } from '../../../format/json.ts';

export interface Channel {
  /** Always comes to something; never rejects. */
  ask(request: JsonObject, options: AskOptions): Promise<Reply>;
  /** A `control_response`: one that nobody waits for, or a second one, is nothing. */
  settle(response: JsonObject): void;
  /** Nobody will answer any more. */
  close(): void;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** Waited for as long as it takes without it. */
  readonly timeoutMs?: number;
}

export type Reply =
  | { readonly kind: 'answer'; readonly response: JsonObject }
  | { readonly kind: 'error'; readonly error: string }
  /** Given up, and the program was told so; or it cannot answer. */
  | { readonly kind: 'gone'; readonly why: 'aborted' | 'timeout' | 'closed' };

/** A timer holds 32 bits: more is for ever. */
const LONGEST_MS = 2 ** 31 - 1;

export function createChannel(write: (message: JsonObject) => void): Channel {
  const open = new Map<string, (reply: Reply) => void>();
  let isClosed = false;
  return {
    ask(request, { signal, timeoutMs }) {
      if (isClosed || signal.aborted) return Promise.resolve({ kind: 'gone', why: isClosed ? 'closed' : 'aborted' });
      const id = randomUUID();
      return new Promise((resolve) => {
        const giveUp = (why: 'aborted' | 'timeout') => {
          write({ type: 'control_cancel_request', request_id: id });
          settled({ kind: 'gone', why });
        };
        const onAbort = () => giveUp('aborted');
        const timer =
          timeoutMs === undefined ? undefined : setTimeout(giveUp, Math.min(timeoutMs, LONGEST_MS), 'timeout');
        const settled = (reply: Reply) => {
          open.delete(id);
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          resolve(reply);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        open.set(id, settled);
        write({ type: 'control_request', request_id: id, request });
      });
    },
    settle: (response) => open.get(asString(response.request_id) ?? '')?.(replyOf(response)),
    close() {
      isClosed = true;
      for (const settled of [...open.values()]) settled({ kind: 'gone', why: 'closed' });
    },
  };
}

function replyOf(response: JsonObject): Reply {
  if (response.subtype === 'success') return { kind: 'answer', response: asObject(response.response) ?? {} };
  return { kind: 'error', error: asString(response.error) || 'The program answered with an error.' };
}
