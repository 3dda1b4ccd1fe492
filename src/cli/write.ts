/** Writing as fast as the reader takes it: what it has not taken yet is not piled up in memory. */
import { once } from 'node:events';
import type { Terminal } from './terminal.ts';

/** Settles when more may come; with a signal, also when that is aborted. */
export async function write(
  { stream }: Pick<Terminal, 'stream'>,
  bytes: string | Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  if (stream.write(bytes)) return;
  try {
    await once(stream, 'drain', { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
