/** Work that may not heed an interrupt. */

/** What the work gives; or `instead`, when it is not done so long after the signal. */
export async function orInstead<T, U>(
  signal: AbortSignal,
  work: Promise<T>,
  instead: U,
  afterMs: number,
): Promise<T | U> {
  let timer: NodeJS.Timeout | undefined;
  const { promise, resolve } = Promise.withResolvers<U>();
  const onAbort = (): void => {
    timer = setTimeout(() => resolve(instead), afterMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    // A signal lives as long as the turn, which may make thousands of calls.
    signal.removeEventListener('abort', onAbort);
  }
}
