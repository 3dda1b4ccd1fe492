/** Each search is asked twice, of the index and of the files; both must find the same. */
import { expect } from 'vitest';
import { updateIndex } from '../../../src/archive/index/textindex.ts';
import type { Hit } from '../../../src/archive/search/hit.ts';
import { type SearchRequest, type SearchResult, searchFiles, searchIndex } from '../../../src/archive/search/search.ts';
import type { Archive } from '../../../src/archive/store.ts';
import { findSessions } from '../../../src/disk/find.ts';
import { findRoots } from '../../../src/disk/roots.ts';
import { parseQuery } from '../../../src/views/search/query.ts';
import { newArchive, rootOf, syncRoot } from '../helpers.ts';

export const NOW = new Date('2026-03-01T12:00:00Z');

export function requestOf(text: string, more: Partial<SearchRequest> = {}): SearchRequest {
  const query = parseQuery(text, { now: NOW });
  return { query, sort: 'rank', offset: 0, limit: 100_000, now: NOW, ...more };
}

export function onDisk(root: string) {
  const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
  return { roots, files: findSessions(roots).files };
}

export function inFiles(root: string, text: string, more: Partial<SearchRequest> = {}): SearchResult {
  return searchFiles(onDisk(root).files, requestOf(text, more));
}

export function inIndex(archive: Archive, root: string, text: string, more: Partial<SearchRequest> = {}): SearchResult {
  const found = searchIndex(archive, onDisk(root), requestOf(text, more));
  if (found === undefined) throw new Error('the index was not used');
  return found;
}

const nameOf = ({ uuid, where }: Hit) => `${uuid} ${where}`;

export interface Searchable {
  readonly archive: Archive;
  readonly root: string;
  find(text: string, more?: Partial<SearchRequest>): SearchResult;
}

/** Files in a root and in an archive with its index. */
export function searchable(files: Record<string, string | Uint8Array>): Searchable {
  return searchableRoot(rootOf(files));
}

export function searchableRoot(root: string): Searchable {
  const archive = newArchive();
  syncRoot(archive, root);
  updateIndex(archive);
  return {
    archive,
    root,
    find(text, more) {
      const indexed = inIndex(archive, root, text, more);
      const scanned = inFiles(root, text, more);
      expect(indexed.scanned).toBe(0);
      expect(indexed.total).toBe(scanned.total);
      expect(indexed.hits.map(nameOf).sort()).toEqual(scanned.hits.map(nameOf).sort());
      return indexed;
    },
  };
}
