/** Bringing files back from their copies. */
import { readFileSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyFile } from '../../disk/copy.ts';
import { toDiskError } from '../../disk/errors.ts';
import type { FileBackup } from '../../format/typed.ts';
import { withPlainEnds } from '../tools/files/encoding.ts';
import { makeFolder } from '../tools/files/save.ts';
import { copiesFolder, fileAt, isSameContent, placeOf } from './copies.ts';
import type { Expected } from './expected.ts';
import { filesBefore, type History } from './plan.ts';

export interface Step {
  readonly path: string;
  /** `lost`: its copy is gone, or was never made. */
  readonly change: 'restore' | 'remove' | 'none' | 'lost';
  /** The file to copy from; undefined when it was not there. */
  readonly copy?: string;
}

export interface Where {
  readonly config: string;
  readonly sessionId: string;
  /** Where the session began. */
  readonly root: string;
}

/** undefined: there is no snapshot for this prompt. */
export function stepsTo(history: History, messageId: string, where: Where): Step[] | undefined {
  const files = filesBefore(history, messageId);
  if (files === undefined) return undefined;
  const folder = copiesFolder(where.config, where.sessionId);
  return [...files.values()].map((backup) => stepFor(backup, placeOf(where.root, backup), folder));
}

function stepFor({ backupFileName }: FileBackup, path: string, folder: string): Step {
  const now = fileAt(path);
  if (now !== undefined && !now.isFile()) return { path, change: 'lost' };
  if (backupFileName === null) return { path, change: now === undefined ? 'none' : 'remove' };
  const copy = backupFileName === undefined || /[/\\]/.test(backupFileName) ? undefined : join(folder, backupFileName);
  const kept = copy === undefined ? undefined : fileAt(copy);
  if (copy === undefined || !kept?.isFile()) return { path, change: 'lost' };
  const isSame = now !== undefined && isSameContent(path, copy) && (now.mode & 0o777) === (kept.mode & 0o777);
  return { path, change: isSame ? 'none' : 'restore', copy };
}

/** Throws DiskError. */
export function takeStep({ path, change, copy }: Step): void {
  try {
    if (change === 'remove') unlinkSync(path);
    if (change !== 'restore' || copy === undefined) return;
    makeFolder(dirname(path));
    copyFile(copy, path, { mode: (fileAt(copy)?.mode ?? 0o600) & 0o777, replace: true });
  } catch (error) {
    throw toDiskError(error, change === 'remove' ? 'cannot remove' : 'cannot bring back', path);
  }
}

/** Whether a file holds something that neither the session wrote nor any of its copies has: it would be lost. */
export function isForeign(path: string, expected: Expected | undefined, history: History, where: Where): boolean {
  const now = fileAt(path);
  if (now === undefined || expected?.kind === 'unknown') return false;
  if (expected?.kind === 'text' && isText(path, expected.text)) return false;
  const folder = copiesFolder(where.config, where.sessionId);
  return ![...copiesOf(history, path, where)].some((name) => isSameContent(path, join(folder, name)));
}

function copiesOf({ snapshots }: History, path: string, { root }: Where): Set<string> {
  const names = new Set<string>();
  for (const { files } of snapshots.values()) {
    for (const backup of files.values()) {
      if (typeof backup.backupFileName === 'string' && placeOf(root, backup) === path) names.add(backup.backupFileName);
    }
  }
  return names;
}

/** Results tell texts with plain line ends, some without the byte-order mark. */
function isText(path: string, text: string): boolean {
  const bytes = readFileSync(path);
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return (
    withPlainEnds(new TextDecoder(encoding).decode(bytes)) === withPlainEnds(text.replace(/^\ufeff/, '').toWellFormed())
  );
}
