/** What the loop itself says, to the model and to the person. */
import type { MessageIssue } from '../../graph/validate.ts';
import type { ApiFailure } from '../ports.ts';

export const CUT_OFF =
  'Your answer reached the limit of its length and was cut off. Go on exactly where it stops, without an apology or a summary; split what is left into smaller parts.';
export const CALL_CUT_OFF =
  'The answer reached the limit of its length inside this call, so it was not run. Make it again, smaller or in parts.';
export const NOTHING_SAID = 'Your last answer was empty. Please go on with an answer the user can see.';
/** The client's words: they are told of in its stream. */
export function mustEndWith(tool: string): string {
  return `[structured-output-enforce] You MUST call the ${tool} tool to complete this request. Call this tool now.`;
}
export const OVER_WINDOW = 'The conversation is longer than the context window of the model.';

export function tooLong(message: string, isWindow = true): ApiFailure {
  return isWindow
    ? { type: 'model_context_window_exceeded', message: `${message} Slim it: skein slim, then resume.`, tooLong: true }
    : { type: 'max_output_tokens', message };
}

export function refusal(model: string): ApiFailure {
  return {
    type: 'refusal',
    message: `${model} declined to answer. Rephrase the request, or go on with another model.`,
  };
}

export function noPrice(model: string): ApiFailure {
  const message = `What ${model} costs is not known, so the budget cannot be kept: it stops here. Go on without --max-budget-usd, or limit it by --max-turns.`;
  return { type: 'unknown_price', message };
}

/** The history itself is what the API would refuse: asking again does not help. */
export function unfit({ rule, where, what }: MessageIssue, sessionId: string): ApiFailure {
  const message = `Not sent: the API would refuse this history (${rule}: ${what}, at ${where}). Mend it: skein repair ${sessionId}`;
  return { type: 'invalid_history', message };
}
