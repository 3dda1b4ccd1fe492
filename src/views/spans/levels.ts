/** How things ended: errors, denials and interruptions as levels. */
import { textOfCall } from '../../graph/toolcalls.ts';
import type { Message, ToolCall, Turn } from '../../graph/types.ts';
import { type Contents, textOfMessage } from './content.ts';
import type { Span, SpanOptions } from './types.ts';

type Outcome = Pick<Span, 'level' | 'statusMessage'>;

const FINE: Outcome = { level: 'default', statusMessage: null };

export function levelOfTurns(turns: readonly Turn[], contents: Contents): Outcome {
  const last = turns.at(-1);
  if (last?.state === 'interrupted') return { level: 'warning', statusMessage: 'interrupted' };
  // Only of a sub-agent: its parent went on without it.
  if (last?.state === 'open') return { level: 'warning', statusMessage: 'not finished' };
  const answer = last?.messages.findLast((message) => !message.synthetic || message.isApiError);
  if (answer === undefined || !answer.isApiError) return FINE;
  return { level: 'error', statusMessage: contents.status(() => textOfMessage(answer), 'API error') };
}

/** Answers that are not what was asked for. */
const CUT_SHORT = new Set(['max_tokens', 'refusal', 'model_context_window_exceeded']);

export function levelOfMessage({ stopReason }: Message): Outcome {
  return stopReason !== undefined && CUT_SHORT.has(stopReason) ? { level: 'warning', statusMessage: stopReason } : FINE;
}

export function levelOfCall(call: ToolCall, contents: Contents, { resolve }: SpanOptions): Outcome {
  const said = (word: string) => contents.status(() => textOfCall(call, resolve) ?? '', word);
  switch (call.status) {
    case 'error':
      return { level: 'error', statusMessage: said('error') };
    case 'denied':
      return { level: 'warning', statusMessage: said('denied') };
    case 'interrupted':
      return { level: 'warning', statusMessage: 'interrupted' };
    case 'pending':
      return { level: 'warning', statusMessage: 'no result' };
    default:
      return FINE;
  }
}
