/** Copies a file, on disk or mounted, to a place where nothing is yet. */
import { createHash } from 'node:crypto';
import { writeFileAtomic } from './durable.ts';
import { fileSource } from './source.ts';

const CHUNK_BYTES = 1 << 20;

/** The bytes of a file in chunks, each valid until the next is asked for. Throws DiskError. */
export function* chunksOf(file: string): Generator<Uint8Array> {
  const source = fileSource(file);
  try {
    const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(CHUNK_BYTES, source.size())));
    for (let at = 0; ; ) {
      const got = source.fill(buffer, at);
      if (got === 0) return;
      yield buffer.subarray(0, got);
      at += got;
    }
  } finally {
    source.close();
  }
}

export interface CopiedFile {
  readonly bytes: number;
  readonly sha256: string;
}

/** Throws DiskError; nothing that is there is replaced, unless `replace` says so. */
export function copyFile(from: string, to: string, options: { mode?: number; replace?: boolean } = {}): CopiedFile {
  const digest = createDigest();
  writeFileAtomic(to, digest.through(chunksOf(from)), { mode: options.mode, exclusive: !options.replace });
  return digest.result();
}

export function digestOf(file: string): CopiedFile {
  const digest = createDigest();
  for (const _ of digest.through(chunksOf(file)));
  return digest.result();
}

function createDigest(): { through(chunks: Iterable<Uint8Array>): Iterable<Uint8Array>; result(): CopiedFile } {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    *through(chunks) {
      for (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    result: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}
