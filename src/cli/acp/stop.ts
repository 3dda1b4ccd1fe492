/** How a turn ended, in the words of the protocol. */
import { RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type { TurnEnd } from '../../agent/ports.ts';

/** Ends that the editor would show without a word. */
export const TOLD = new Set<TurnEnd['reason']>(['max_turns', 'budget', 'max_tokens', 'refusal']);

export function stopReason({ reason, failure }: TurnEnd, signal: AbortSignal): StopReason {
  if (signal.aborted) return 'cancelled';
  switch (reason) {
    case 'max_turns':
    case 'budget':
      return 'max_turn_requests';
    case 'max_tokens':
    case 'refusal':
      return reason;
    case 'failed':
      throw failureError(failure);
    default:
      // A call that was rejected ends the turn, too; nothing was cancelled.
      return 'end_turn';
  }
}

function failureError(failure: TurnEnd['failure']): RequestError {
  const { type = 'internal_error', status, message = 'The turn failed.', requestId } = failure ?? {};
  const data = { type, ...(status !== undefined && { status }), ...(requestId !== undefined && { requestId }) };
  if (type === 'authentication_error') return RequestError.authRequired(data, message);
  if (type === 'empty_prompt') return RequestError.invalidParams(data, message);
  return RequestError.internalError(data, status === undefined ? message : `API Error: ${status} ${message}`);
}
