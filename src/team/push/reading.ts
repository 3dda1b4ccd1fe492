/** What a push reads of the archive. */

import type { ArchivedState } from '../../archive/files.ts';
import { openIndexForReading, quietly } from '../../archive/index/derived.ts';
import { openOutlines } from '../../archive/index/outlines.ts';
import { openUsage } from '../../archive/index/usagekept.ts';
import { createMounter } from '../../archive/mount/mountfiles.ts';
import { chatOfSession } from '../../archive/search/knownchats.ts';
import type { Archive } from '../../archive/store.ts';
import { type MountedFile, mountFile } from '../../disk/mounts.ts';
import type { PushFile } from './sessions.ts';

/** What the archive knows, and the bytes of its files. */
export function openReading(archive: Archive) {
  const mounter = createMounter(archive);
  const paths = new Map<PushFile, string>();
  const outlines = openOutlines(archive);
  const usage = openUsage(archive);
  const index = quietly(() => openIndexForReading(archive));
  return {
    pathOf(file: PushFile): string {
      const known = paths.get(file);
      if (known !== undefined) return known;
      const path = `team-push:${archive.folder}:${file.state.version}`;
      mountFile(path, bounded(mounter({ path, state: file.state }), file.state));
      paths.set(file, path);
      return path;
    },
    cwdsOf: (file: PushFile) => outlines?.find(file.state.digest)?.cwds,
    usageOf: (file: PushFile) => usage?.find(file.state.digest, `team-push:${file.state.version}`),
    chatOf: (session: string) => (index === undefined ? undefined : quietly(() => chatOfSession(index.db, session))),
    close() {
      usage?.close();
      index?.close();
    },
  };
}

/** As it was when it was listed: another process may add to it meanwhile. */
function bounded(file: MountedFile, { size }: ArchivedState): MountedFile {
  return {
    bytes: size,
    open() {
      const { fill, read } = file.open();
      return {
        fill: (buffer, at) => fill(buffer.subarray(0, Math.max(0, Math.min(buffer.length, size - at))), at),
        read: (start, end) => read(start, Math.min(end, size)),
      };
    },
  };
}
