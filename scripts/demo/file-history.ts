/** Checkpoints of edited files: entries in the transcript and copies below `file-history/` (L4, E16). */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../src/format/json.ts';
import { appendBare, iso, type Writer } from './writer.ts';

interface Tracked {
  version: number;
  backupFileName: string | null;
  backupTime: number;
  /** What the last copy holds and what the file holds now; null when there is no file. */
  saved: string | null;
  current: string | null;
}

/** By path below the working directory. */
export type FileHistory = Map<string, Tracked>;

export function createFileHistory(): FileHistory {
  return new Map();
}

export interface Change {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** Before a file is changed for the first time, the client keeps it as version 1. */
export function noteChange(w: Writer, change: Change, useUuid: string, snapshotId: string, time: number): void {
  if (w.version === '1.0.111' || w.agent) return;
  const known = w.fileHistory.get(change.path);
  if (known) {
    known.current = change.after;
    return;
  }
  const tracked: Tracked = {
    version: 1,
    backupFileName: change.before === null ? null : keep(w, change.path, 1, change.before),
    backupTime: time,
    saved: change.before,
    current: change.after,
  };
  w.fileHistory.set(change.path, tracked);
  if (w.version === '2.1.325') {
    appendBare(w, {
      type: 'file-history-delta',
      messageId: useUuid,
      snapshotMessageId: snapshotId,
      trackingPath: change.path,
      backup: backupOf(w, tracked),
      timestamp: iso(time),
    });
  } else snapshot(w, { messageId: useUuid, of: snapshotId, time, update: true });
}

/** With each prompt the client keeps what changed since the last one. */
export function takeSnapshot(w: Writer, messageId: string, time: number): void {
  if (w.version === '1.0.111' || w.agent) return;
  for (const [path, tracked] of w.fileHistory) {
    if (tracked.current === tracked.saved) continue;
    tracked.version += 1;
    tracked.backupFileName = tracked.current === null ? null : keep(w, path, tracked.version, tracked.current);
    tracked.backupTime = time;
    tracked.saved = tracked.current;
  }
  snapshot(w, { messageId, of: messageId, time, update: false });
}

/** After a rewind the files are as they were. */
export function noteRestored(w: Writer, files: ReadonlyMap<string, string>): void {
  for (const [path, tracked] of w.fileHistory) tracked.current = files.get(path) ?? null;
}

function snapshot(w: Writer, own: { messageId: string; of: string; time: number; update: boolean }): void {
  const trackedFileBackups: JsonObject = {};
  for (const [path, tracked] of w.fileHistory) trackedFileBackups[path] = backupOf(w, tracked);
  appendBare(w, {
    type: 'file-history-snapshot',
    messageId: own.messageId,
    snapshot: { messageId: own.of, trackedFileBackups, timestamp: iso(own.time) },
    isSnapshotUpdate: own.update,
  });
}

function backupOf(w: Writer, tracked: Tracked): JsonObject {
  const { backupFileName, version, backupTime } = tracked;
  const place = w.version === '2.1.325' ? { realParentDir: w.cwd } : {};
  return { backupFileName, version, backupTime: iso(backupTime), ...place };
}

function keep(w: Writer, path: string, version: number, content: string): string {
  const hash = createHash('sha256').update(`${w.cwd}/${path}`).digest('hex').slice(0, 16);
  const name = `${hash}@v${version}`;
  w.root.files.set(`file-history/${w.sessionId}/${name}`, content);
  return name;
}
