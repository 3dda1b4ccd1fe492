/** Pictures as the API takes them. What it cannot read or refuses would brick the session, so it is looked at first. */
import type { JsonObject } from '../../../format/json.ts';

export interface Picture {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/** The API takes 5 MB of base64. */
export const MOST_PICTURE_BYTES = Math.floor((5 * (1 << 20) * 3) / 4);
export const MOST_PICTURE_SIDE = 8000;

const NAMES = /\.(?:png|jpe?g|gif|webp)$/i;

export function isPictureName(path: string): boolean {
  return NAMES.test(path);
}

/** What a message can hold of it; undefined where the API would refuse. */
export function pictureBlock(bytes: Buffer): JsonObject | undefined {
  const picture = bytes.length <= MOST_PICTURE_BYTES ? pictureOf(bytes) : undefined;
  if (picture === undefined || !fits(picture)) return undefined;
  return imageBlock(bytes.toString('base64'), picture.type);
}

export function fits({ width, height }: Picture): boolean {
  return Math.max(width, height) <= MOST_PICTURE_SIDE && Math.min(width, height) > 0;
}

export function imageBlock(data: string, type: string): JsonObject {
  return { type: 'image', source: { type: 'base64', data, media_type: type } };
}

/** By its bytes, whatever it is called; undefined when it is none of these, or cut short. */
export function pictureOf(bytes: Buffer): Picture | undefined {
  if (bytes.length < 30) return undefined;
  if (bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') {
    return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (/^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))) {
    return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return webp(bytes);
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? jpeg(bytes) : undefined;
}

function webp(bytes: Buffer): Picture | undefined {
  const type = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** The size stands in the frame header, behind segments of any number. */
function jpeg(bytes: Buffer): Picture | undefined {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    } else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
