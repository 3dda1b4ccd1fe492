/** What a search by index holds is let go before any file is read from its beginning to its end. */
import { appendFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import v8 from 'node:v8';
import { afterEach, expect, test, vi } from 'vitest';
import { holdCompilers, holdForLarge } from '../../../src/archive/compilers.ts';
import { searchIndex } from '../../../src/archive/search/search.ts';
import { tempFolder } from '../../support/files.ts';
import { entry, PLACE, SESSION } from '../helpers.ts';
import { onDisk, requestOf, searchable } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;

afterEach(() => vi.restoreAllMocks());

test('nothing is told of a scan where the index knows all, and once where a file changed', () => {
  const { archive, root } = searchable({ [NAME]: entry('a') });
  const onScan = vi.fn();
  searchIndex(archive, { ...onDisk(root), onScan }, requestOf('text'));
  expect(onScan).not.toHaveBeenCalled();
  appendFileSync(join(root, NAME), entry('b'));
  searchIndex(archive, { ...onDisk(root), onScan }, requestOf('text'));
  expect(onScan).toHaveBeenCalledOnce();
});

test('every compiler that is held is let go once, whoever lets go', () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => {});
  const release = holdCompilers();
  const held = set.mock.calls.map(([flag]) => flag);
  release();
  release();
  expect(held).toEqual(['--no-sparkplug', '--no-maglev', '--no-turbofan']);
  expect(set.mock.calls.slice(3).map(([flag]) => flag)).toEqual(['--sparkplug', '--maglev', '--turbofan']);
});

test('for a small archive, or none, nothing is held', () => {
  const set = vi.spyOn(v8, 'setFlagsFromString').mockImplementation(() => {});
  const archive = join(tempFolder(), 'archive.db');
  holdForLarge(archive)();
  writeFileSync(archive, '');
  holdForLarge(archive)();
  expect(set).not.toHaveBeenCalled();
  truncateSync(archive, 200e6);
  holdForLarge(archive)();
  expect(set).toHaveBeenCalledTimes(6);
});
