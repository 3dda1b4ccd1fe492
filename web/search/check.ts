/** Whether a query can be asked, told before the server is. */
import { parseQuery, QueryError } from '../../src/views/search/query.ts';

export type Checked =
  | { readonly state: 'empty' | 'fine' }
  /** The end is still being typed. */
  | { readonly state: 'unfinished' }
  | { readonly state: 'wrong'; readonly what: string; readonly where: string; readonly next: string };

export function checkQuery(text: string): Checked {
  if (text.trim() === '') return { state: 'empty' };
  try {
    const { terms, filters, after, before } = parseQuery(text, { now: new Date() });
    const filtered = Object.values(filters).some(({ any, none }) => any.length + none.length > 0);
    if (terms.length > 0 || filtered || after !== undefined || before !== undefined) return { state: 'fine' };
    return {
      state: 'wrong',
      what: 'There is no word in it.',
      where: text,
      next: 'Find the characters themselves: ~text',
    };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { what, where, next } = error;
    return text.endsWith(where) && where.endsWith(':')
      ? { state: 'unfinished' }
      : { state: 'wrong', what, where, next };
  }
}
