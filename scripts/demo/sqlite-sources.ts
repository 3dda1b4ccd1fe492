/** What the chat about SQLite writes into papertrail, and the long log that its migration prints. */
import { createIds } from './ids.ts';

export const DB = `"""The index in SQLite, and the way there from JSON."""
import json
import sqlite3
from pathlib import Path

SCHEMA = """
create table if not exists documents (
  checksum text primary key,
  sender text not null,
  title text not null,
  folder text not null
);
create index if not exists documents_sender on documents (sender);
"""


def connect(path):
    return sqlite3.connect(path)


def migrate(json_path, database, log=print):
    """Copies every document; gives how many were new and how many were there already."""
    documents = json.loads(Path(json_path).read_text())
    new = 0
    for number, d in enumerate(documents, 1):
        row = (d["checksum"], d["sender"], d["title"], d["folder"])
        added = database.execute("insert or ignore into documents values (?, ?, ?, ?)", row).rowcount
        new += added
        log(f"[{number:04}] {'new' if added else 'dup'} {d['checksum'][:10]} {d['folder']:<15} {d['sender']}: {d['title']}")
    database.commit()
    return new, len(documents) - new
`;

export const TEST_DB = `import json

from papertrail.db import connect, migrate

DOCUMENTS = [
    {"checksum": "a1", "sender": "ACME Energy", "title": "Bill 1", "folder": "utilities/power"},
    {"checksum": "b2", "sender": "Harbour Library", "title": "Reminder", "folder": "library"},
    {"checksum": "a1", "sender": "ACME Energy", "title": "Bill 1", "folder": "taxes/2025"},
]


def test_migrate_copies_each_document_once(tmp_path):
    index = tmp_path / "index.json"
    index.write_text(json.dumps(DOCUMENTS))
    database = connect(":memory:")
    assert migrate(index, database, log=lambda line: None) == (2, 1)
    assert database.execute("select count(*) from documents").fetchone() == (2,)


def test_migrate_twice_changes_nothing(tmp_path):
    index = tmp_path / "index.json"
    index.write_text(json.dumps(DOCUMENTS))
    database = connect(":memory:")
    migrate(index, database, log=lambda line: None)
    assert migrate(index, database, log=lambda line: None) == (0, 3)
`;

export const STORE = `"""The index: documents and the folders they lie in."""
from papertrail.db import connect

FIND = """
select d.sender, d.title, group_concat(f.folder, ', ')
from documents d join folders f using (checksum)
where d.sender like ? or d.title like ?
group by d.checksum order by d.rowid
"""


class Store:
    def __init__(self, path):
        self.database = connect(path)

    def add(self, checksum, sender, title, folder):
        with self.database as database:
            database.execute("insert or ignore into documents values (?, ?, ?)", (checksum, sender, title))
            database.execute("insert or ignore into folders values (?, ?)", (checksum, folder))

    def find(self, text):
        return self.database.execute(FIND, (f"%{text}%", f"%{text}%")).fetchall()

    def __len__(self):
        return self.database.execute("select count(*) from documents").fetchone()[0]
`;

export const SUMMARY = `1. Goal: the index of papertrail moves from one JSON file (14 MB, read whole by every command) to SQLite.
2. Done before this point:
   - Plan agreed: schema and migration, run on a copy, switch the commands over, release note.
   - papertrail/db.py with connect() and migrate(); tests/test_db.py with two tests, both pass.
   - Migration run on a copy of the real index: 431 documents, 424 new, 7 with a checksum that was there already.
   - The seven are letters filed in two folders (taxes/2025 besides their own). The user decided: keep one document and remember both folders.
   - papertrail/db.py now has the tables documents(checksum, sender, title) and folders(checksum, folder).
   - papertrail/store.py was rewritten on top of it: add(), find(), __len__().
3. Still to do:
   - papertrail/cli.py: call store.add() with four arguments, print what find() gives, open index.db.
   - Run the tests, then measure, then the release note.
4. Note for later: papertrail.toml holds an AWS key in plain text; the user knows and wants it moved to the environment afterwards.`;

const SENDERS = [
  ['ACME Energy', 'utilities/power', 'Bill'],
  ['Wasserwerk Grünau', 'utilities/water', 'Rechnung'],
  ['Harbour Library', 'library', 'Reminder'],
  ['Northwind Insurance', 'insurance', 'Policy'],
  ['Dr. Lindqvist', 'health', 'Invoice'],
  ['City of Seaview', 'city', 'Notice'],
] as const;

const DUPLICATES = [61, 118, 119, 207, 288, 342, 405];

/** The migration's log: one line for each of 431 documents, seven of them there already. */
export function migrationLog(): string {
  const ids = createIds('skein demo/migration');
  const lines = Array.from({ length: 431 }, (_, index) => {
    const [sender, folder, title] = SENDERS[ids.between(0, SENDERS.length - 1)] ?? SENDERS[0];
    const dup = DUPLICATES.includes(index + 1);
    const number = String(index + 1).padStart(4, '0');
    const year = 2019 + Math.floor(index / 62);
    const where = (dup ? 'taxes/2025' : folder).padEnd(15);
    return `[${number}] ${dup ? 'dup' : 'new'} ${ids.hex(10)} ${where} ${sender}: ${title} ${year}-${ids.between(100, 999)}`;
  });
  return [...lines, '424 new, 7 duplicates'].join('\n');
}
