/** A session that goes on from another has that one's id on its first line; no Stop was told of what came last there. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import { readEntriesOf } from '../../disk/read.ts';

const PEEK_BYTES = 16 << 10;
/** A first prompt may hold a picture. */
const MOST_BYTES = 32 << 20;

/** The transcript of the session before, where it is still there. */
export function previousOf(transcript: string, sessionId: string): string | undefined {
  try {
    for (const { head } of readEntriesOf(transcript, { to: MOST_BYTES, chunkBytes: PEEK_BYTES })) {
      if (head.sessionId === undefined) return undefined;
      if (head.sessionId === sessionId || !/^[\w-]+$/.test(head.sessionId)) return undefined;
      const file = join(dirname(transcript), `${head.sessionId}.jsonl`);
      return file !== transcript && existsSync(file) ? file : undefined;
    }
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
  return undefined;
}
