/** Archives in folders of their own, and config roots to fill them from. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ArchivedFile, allFiles, versionOf, versionsOf } from '../../src/archive/files.ts';
import { piecesOf, toPack } from '../../src/archive/pieces/packs.ts';
import { bytesOfVersion } from '../../src/archive/pieces/read.ts';
import { restore } from '../../src/archive/restore/restore.ts';
import { all, blobOf } from '../../src/archive/sqlite.ts';
import { type Archive, openArchive } from '../../src/archive/store.ts';
import { findSources, type SourceFile } from '../../src/archive/sync/sources.ts';
import type { SyncOptions, SyncReport } from '../../src/archive/sync/sync.ts';
import { sync } from '../../src/archive/sync/syncnow.ts';
import { verify } from '../../src/archive/verify.ts';
import { findRoots } from '../../src/disk/roots.ts';
import { tempFolder } from '../support/files.ts';

export const SESSION = '11111111-1111-4111-8111-111111111111';
export const FORK = '22222222-2222-4222-8222-222222222222';
export const PLACE = 'projects/-work-app';

export function archiveIn(folder: string): Archive {
  const archive = openArchive(folder, { create: true });
  if (archive === undefined) throw new Error('no archive');
  onTestFinished(() => {
    if (archive.db.isOpen) archive.close();
  });
  return archive;
}

export function newArchive(): Archive {
  return archiveIn(join(tempFolder(), 'skein'));
}

/** A config root with the files given by their paths below it. */
export function rootOf(files: Record<string, string | Uint8Array>, root = tempFolder()): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return root;
}

export function sourcesIn(...given: string[]): readonly SourceFile[] {
  return findSources(findRoots({ given, env: {}, home: '/nonexistent' }).roots).files;
}

export function syncRoot(archive: Archive, root: string, options: SyncOptions = {}): SyncReport {
  return sync(archive, sourcesIn(root), options);
}

export function fileNamed(archive: Archive, name: string): ArchivedFile {
  const file = allFiles(archive.db).find((each) => each.name === name || each.name.endsWith(`/${name}`));
  if (file === undefined) throw new Error(`${name} is not archived`);
  return file;
}

/** Every state of a file, oldest first. */
export function statesOf(archive: Archive, name: string): Buffer[] {
  return versionsOf(archive.db, fileNamed(archive, name).id).map((version) =>
    Buffer.concat([...bytesOfVersion(archive.db, version)]),
  );
}

export function currentOf(archive: Archive, name: string): Buffer {
  const version = versionOf(archive.db, fileNamed(archive, name).current ?? 0);
  return Buffer.concat([...bytesOfVersion(archive.db, version)]);
}

export function faultsOf(archive: Archive): readonly unknown[] {
  return verify(archive).faults;
}

/** Whether a text is anywhere in the archive's files or in what they hold compressed. */
export function isLeft(archive: Archive, text: string): boolean {
  const files = readdirSync(archive.folder).map((name) => readFileSync(join(archive.folder, name)));
  const packs = all(archive.db, 'SELECT id, count, raw, lengths, data FROM pack').flatMap((row) => [
    ...piecesOf(toPack(row)),
  ]);
  const tails = all(archive.db, 'SELECT tail FROM version').map((row) => blobOf(row, 'tail'));
  return [...files, ...packs.map(({ bytes }) => bytes), ...tails].some((bytes) => bytes.includes(text));
}

/** Path → bytes and mtime of every file below a folder. */
export function contentOf(folder: string): Map<string, { bytes: string; mtime: number }> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  const paths = files.map((item) => join(item.parentPath, item.name)).sort();
  return new Map(
    paths.map((path) => {
      const content = { bytes: readFileSync(path).toString('latin1'), mtime: Math.round(statSync(path).mtimeMs) };
      return [path.slice(folder.length + 1), content];
    }),
  );
}

export function restoreAll(archive: Archive, to: string, options: { force?: boolean } = {}) {
  return restore(archive, allFiles(archive.db), { to, ...options });
}

/** A line as the client writes it, with its session's id. */
export function entry(uuid: string, sessionId = SESSION, text = `text of ${uuid}`): string {
  return `${JSON.stringify({ parentUuid: null, sessionId, type: 'user', message: { role: 'user', content: text }, uuid })}\n`;
}
