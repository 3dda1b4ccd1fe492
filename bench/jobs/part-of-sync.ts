/**
 * One thing that a first sync cannot do without, by itself, over the files: a floor to compare the whole with. The first
 * argument says which; every one reads the files, so that `lines` is to be taken off the others.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { constants, zstdCompressSync } from 'node:zlib';
import { readParsedEntriesOf } from '../../src/disk/read.ts';
import { findableOf } from '../../src/views/search/parts.ts';
import { toIndexed } from '../../src/views/search/words.ts';
import { measured } from './measured.ts';

const NEWLINE = 10;
const PACK = 1 << 20;
/** Of the digest of a whole file. */
const BLOCK = 16 << 10;

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at) + 1 || bytes.length;
    yield bytes.subarray(at, end);
    at = end;
  }
}

function* blocks(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function parsed(line: Buffer): number {
  try {
    return JSON.parse(line.toString()) === null ? 0 : 1;
  } catch {
    return 0;
  }
}

/** Gives what it made, so that nothing is left out as useless. */
const PARTS: Readonly<Record<string, (files: readonly string[]) => number>> = {
  lines: (files) => total(files, (bytes) => [...pieces(bytes)].length),
  /** What the simplest program would do with them; beside `wc -l`, which is as fast as a processor's widest registers. */
  json: (files) =>
    total(files, (bytes) => {
      let made = 0;
      for (const piece of pieces(bytes)) made += parsed(piece);
      return made;
    }),
  hashes: (files) =>
    total(files, (bytes) => {
      let made = 0;
      for (const piece of pieces(bytes)) made += hash('sha256', piece, 'buffer').length;
      for (const block of blocks(bytes, BLOCK)) made += hash('sha256', block, 'buffer').length;
      return made;
    }),
  packs: (files) => {
    const params = { [constants.ZSTD_c_compressionLevel]: 1 };
    const chunkSize = PACK + (PACK >> 6);
    return total(files, (bytes) => {
      let made = 0;
      for (const block of blocks(bytes, PACK)) made += zstdCompressSync(block, { chunkSize, params }).length;
      return made;
    });
  },
  parsing: (files) => {
    let made = 0;
    for (const file of files) for (const { json } of readParsedEntriesOf(file)) made += json === undefined ? 0 : 1;
    return made;
  },
  /** With what it takes to know the words: the parsed lines. Written a megabyte at a time, which is quicker than one by one. */
  words: (files) => {
    const db = new DatabaseSync(':memory:');
    db.exec("CREATE VIRTUAL TABLE words USING fts5 (body, content='', detail=full, tokenize='ascii')");
    db.exec("INSERT INTO words (words, rank) VALUES ('hashsize', 5242880), ('automerge', 0)");
    const insert = db.prepare('INSERT INTO words (rowid, body) VALUES (?, ?)');
    let rows = 0;
    let waiting: Buffer[] = [];
    let bytes = 0;
    const flush = () => {
      for (const text of waiting) {
        rows += 1;
        insert.run(rows, text);
      }
      waiting = [];
      bytes = 0;
    };
    db.exec('BEGIN');
    for (const file of files) {
      for (const { entry, json } of readParsedEntriesOf(file)) {
        for (const { text } of findableOf(entry, json)?.parts ?? []) {
          const indexed = Buffer.from(toIndexed(text));
          waiting.push(indexed);
          bytes += indexed.length;
        }
        if (bytes > PACK) flush();
      }
    }
    flush();
    db.exec('COMMIT');
    return rows;
  },
};

function total(files: readonly string[], work: (bytes: Buffer) => number): number {
  return files.reduce((sum, file) => sum + work(readFileSync(file)), 0);
}

measured(([part = '', ...files]) => PARTS[part]?.(files) ?? 0);
