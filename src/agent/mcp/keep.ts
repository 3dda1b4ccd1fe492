/** Bytes that servers hand out, in files of the session beside what was too long to send (L4). */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import { safeName } from './names.ts';

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/html': 'html',
  'text/csv': 'csv',
  'text/markdown': 'md',
};

/** `folder` is the session's own; throws DiskError. */
export function keepBytes(folder: string, what: string, bytes: Uint8Array, mimeType: string): string {
  const ending = ENDINGS[mimeType.toLowerCase().replace(/;.*$/s, '').trim()] ?? 'bin';
  const name = `mcp-${safeName(what).slice(0, 60)}-${Date.now()}-${randomBytes(3).toString('hex')}.${ending}`;
  const path = join(folder, 'tool-results', name);
  writeFileAtomic(path, bytes, { mode: 0o600 });
  return path;
}
