/** Changing one file: seen before, unchanged since, kept for a rewind, put in place at once. */
import type { Stats } from 'node:fs';
import type { ToolHost } from '../tool.ts';
import { type Encoding, encodingOf, toText, withPlainEnds } from './encoding.ts';
import { loadFile } from './load.ts';
import { pathIn, Refusal, realPlace, statFile } from './place.ts';
import { saveFile } from './save.ts';
import { digestOfBytes, refuseUnseen, seenAs } from './seen.ts';

export interface TextFile {
  /** As it is shown, and where it really lies. */
  readonly path: string;
  readonly real: string;
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  /** undefined: there is none yet. */
  readonly stat: Stats | undefined;
}

const MOST_BYTES = 64 << 20;

/** A file that may be changed, or the place for a new one. Throws Refusal, or what the disk throws. */
export function openToChange(host: ToolHost, filePath: string): TextFile {
  const path = pathIn(host.session, filePath);
  const real = realPlace(path);
  if (statFile(real) === undefined) {
    return { path, real, bytes: Buffer.alloc(0), encoding: 'utf-8', stat: undefined };
  }
  const { bytes, stat } = loadFile(real, MOST_BYTES);
  refuseUnseen(host.session, real, stat, () => bytes);
  const encoding = encodingOf(bytes);
  if (encoding === undefined || (encoding !== 'utf-8' && bytes.length % 2 === 1)) {
    throw new Refusal(`${path} is a binary file: it is left alone. Change it with a command that knows its format.`);
  }
  return { path, real, bytes, encoding, stat };
}

/** Writes the new bytes and remembers them as seen. Throws Refusal, or what the disk throws. */
export function putInPlace(host: ToolHost, { real, stat }: TextFile, bytes: Buffer): void {
  host.signal.throwIfAborted();
  host.session.backup(real, host.id);
  const after = saveFile(real, bytes, stat);
  host.session.files.set(real, seenAs(after, { partial: false, digest: digestOfBytes(bytes) }));
}

/** As results tell it: with the byte-order mark, with plain line ends. */
export function plainText(bytes: Buffer, encoding: Encoding): string {
  return withPlainEnds(toText(bytes, encoding));
}

const MOST_RECORDED = 2 << 20;

/** What goes into the transcript of a file; nothing of one that would bloat it. */
export function recorded<Name extends string>(name: Name, text: string): { [name in Name]?: string } {
  const record: { [name in Name]?: string } = {};
  if (text.length <= MOST_RECORDED) record[name] = text;
  return record;
}
