/** Keys stay out of the client's settings: they come from the environment, or from `export.json` with the same names. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { writeFileAtomic } from '../../disk/durable.ts';
import { DiskError, toDiskError } from '../../disk/errors.ts';
import { decoded } from '../../export/otlp/endpoint.ts';
import { secretsIn, withoutAddressKeys, withoutSecrets } from '../../export/otlp/secrets.ts';
import { SETTING_NAMES, type Settings } from '../../export/otlp/settings.ts';
import { asObject, type JsonObject, parseJson } from '../../format/json.ts';

/** Takes what the environment says into the file, beside what is there. Returns the names that are new or changed. */
export function keepKeys(file: string, env: Settings): string[] {
  const kept = existsSync(file) ? read(file) : {};
  const names = SETTING_NAMES.filter((name) => env[name] && env[name] !== kept[name]);
  if (names.length === 0) return [];
  const added = Object.fromEntries(names.map((name) => [name, env[name]]));
  writeFileAtomic(file, Buffer.from(`${JSON.stringify({ ...kept, ...added }, null, 2)}\n`), { mode: 0o600 });
  return names;
}

function read(file: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw toDiskError(error, 'cannot read', file);
  }
  const values = asObject(parseJson(text.replace(/^\uFEFF/, '')));
  if (values !== undefined) return values;
  const next = 'Make it an object such as {"LANGFUSE_PUBLIC_KEY":"pk-…"}, or delete it.';
  throw new DiskError({ what: 'the file of keys is not a JSON object', where: file, next });
}

/** Readable by others than the owner. */
export function isExposed(file: string): boolean {
  if (process.platform === 'win32') return false;
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

/** No key ends in a log: what a server says may repeat it, and an address may hold one. */
export function withoutKeys(text: string, settings: Settings): string {
  const { LANGFUSE_PUBLIC_KEY: publicKey = '', LANGFUSE_SECRET_KEY: secretKey = '' } = settings;
  const basic = Buffer.from(`${publicKey}:${secretKey}`).toString('base64');
  const headers = SETTING_NAMES.filter((name) => name.endsWith('HEADERS')).flatMap((name) => settings[name] ?? []);
  const values = headers.flatMap((each) => each.split(',').map((pair) => pair.slice(pair.indexOf('=') + 1).trim()));
  const secrets = [...values, ...values.map(decoded)].flatMap(secretsIn);
  return withoutAddressKeys(withoutSecrets(text, [...headers, ...secrets, ...secretsIn(`Basic ${basic}`)]));
}
