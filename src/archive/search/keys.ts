/** What tells entries apart, in few bytes. */
import { nodeCrypto } from '../builtins.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function keyOf(identity: string): Buffer {
  if (UUID.test(identity)) return Buffer.from(identity.replaceAll('-', ''), 'hex');
  return nodeCrypto().createHash('sha256').update(identity).digest().subarray(0, 16);
}

const VERSION_AND_VARIANT = /^.{12}[1-8].{3}[89ab]/;

/** The uuid a key was made of; of other identities nothing is left, and few of them look like one. */
export function uuidOf(key: Buffer): string | undefined {
  const hex = key.toString('hex');
  if (!VERSION_AND_VARIANT.test(hex)) return undefined;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
