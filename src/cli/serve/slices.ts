/** Long work in small slices: whoever asks something meanwhile is answered. */
import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 15;

/** Called often; waits only when a slice is over. After the signal it throws: nobody wants the rest. */
export function createPause(signal?: AbortSignal): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      signal?.throwIfAborted();
      began = performance.now();
    });
  };
}
