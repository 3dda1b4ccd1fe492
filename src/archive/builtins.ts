/** Node's own modules that take milliseconds to load: only when first needed, as most runs need none of them. */
import type * as Crypto from 'node:crypto';
import type * as Zlib from 'node:zlib';

let crypto: typeof Crypto | undefined;
let zlib: typeof Zlib | undefined;

export function nodeCrypto(): typeof Crypto {
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto;
}

export function nodeZlib(): typeof Zlib {
  zlib ??= process.getBuiltinModule('node:zlib');
  return zlib;
}
