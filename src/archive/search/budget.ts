/**
 * A regular expression may take longer than anyone waits: `(a+)+$` doubles its time with every letter. Which ones do cannot be
 * told by looking at them, so what runs one is stopped when its time is over.
 */
import { createContext, runInContext } from 'node:vm';
import { type Query, QueryError } from '../../views/search/query.ts';

const LEAST_MS = 5000;
/** Parsing and matching take a tenth of that. */
const MS_PER_MEGABYTE = 200;
/** And for finding what is looked through on a slow disk. */
const MS_EACH = 50;

/** Looks through so many bytes of a place. Throws QueryError. */
export type Patience = <T>(bytes: number, where: string, call: () => T) => T;

/** One for all that a query looks through: what is slow in every file is over as soon as what never ends in one. Other queries take as long as they take. */
export function patienceFor({ terms }: Query, least = LEAST_MS): Patience {
  const regex = terms.find((term) => term.kind === 'regex');
  if (regex === undefined) return (_bytes, _where, call) => call();
  let left = least;
  return (bytes, where, call) => {
    left += MS_EACH + (bytes / 1e6) * MS_PER_MEGABYTE;
    const began = performance.now();
    const result = withinTime(Math.max(1, Math.ceil(left)), call);
    left -= performance.now() - began;
    if (result !== undefined) return result.value;
    throw new QueryError(
      `The regular expression ${regex.regex.source} takes too long.`,
      where,
      'Write it without repetitions inside repetitions, as in (a+)+, or narrow the search: project: session: after:',
    );
  };
}

/** undefined when its time was over. */
function withinTime<T>(timeout: number, call: () => T): { readonly value: T } | undefined {
  let result: { readonly value: T } | undefined;
  const run = () => {
    result = { value: call() };
  };
  try {
    runInContext('run()', createContext({ run }), { timeout });
  } catch (error) {
    if (!isTimeUp(error)) throw error;
  }
  return result;
}

/** The error is of the other context: no Error of ours. */
function isTimeUp(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
