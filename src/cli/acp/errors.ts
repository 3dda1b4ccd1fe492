/** What goes wrong, as the editor is told it. */
import { RequestError } from '@agentclientprotocol/sdk';
import { CommandError } from '../errors.ts';

/** Runs a handler; errors for people keep their words, where and what next. */
export async function told<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error);
  }
}

export function toRequestError(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  if (error instanceof Error && 'where' in error && 'next' in error) {
    const what = 'what' in error ? String(error.what) : error.message;
    const data = { where: String(error.where), next: String(error.next) };
    const words = `${what} (${data.where}) ${data.next}`;
    return error instanceof CommandError
      ? RequestError.invalidParams(data, words)
      : RequestError.internalError(data, words);
  }
  return RequestError.internalError(undefined, error instanceof Error ? error.message : String(error));
}
