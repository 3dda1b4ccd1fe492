/** How the next page of an answer is asked for: with an option, or of a tool. */
import type { Context } from './context.ts';

export function nextPage({ asTool }: Pick<Context, 'asTool'>, page: number): string {
  return asTool ? `more: page ${page}` : `more: --page ${page}`;
}
