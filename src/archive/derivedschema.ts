/** The tables of what is made of the archive: all of them can be dropped and made again, so a new layout is simply built anew. */

export const LAYOUT = 2;

/** archive: whose index this is. next: the first piece whose words are not in it yet. */
const META = 'CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;';

/** Without content: the words' places only. What was found is read from the archive. */
const WORDS = `
CREATE TABLE entry (piece INTEGER PRIMARY KEY, uuid TEXT, kind TEXT NOT NULL, time INTEGER);
CREATE VIRTUAL TABLE words USING fts5 (body, content='', columnsize=0, detail=full, tokenize='unicode61');
`;

export const DERIVED_SCHEMA = [META, WORDS].join('\n');
