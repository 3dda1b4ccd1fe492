/**
 * Which copies of which files a session keeps (L4), and which of them bring the files back as they were before a prompt. A
 * snapshot stands for each prompt; a file that a tool touches first after it is added to it, as it was until then.
 */
import { type Entry, jsonOf } from '../../format/entry.ts';
import type { JsonObject } from '../../format/json.ts';
import { type FileBackup, typedOf } from '../../format/typed.ts';

export interface Snapshot {
  /** The prompt. */
  readonly messageId: string;
  /** By the path as it is tracked: relative to where the session began, or absolute. */
  readonly files: Map<string, FileBackup>;
}

export interface History {
  /** In the order of their prompts. */
  readonly snapshots: Map<string, Snapshot>;
  /** The newest copy of each file. */
  readonly newest: Map<string, FileBackup>;
}

/** Of all entries of one file, whichever client wrote them. */
export function historyOf(entries: Iterable<Entry>): History {
  const history: History = { snapshots: new Map(), newest: new Map() };
  for (const entry of entries) {
    if (entry.kind !== 'file-history-snapshot' && entry.kind !== 'file-history-delta') continue;
    const json = jsonOf(entry);
    if (json !== undefined) takeLine(history, entry.kind, json);
  }
  return history;
}

export function takeLine(
  history: History,
  kind: 'file-history-snapshot' | 'file-history-delta',
  json: JsonObject,
): readonly FileBackup[] {
  if (kind === 'file-history-delta') {
    const { snapshotMessageId, backup } = typedOf(kind, json);
    if (snapshotMessageId === undefined || backup.path === '') return [];
    const { files } = snapshotAt(history, snapshotMessageId);
    if (!files.has(backup.path)) files.set(backup.path, backup);
    return noteNewest(history, [backup]);
  }
  const { snapshotMessageId, messageId, backups } = typedOf(kind, json);
  const prompt = snapshotMessageId ?? messageId;
  if (prompt === undefined) return [];
  const { files } = snapshotAt(history, prompt);
  // Older clients write the whole snapshot again when a file joins it; what is known of a file stays.
  for (const backup of backups) if (!files.has(backup.path)) files.set(backup.path, backup);
  return noteNewest(history, backups);
}

function snapshotAt({ snapshots }: History, messageId: string): Snapshot {
  const known = snapshots.get(messageId);
  if (known !== undefined) return known;
  const made: Snapshot = { messageId, files: new Map() };
  snapshots.set(messageId, made);
  return made;
}

/** Gives those that are newer than what was known. */
function noteNewest({ newest }: History, backups: readonly FileBackup[]): readonly FileBackup[] {
  const newer = backups.filter(({ path, version }) => (version ?? 0) > (newest.get(path)?.version ?? -1));
  for (const backup of newer) newest.set(backup.path, backup);
  return newer;
}

/**
 * Each file as it was before a prompt. One that no tool had touched by then is taken as it was when one first did.
 * undefined: there is no snapshot for this prompt.
 */
export function filesBefore({ snapshots }: History, messageId: string): Map<string, FileBackup> | undefined {
  const target = snapshots.get(messageId);
  if (target === undefined) return undefined;
  const files = new Map(target.files);
  let later = false;
  for (const snapshot of snapshots.values()) {
    if (snapshot === target) later = true;
    if (!later) continue;
    for (const [path, backup] of snapshot.files) if (!files.has(path)) files.set(path, backup);
  }
  return files;
}

export function snapshotLine(messageId: string, files: ReadonlyMap<string, FileBackup>, time: string): JsonObject {
  const backups = [...files.values()].map((backup) => [backup.path, recordOf(backup)]);
  return {
    type: 'file-history-snapshot',
    messageId,
    snapshot: { messageId, trackedFileBackups: Object.fromEntries(backups), timestamp: time },
    isSnapshotUpdate: false,
  };
}

export function deltaLine(messageId: string, snapshotMessageId: string, backup: FileBackup, time: string): JsonObject {
  return {
    type: 'file-history-delta',
    messageId,
    snapshotMessageId,
    trackingPath: backup.path,
    backup: recordOf(backup),
    timestamp: time,
  };
}

function recordOf({ backupFileName, version, backupTime, realParentDir }: FileBackup): JsonObject {
  return { backupFileName: backupFileName ?? null, version, backupTime, ...(realParentDir && { realParentDir }) };
}
