/** How much memory a command may take. */
import { setFlagsFromString } from 'node:v8';

/** From here on a command takes little memory rather than being as fast as can be: measured, a tenth more time. */
const LARGE_BYTES = 64 << 20;

/** Left to itself, V8 lets its heap grow to several times what is in use as long as the machine has memory. */
export function spareMemory(files: readonly { readonly bytes: number }[]): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > LARGE_BYTES) setFlagsFromString('--optimize-for-size');
}
