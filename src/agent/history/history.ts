/** Keeps files as they were before each prompt, so that a rewind, in this client or the other, can bring them back (L4). */
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../format/json.ts';
import type { FileBackup } from '../../format/typed.ts';
import { copiesFolder, fileAt, isSameContent, keepCopy, placeOf, realPath, trackedPath } from './copies.ts';
import { deltaLine, type History, snapshotLine } from './plan.ts';

export interface FileHistoryOptions {
  /** The config root: copies lie in its `file-history/`. */
  readonly config: string;
  readonly sessionId: string;
  /** Where the session began. */
  readonly root: string;
  /** Writes a line into the transcript. */
  line(value: JsonObject): void;
  /** What a session that is gone on with has kept: `historyOf` its entries. */
  readonly history?: History;
  /** Told once for each file that is not kept, and why. */
  readonly say?: (words: string) => void;
  readonly now?: () => Date;
  readonly most?: { readonly bytes: number; readonly files: number };
}

export interface FileHistory {
  /** At each prompt: a snapshot of every file that was touched until now. */
  beforePrompt(messageUuid: string): void;
  /** Before a tool changes a file; `messageId` is the entry of its call. Where no copy can be made, work goes on without. */
  backup(path: string, messageId: string): void;
}

const MOST = { bytes: 20 << 20, files: 1000 };

export function createFileHistory(options: FileHistoryOptions): FileHistory {
  const { config, sessionId, line, say = () => {}, now = () => new Date(), most = MOST } = options;
  const root = realPath(options.root);
  const folder = copiesFolder(config, sessionId);
  const newest = new Map(options.history?.newest);
  const last = [...(options.history?.snapshots.values() ?? [])].at(-1);
  let current = last && { prompt: last.messageId, files: new Set(last.files.keys()) };
  /** Files as they were when they were last compared with their copy: unchanged ones need not be read again. */
  const looked = new Map<string, Stats>();
  const told = new Set<string>();

  const sayOnce = (path: string, why: string) => {
    if (told.has(path)) return;
    told.add(path);
    say(`${path} is not kept for a rewind: ${why}.`);
  };
  const keep = (path: string, place: string, version: number): FileBackup | undefined => {
    const stat = fileAt(place);
    const record = { path, version, backupTime: now().toISOString(), realParentDir: dirname(place) };
    if (stat === undefined) return { ...record, backupFileName: null };
    if (!stat.isFile()) return undefined;
    if (stat.size > most.bytes) {
      sayOnce(place, `it has more than ${Math.round(most.bytes / (1 << 20))} MB`);
      return undefined;
    }
    const copy = keepCopy(folder, place, version, stat.mode);
    looked.set(path, stat);
    return { ...record, backupFileName: copy.name, version: copy.version };
  };
  const attempt = (place: string, work: () => FileBackup | undefined): FileBackup | undefined => {
    try {
      return work();
    } catch (error) {
      sayOnce(place, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  /** The newest copy if the file is still like it, else a new one. */
  const refreshed = (known: FileBackup): FileBackup | undefined => {
    const place = placeOf(root, known);
    return attempt(place, () => {
      const stat = fileAt(place);
      if (isLike(known, place, stat)) {
        if (stat !== undefined) looked.set(known.path, stat);
        return known;
      }
      return keep(known.path, place, (known.version ?? 0) + 1);
    });
  };
  const isLike = ({ path, backupFileName }: FileBackup, place: string, stat: Stats | undefined): boolean => {
    if (stat === undefined || typeof backupFileName !== 'string') return stat === undefined && backupFileName === null;
    const before = looked.get(path);
    if (before !== undefined && isSameStat(before, stat)) return true;
    const copy = join(folder, backupFileName);
    return ((fileAt(copy)?.mode ?? 0) & 0o777) === (stat.mode & 0o777) && isSameContent(place, copy);
  };

  const beforePrompt = (messageUuid: string) => {
    const files = new Map<string, FileBackup>();
    for (const known of newest.values()) {
      const backup = refreshed(known);
      if (backup !== undefined) files.set(backup.path, backup);
    }
    line(snapshotLine(messageUuid, files, now().toISOString()));
    for (const [path, backup] of files) newest.set(path, backup);
    current = { prompt: messageUuid, files: new Set(files.keys()) };
    return current;
  };
  return {
    beforePrompt,
    backup(place, messageId) {
      const { prompt, files } = current ?? beforePrompt(messageId);
      const path = trackedPath(root, place);
      if (files.has(path)) return;
      const known = newest.get(path);
      if (known === undefined && newest.size >= most.files) {
        return sayOnce(place, `${most.files} files are kept already`);
      }
      const backup = attempt(place, () => keep(path, place, (known?.version ?? 0) + 1));
      if (backup === undefined) return;
      line(deltaLine(messageId, prompt, backup, now().toISOString()));
      newest.set(path, backup);
      files.add(path);
    },
  };
}

function isSameStat(a: Stats, b: Stats): boolean {
  return a.mtimeMs === b.mtimeMs && a.size === b.size && a.ino === b.ino && a.mode === b.mode;
}
