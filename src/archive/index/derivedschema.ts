/** The tables of what is made of the archive: all of them can be dropped and made again, so a new layout is simply built anew. */

export const LAYOUT = 15;

/**
 * archive: whose index this is. next: the first piece whose words are not in it yet. done: the archive's count of changes when all was
 * made. last, lastAddress: a piece that the archive had then (indexend.ts). walked: its count of changes at the last walk.
 */
const META = 'CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;';

/**
 * A row for each part of an entry that can be found. key: of the entry, the same for all its copies. place: which part. said: where
 * in the entry, as in WHERES; role: as in ROLES. copy: it repeats an entry. model, branch, tool, file: labels. call: by
 * id and where it stands, since ids that were made by hand are those of other sessions too. early:
 * results whose call was not seen yet. start: the byte at which its line begins in the file it was first taken from, as far as is known:
 * whoever reads there looks whether it is that line. queued: the parts of prompts that stand only in the queue of their transcript, as far as that is known (search/queuedparts.ts). chat: of each session. The words are without content: what was found is read from the archive. They are merged 64 parts at a time: a search
 * in so many takes no longer, and each merge writes all of them again. 64 MB of transcripts make two parts of 5 MB; to gather 8 would be as many, and slower.
 */
const WORDS = `
CREATE TABLE label (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE call (id TEXT NOT NULL, piece INTEGER NOT NULL, tool INTEGER, file INTEGER, PRIMARY KEY (id, piece)) WITHOUT ROWID;
CREATE TABLE early (call TEXT NOT NULL, part INTEGER NOT NULL, PRIMARY KEY (call, part)) WITHOUT ROWID;
CREATE TABLE part (
  id INTEGER PRIMARY KEY, piece INTEGER NOT NULL, place INTEGER NOT NULL, key BLOB NOT NULL, said INTEGER NOT NULL,
  role INTEGER NOT NULL, copy INTEGER NOT NULL, error INTEGER NOT NULL, time INTEGER, model INTEGER, branch INTEGER,
  tool INTEGER, file INTEGER, start INTEGER
);
CREATE TABLE queued (part INTEGER PRIMARY KEY, file INTEGER NOT NULL, taken INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX queued_file ON queued (file);
CREATE TABLE chat (session TEXT PRIMARY KEY, chat TEXT NOT NULL, title TEXT) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (body, content='', detail=full, tokenize='ascii');
INSERT INTO words (words, rank) VALUES ('hashsize', 5242880), ('automerge', 0), ('crisismerge', 64);
`;

/** Of sessions as they were last seen, by the digest of their bytes: zstd of JSON. file, size: which one, and how large it was. */
const OUTLINES = `
CREATE TABLE outline (digest BLOB PRIMARY KEY, file INTEGER NOT NULL, size INTEGER NOT NULL, updated TEXT, body BLOB NOT NULL);
CREATE INDEX outline_file ON outline (file);
`;

/**
 * usage: the messages of transcripts as they were last seen, by the digest of their bytes: zstd of JSON. usage_cells: all of
 * them added up: for which price table, the archive's count of changes then, and of how many files; days: by day alone, where
 * that can be told (views/usage/daycells.ts). It stands before the body, which is ten times as long.
 */
const USAGE = `
CREATE TABLE usage (digest BLOB PRIMARY KEY, file INTEGER NOT NULL, size INTEGER NOT NULL, body BLOB NOT NULL);
CREATE INDEX usage_file ON usage (file);
CREATE TABLE usage_cells (prices TEXT NOT NULL, changes INTEGER NOT NULL, files INTEGER NOT NULL, days TEXT, body TEXT NOT NULL);
`;

/** The last walk over each root: search/lastwalk.ts. states: three numbers for each transcript. */
const WALK = `
CREATE TABLE walk (root INTEGER PRIMARY KEY, whole INTEGER NOT NULL, folders TEXT NOT NULL, names TEXT NOT NULL,
  states BLOB NOT NULL, besides TEXT NOT NULL);
`;

export const DERIVED_SCHEMA = [META, WALK, WORDS, OUTLINES, USAGE].join('\n');
