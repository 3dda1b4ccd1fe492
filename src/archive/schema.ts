/** The tables of the raw part. They hold the only copy of what its sources lost: they are never changed in place by a newer Skein. */

/** Says that a SQLite file is Skein's archive ("SKEI"). */
export const APPLICATION_ID = 0x534b4549;
export const SCHEMA_VERSION = 1;

export const SCHEMA = `
-- id: of this archive, by which its files are known after a merge. next: the next piece's id; none is given twice.
-- changes: how often something was added or taken out.
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Which archive first took a file: two machines may have the same paths.
CREATE TABLE origin (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, label TEXT NOT NULL);
CREATE TABLE root (
  id INTEGER PRIMARY KEY, origin INTEGER NOT NULL REFERENCES origin, path TEXT NOT NULL, UNIQUE (origin, path)
);

-- name: the path below the root, with slashes. session: whose it is. current: the version last seen, with its mtime in ms.
CREATE TABLE file (
  id INTEGER PRIMARY KEY, root INTEGER NOT NULL REFERENCES root, name TEXT NOT NULL, kind TEXT NOT NULL,
  session TEXT, current INTEGER, mtime REAL NOT NULL, UNIQUE (root, name)
);
CREATE INDEX file_session ON file (session);

-- One state of a file; appending lengthens it, anything else makes another. The bytes are those of its runs, then the
-- tail (a torn line). chain and digest: src/archive/pieces/digest.ts.
CREATE TABLE version (
  id INTEGER PRIMARY KEY, file INTEGER NOT NULL REFERENCES file, size INTEGER NOT NULL, mtime REAL NOT NULL,
  chain BLOB NOT NULL, digest BLOB NOT NULL, tail BLOB NOT NULL
);
CREATE INDEX version_file ON version (file);

-- Pieces first … first+count-1, with one value where something was cut out (0: nothing was).
CREATE TABLE run (
  version INTEGER NOT NULL REFERENCES version, seq INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
  param INTEGER NOT NULL, PRIMARY KEY (version, seq)
) WITHOUT ROWID;
CREATE TABLE param (id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);

-- The address of every piece.
CREATE TABLE piece (hash BLOB PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
-- Pieces id … id+count-1 after another, compressed with zstd. lengths: a varint each; 0 is a piece that was forgotten.
CREATE TABLE pack (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, raw INTEGER NOT NULL, lengths BLOB NOT NULL, data BLOB NOT NULL);

-- What a person had forgotten is not taken again: session:ID or file:NAME.
CREATE TABLE tombstone (what TEXT PRIMARY KEY, at TEXT NOT NULL) WITHOUT ROWID;
`;

/**
 * Tables that came later. They only add, so that an archive made before them is opened all the same; an older Skein does
 * not see them.
 */
export const ADDITIONS: Readonly<Record<string, string>> = {
  // A version whose secrets were masked (or see cut). The source may still hold them: size, chain, digest and the length of its torn
  // end are those of the source, by which the next sync knows that it did not change.
  scrub: `(version INTEGER PRIMARY KEY REFERENCES version, at TEXT NOT NULL, size INTEGER NOT NULL, chain BLOB NOT NULL,
    digest BLOB NOT NULL, tail INTEGER NOT NULL)`,
  // Which file of the disk it was, by device and inode: one put in its place is compared as a whole.
  place: '(file INTEGER PRIMARY KEY REFERENCES file, identity TEXT NOT NULL)',
  // Files that came with another archive: their paths are not to be trusted as places of this machine.
  imported: '(file INTEGER PRIMARY KEY REFERENCES file)',
  // What the source looked like when it was last read, where that is not the current version's: src/archive/sync/seen.ts.
  seen: '(file INTEGER PRIMARY KEY REFERENCES file, size INTEGER NOT NULL, chain BLOB NOT NULL, digest BLOB NOT NULL)',
  // Lines that were masked, by the address they had, and the piece that stands for them: src/archive/scrub/masked.ts.
  masked: '(hash BLOB PRIMARY KEY, piece INTEGER NOT NULL, alone INTEGER NOT NULL, at TEXT NOT NULL) WITHOUT ROWID',
  // Of the versions in scrub those in which no secret was masked: lines that were forgotten are left out.
  cut: '(version INTEGER PRIMARY KEY REFERENCES version)',
  // When a forgotten session was going on (ms), and in which project's folder: src/archive/forget/forgottenspans.ts.
  span: '(what TEXT PRIMARY KEY, slug TEXT NOT NULL, first REAL NOT NULL, last REAL NOT NULL) WITHOUT ROWID',
};

/** By these searches find who holds a piece, and which versions end in a torn line. Without them, in an archive that may only be read, every row is looked at. */
export const INDEXES: Readonly<Record<string, string>> = {
  run_first: 'run (first, count)',
  run_count: 'run (count)',
  version_tail: 'version (file) WHERE length(tail) > 0',
};
