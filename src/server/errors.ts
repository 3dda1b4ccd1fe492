/** Errors as answers: what happened and what to do next, never a stack trace or where this program lies. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** A person at `/` reads words, a program JSON. */
export function refuse(c: Context, status: ContentfulStatusCode, what: string, next: string): Response {
  if (c.req.path === '/') return c.text(`${what}\n${next}\n`, status);
  return c.json({ what, next }, status);
}

/** A parameter that is not as it should be. */
export class BadRequest extends Error {
  readonly next: string;

  constructor(what: string, next = 'Go back to the list of chats.') {
    super(what);
    this.next = next;
  }
}

/** A question that must be JSON, and says that it is not. */
export class NotJson extends Error {}

export interface Told {
  readonly what: string;
  readonly where: string;
  readonly next: string;
}

/** What was thrown to be told to a person. */
export function toldBy(error: unknown): Told | undefined {
  if (!(error instanceof Error) || !('where' in error) || !('next' in error)) return undefined;
  const what = 'what' in error ? String(error.what) : error.message;
  return { what, where: String(error.where), next: String(error.next) };
}
