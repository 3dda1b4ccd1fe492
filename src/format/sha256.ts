/**
 * SHA-256. Loading node:crypto takes as long as a fifth of a start, so a command that hashes little, such as a hook, does it by a small
 * piece of WebAssembly; whoever hashes more goes on with node:crypto, which is many times as fast.
 */
import { wasmCode } from '@chainsafe/as-sha256/lib/wasmCode.js';

/** Bytes of a process; then node:crypto is worth loading. */
const LITTLE = 256 << 10;

let hashed = 0;
let small: ((data: Uint8Array) => Buffer) | undefined;
let crypto: ReturnType<typeof loadCrypto> | undefined;

export function sha256(data: Uint8Array): Buffer {
  if (isLittle(data.length)) return bySmall(data);
  // By way of a string: memory of its own for each of so few bytes takes a third longer.
  return Buffer.from(byNode().hash('sha256', data, 'binary'), 'binary');
}

/** In hexadecimal; of a text, its UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  if (!isLittle(data.length)) return byNode().hash('sha256', data);
  return bySmall(typeof data === 'string' ? Buffer.from(data) : data).toString('hex');
}

function isLittle(length: number): boolean {
  hashed += length;
  return hashed <= LITTLE && typeof WebAssembly !== 'undefined';
}

function byNode() {
  crypto ??= loadCrypto();
  return crypto;
}

function loadCrypto() {
  return process.getBuiltinModule('node:crypto');
}

function bySmall(data: Uint8Array): Buffer {
  small ??= makeSmall();
  return small(data);
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  /** Where data is put, so much at once, and where the result is. */
  readonly input: WebAssembly.Global<'i32'>;
  readonly INPUT_LENGTH: WebAssembly.Global<'i32'>;
  readonly output: WebAssembly.Global<'i32'>;
  init(): void;
  update(place: number, length: number): void;
  final(place: number): void;
}

/** That of the package, without its larger one for many hashes at once, which takes longer to compile than all of ours take. */
function makeSmall(): (data: Uint8Array) => Buffer {
  const abort = () => {
    throw new Error('SHA-256 stopped');
  };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasmCode), { env: { abort } });
  const wasm = exports as unknown as Exports;
  const { value: input } = wasm.input;
  const { value: output } = wasm.output;
  const room = new Uint8Array(wasm.memory.buffer, input, wasm.INPUT_LENGTH.value);
  const result = new Uint8Array(wasm.memory.buffer, output, 32);
  return (data) => {
    wasm.init();
    for (let at = 0; at < data.length; at += room.length) {
      const part = data.subarray(at, at + room.length);
      room.set(part);
      wasm.update(input, part.length);
    }
    wasm.final(output);
    return Buffer.from(result);
  };
}
