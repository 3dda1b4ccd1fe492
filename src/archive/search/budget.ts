/**
 * A regular expression may take longer than anyone waits: `(a+)+$` doubles its time with every letter. Which ones do cannot be
 * told by looking at them, so what runs one is stopped when its time is over.
 */
import { createContext, runInContext } from 'node:vm';
import { type Query, QueryError } from '../../views/search/query.ts';

const LEAST_MS = 5000;
/** Parsing and matching take a tenth of that. */
const MS_PER_MEGABYTE = 200;

/** Other queries take as long as they take. Throws QueryError. */
export function withinTime<T>({ terms }: Query, bytes: number, where: string, call: () => T, least = LEAST_MS): T {
  const regex = terms.find((term) => term.kind === 'regex');
  if (regex === undefined) return call();
  let result: { readonly value: T } | undefined;
  const run = () => {
    result = { value: call() };
  };
  try {
    runInContext('run()', createContext({ run }), { timeout: least + Math.ceil((bytes / 1e6) * MS_PER_MEGABYTE) });
  } catch (error) {
    if (!isTimeUp(error)) throw error;
  }
  if (result !== undefined) return result.value;
  throw new QueryError(
    `The regular expression ${regex.regex.source} takes too long.`,
    where,
    'Write it without repetitions inside repetitions, as in (a+)+, or narrow the search: project: session: after:',
  );
}

/** The error is of the other context: no Error of ours. */
function isTimeUp(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
