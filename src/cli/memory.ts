/** How much memory a command may take. */

/** From here on a command takes little memory rather than being as fast as can be: measured, a tenth more time. */
const LARGE_BYTES = 64 << 20;

/** Left to itself, V8 lets its heap grow to several times what is in use as long as the machine has memory. */
export function spareMemory(files: readonly { readonly bytes: number }[]): void {
  if (files.reduce((sum, file) => sum + file.bytes, 0) > LARGE_BYTES) keepHeapSmall();
}

/** For what goes on for long. Loaded only here: it takes longer than a command with nothing to do. */
export function keepHeapSmall(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--optimize-for-size');
}
