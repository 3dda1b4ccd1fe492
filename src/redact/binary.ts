/**
 * What no rule can look into: pictures, documents, signatures, anything in base64. It is left out of what is shared, with a word in its
 * place. Base64 that is a readable text stays where nothing is found in it.
 */
import { asString, isObject, type Json, type JsonObject } from '../format/json.ts';

export type LeftOutKind = 'image' | 'document' | 'base64' | 'signature' | 'text' | 'line';

export interface BinaryOptions {
  /** Pictures stay: their owner looked at them. */
  readonly images: boolean;
  /** Whether a text that was encoded may be shown. */
  readonly isClean: (text: string) => boolean;
  /** Told of each piece that is left out. */
  readonly leave: (what: LeftOutKind) => void;
}

/** Members that hold bytes, by name. `json.ts` does not look into long ones. */
const OPAQUE = new Set(['data', 'base64', 'encrypted_content', 'encrypted_stdout']);
const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;

/** Blocks and members that hold bytes. Long runs inside of texts: `textWithoutBinary`. */
export function withoutBinary(value: Json, options: BinaryOptions): Json {
  if (Array.isArray(value)) return value.map((each) => withoutBinary(each, options));
  if (!isObject(value)) return value;
  return attachmentLeftOut(value, options) ?? membersWithout(value, options);
}

function attachmentLeftOut(block: JsonObject, { images, leave }: BinaryOptions): JsonObject | undefined {
  const { type, source } = block;
  if ((type !== 'image' && type !== 'document') || !isObject(source) || source.type !== 'base64') return undefined;
  const data = asString(source.data) ?? '';
  if (images && isPicture(data)) return undefined;
  leave(type);
  return { type: 'text', text: leftOutText(type, data.length) };
}

function membersWithout(value: JsonObject, options: BinaryOptions): JsonObject {
  return mapMembers(value, (each, name) => {
    if (typeof each !== 'string') return each === undefined ? undefined : withoutBinary(each, options);
    if (name === 'signature' && each !== '') {
      options.leave('signature');
      return '';
    }
    if (!OPAQUE.has(name) || !BASE64.test(each) || isKeptPicture(name, each, options)) return each;
    return cleanOrLeftOut(each, options);
  });
}

/** An object with the same names, `__proto__` too. */
export function mapMembers(
  value: JsonObject,
  map: (each: Json | undefined, name: string) => Json | undefined,
): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, map(each, name)]));
}

export function isKeptPicture(name: string, text: string, { images }: Pick<BinaryOptions, 'images'>): boolean {
  return images && OPAQUE.has(name) && isPicture(text);
}

/** PNG, JPEG, GIF or WebP by how they begin; nothing but base64. */
function isPicture(data: string): boolean {
  return /^(?:iVBORw0KGgo|\/9j\/|R0lGOD[dl]|UklGR)[A-Za-z0-9+/]*={0,2}$/.test(data);
}

/** Runs that long are no words, hashes or keys; and what is broken into lines of one length. */
const RUNS =
  /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{256,}={0,2}|(?<![A-Za-z0-9+/])(?:[A-Za-z0-9+/]{60,80}\r?\n[ \t]{0,16}){4,}[A-Za-z0-9+/]{0,80}={0,2}/g;

export function textWithoutBinary(text: string, options: BinaryOptions): string {
  if (text.length < 256) return text;
  return text.replace(RUNS, (run) => (/\d/.test(run) && /[A-Za-z]/.test(run) ? cleanOrLeftOut(run, options) : run));
}

function cleanOrLeftOut(encoded: string, { isClean, leave }: BinaryOptions): string {
  const text = decoded(encoded.replace(/\s+/g, ''));
  if (text !== undefined && isClean(text)) return encoded;
  leave('base64');
  return leftOutText('base64', encoded.length);
}

/** Undefined where the bytes are no text. */
function decoded(encoded: string): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function leftOutText(what: string, characters: number): string {
  return `[left out: ${what}, ${characters} characters]`;
}
