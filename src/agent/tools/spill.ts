/** Results that are too long to send: the whole goes to a file of the session (L4), the model gets the beginning and the path. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { encode } from '../../format/text.ts';
import { cutEnd, cutStart } from './cut.ts';
import type { ToolHost } from './tool.ts';

/** `folder` is the session's own, beside its transcript. Throws DiskError. */
export function createSpill({ folder }: { readonly folder: string }): (toolUseId: string, text: string) => string {
  return (toolUseId, text) => {
    const path = join(folder, 'tool-results', `${nameOf(toolUseId)}.txt`);
    writeFileAtomic(path, encode(text), { mode: 0o600 });
    return path;
  };
}

/** The id comes from outside: it may name a file, never a path. */
function nameOf(toolUseId: string): string {
  if (/^[\w-]{1,100}$/.test(toolUseId)) return toolUseId;
  return createHash('sha256').update(toolUseId).digest('hex').slice(0, 16);
}

export interface Sendable {
  readonly text: string;
  /** Where the whole lies, when it was too long. */
  readonly path?: string;
}

export interface SendableOptions {
  /** Size of all there was, also of what was not kept. */
  readonly bytes?: number;
  readonly complete?: boolean;
  /** Characters of the beginning that the model gets. */
  readonly preview?: number;
  /** Characters that can be sent, where it is not the usual number. */
  readonly max?: number;
}

const PREVIEW_CHARS = 2000;

/** The text as it is, or in the form by which readers find the file again. A disk that takes nothing costs the middle, not the call. */
export function toSendable(host: ToolHost, text: string, options: SendableOptions = {}): Sendable {
  const max = options.max ?? host.session.limits.outputChars;
  if (text.length <= max) return { text };
  const bytes = options.bytes ?? Buffer.byteLength(text);
  try {
    const path = host.session.spill(host.id, text);
    return { text: persisted(text, path, { ...options, bytes }), path };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { text: shortened(text, max, `they could not be saved: ${why}`) };
  }
}

function persisted(text: string, path: string, options: SendableOptions & { readonly bytes: number }): string {
  const preview = cutEnd(text, options.preview ?? PREVIEW_CHARS);
  const what = options.complete === false ? 'Beginning and end of it' : 'Full output';
  return [
    '<persisted-output>',
    `Output too large (${sizeOf(options.bytes)}). ${what} saved to: ${path}`,
    '',
    `Preview (first ${sizeOf(Buffer.byteLength(preview))}):`,
    preview,
    '...',
    '</persisted-output>',
  ].join('\n');
}

/** Beginning and end, and between them how much is left out and why. */
export function shortened(text: string, max: number, why: string): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const [head, tail] = [cutEnd(text, half), cutStart(text, half)];
  return `${head}\n\n[${text.length - head.length - tail.length} characters left out here; ${why}]\n\n${tail}`;
}

/** As the client writes sizes: 43.9KB, 2KB. */
export function sizeOf(bytes: number): string {
  const units = ['KB', 'MB', 'GB'];
  let value = bytes / 1024;
  if (value < 1) return `${bytes} bytes`;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value.toFixed(1).replace(/\.0$/, '')}${units[unit]}`;
}
