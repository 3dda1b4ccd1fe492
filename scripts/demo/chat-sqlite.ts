/** A long chat: a large output kept beside the transcript, and a compaction in the middle of a turn (C1, L4). */
import { compact } from './moves.ts';
import { PAPERTRAIL } from './project-papertrail.ts';
import { DB, migrationLog, STORE, SUMMARY, TEST_DB } from './sqlite-sources.ts';
import { close } from './surroundings.ts';
import { prompt, reply, think } from './talk.ts';
import { bash, glob, grep, largeBash } from './tools.ts';
import { edit, read, type Workspace, write } from './workspace.ts';
import { createSession, type DemoRoot, type Writer } from './writer.ts';

const CONNECTED = `    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    return database
`;

const DB_ONE_FOLDER = DB.slice(DB.indexOf('  title text'), DB.indexOf('        new += added')).replace(
  '    return sqlite3.connect(path)\n',
  CONNECTED,
);

const DB_MANY_FOLDERS = DB_ONE_FOLDER.replace(
  `  title text not null,
  folder text not null
);
create index if not exists documents_sender on documents (sender);
`,
  `  title text not null
);
create table if not exists folders (
  checksum text not null references documents,
  folder text not null,
  primary key (checksum, folder)
);
`,
).replace(
  `        row = (d["checksum"], d["sender"], d["title"], d["folder"])
        added = database.execute("insert or ignore into documents values (?, ?, ?, ?)", row).rowcount
`,
  `        row = (d["checksum"], d["sender"], d["title"])
        added = database.execute("insert or ignore into documents values (?, ?, ?)", row).rowcount
        database.execute("insert or ignore into folders values (?, ?)", (d["checksum"], d["folder"]))
`,
);

const CLI_BEFORE = `    store.add({"checksum": checksum, "sender": args.sender, "title": args.title, "folder": folder})
    print(f"{args.file} -> {folder}")


def find(args, store):
    for document in store.find(args.text):
        print(document["folder"], document["sender"], document["title"], sep="\\t")`;

const CLI_AFTER = `    store.add(checksum, args.sender, args.title, folder)
    print(f"{args.file} -> {folder}")


def find(args, store):
    for sender, title, folders in store.find(args.text):
        print(folders, sender, title, sep="\\t")`;

export function sqlite(root: DemoRoot, ws: Workspace): Writer {
  const w = createSession(root, {
    name: 'sqlite',
    version: '2.1.80',
    cwd: PAPERTRAIL,
    model: 'claude-sonnet-4-5-20250929',
    start: '2026-10-27T08:05:19.000Z',
    gitBranch: 'sqlite',
    permissionMode: 'acceptEdits',
    slug: 'patient-filing-otter',
    baseTokens: 21_300,
    weight: 71,
  });
  plan(w, ws);
  schema(w, ws);
  migration(w);
  switchOver(w, ws);
  measure(w, ws);
  close(w);
  return w;
}

const PYTHON_FILES = ['papertrail/__init__.py', 'papertrail/cli.py', 'papertrail/rules.py', 'papertrail/store.py'];

function plan(w: Writer, ws: Workspace): void {
  prompt(
    w,
    'Every command reads the whole index, 14 MB of JSON by now. I want SQLite. Look around and propose a plan, no changes yet.',
    8,
  );
  reply(
    w,
    think('Who touches the index? Find all Python files, the users of Store, and the configuration for its place.'),
    "I'll see who touches the index and where it lies.",
    glob(
      '**/*.py',
      [...PYTHON_FILES, 'tests/test_rules.py'].map((path) => `${PAPERTRAIL}/${path}`),
    ),
    grep(
      { pattern: 'Store\\(|store\\.|index\\.json', output_mode: 'content' },
      {
        lines: [
          'papertrail/cli.py:7:from papertrail.store import Store',
          'papertrail/cli.py:17:    store.add({"checksum": checksum, "sender": args.sender, "title": args.title, "folder": folder})',
          'papertrail/cli.py:22:    for document in store.find(args.text):',
          'papertrail/cli.py:52:    args.run(args, Store(HOME / "index.json"))',
        ],
      },
    ),
    read(ws, 'papertrail.toml'),
    read(ws, 'papertrail/store.py'),
  );
  reply(
    w,
    'The index is well hidden behind `Store`: three calls in `cli.py`, nothing else. So:\n\n' +
      '1. **Schema and migration** in a new `papertrail/db.py`: a table of documents, keyed by checksum.\n' +
      '2. **Try it on a copy** of your index and look at what it finds. JSON never checked for duplicates; a key will.\n' +
      '3. **Switch over**: `Store` keeps its methods and asks SQLite. `cli.py` hardly changes.\n' +
      '4. **Measure**, then a release note.\n\n' +
      'Old `index.json` stays where it is until you delete it.\n\n' +
      '> Not part of this, but you should know: `papertrail.toml` holds an AWS key in plain text. It belongs into the' +
      ' environment.',
  );
}

function schema(w: Writer, ws: Workspace): void {
  prompt(w, 'Good. Start with 1, tests first. The key I will move later, thanks.', 260);
  reply(w, 'Tests first.', write(ws, 'tests/test_db.py', TEST_DB), write(ws, 'papertrail/db.py', DB));
  reply(
    w,
    bash(
      'python -m pytest -q tests/test_db.py',
      'Run the new tests',
      `FF                                                                       [100%]
=================================== FAILURES ===================================
E       sqlite3.OperationalError: no such table: documents
papertrail/db.py:27: OperationalError
=========================== short test summary info ============================
FAILED tests/test_db.py::test_migrate_copies_each_document_once
FAILED tests/test_db.py::test_migrate_twice_changes_nothing
2 failed in 0.08s`,
      { exit: 1, ms: 710 },
    ),
  );
  reply(
    w,
    'I wrote the schema but nobody runs it.',
    edit(ws, 'papertrail/db.py', '    return sqlite3.connect(path)\n', CONNECTED),
    bash(
      'python -m pytest -q',
      'Run all tests',
      '.......                                                                  [100%]\n7 passed in 0.09s',
      { ms: 730 },
    ),
  );
  reply(
    w,
    '`papertrail/db.py` has the schema and `migrate()`; running it twice changes nothing. Seven tests pass. The same' +
      ' checksum in two folders counts as a duplicate for now: let us see whether your index has any.',
  );
}

function migration(w: Writer): void {
  prompt(w, 'Run it on a copy of my real index and show me what it does.', 95);
  reply(
    w,
    largeBash(
      "cp ~/.papertrail/index.json /tmp/index.json && python -c \"from papertrail.db import *; print('%d new, %d duplicates' % migrate('/tmp/index.json', connect('/tmp/index.db')))\"",
      'Migrate a copy of the index',
      migrationLog(),
      1_450,
    ),
  );
  reply(
    w,
    'The output is long; the end and the duplicates are what matters.',
    bash(
      "sqlite3 /tmp/index.db 'select count(*) from documents' && ls -la /tmp/index.json /tmp/index.db | awk '{print $5, $9}'",
      'Count and compare sizes',
      '424\n14680064 /tmp/index.json\n90112 /tmp/index.db',
      { ms: 90 },
    ),
  );
  reply(
    w,
    think('14 MB to 88 KB? The JSON holds the recognised text of each page too, under a key that Store never reads.'),
    '**424 documents moved, 7 were there already.**\n\nOne surprise: 14 MB became 88 KB. The JSON also holds the recognised' +
      ' text of every page (`"text"`), which no command ever reads. I left it out. If you want to search in it one day, a' +
      ' full-text table would be the place.',
  );
  prompt(w, 'Fine. What are the seven?', 70);
  reply(
    w,
    bash(
      `python - <<'EOF'
import json, collections
by = collections.defaultdict(list)
for d in json.load(open('/tmp/index.json')): by[d['checksum']].append(d)
for same in by.values():
    if len(same) > 1: print(same[0]['sender'], '|', same[0]['title'], '|', ' + '.join(d['folder'] for d in same))
EOF`,
      'List documents with the same checksum',
      `Northwind Insurance | Policy 2019-377 | insurance + taxes/2025
Dr. Lindqvist | Invoice 2020-518 | health + taxes/2025
Dr. Lindqvist | Invoice 2020-519 | health + taxes/2025
ACME Energy | Bill 2022-204 | utilities/power + taxes/2025
Northwind Insurance | Policy 2023-661 | insurance + taxes/2025
Wasserwerk Grünau | Rechnung 2024-130 | utilities/water + taxes/2025
Dr. Lindqvist | Invoice 2025-742 | health + taxes/2025`,
      { ms: 420 },
    ),
  );
  reply(
    w,
    'Not mistakes: seven letters that you filed **twice on purpose**, once in their own folder and once in `taxes/2025`. With' +
      ' one folder for each document the second place would be lost. Either the key becomes (checksum, folder), or a' +
      ' document may lie in several folders. I would do the second.',
  );
}

function switchOver(w: Writer, ws: Workspace): void {
  prompt(w, 'Several folders, yes. Do that and switch the commands over.', 330);
  reply(
    w,
    'First the schema: folders get a table of their own.',
    edit(ws, 'papertrail/db.py', DB_ONE_FOLDER, DB_MANY_FOLDERS),
  );
  reply(w, 'Now `Store`, on top of it.', write(ws, 'papertrail/store.py', STORE));
  compact(w, SUMMARY);
  reply(w, 'Two places are left in `cli.py`.', read(ws, 'papertrail/cli.py', { offset: 11, limit: 16 }));
  reply(
    w,
    edit(ws, 'papertrail/cli.py', CLI_BEFORE, CLI_AFTER),
    edit(ws, 'papertrail/cli.py', 'Store(HOME / "index.json")', 'Store(HOME / "index.db")'),
    bash(
      'python -m pytest -q && HOME=/tmp/try python -m papertrail find lindqvist | head -3',
      'Run the tests and try a search',
      `.......                                                                  [100%]
7 passed in 0.09s
health, taxes/2025\tDr. Lindqvist\tInvoice 2020-518
health, taxes/2025\tDr. Lindqvist\tInvoice 2020-519
health\tDr. Lindqvist\tInvoice 2020-544`,
      { ms: 980 },
    ),
  );
  reply(
    w,
    'All commands now use SQLite. A letter may lie in several folders and is shown once, with all of them. The tests pass, and' +
      ' the first search already shows two of the seven.',
  );
}

function measure(w: Writer, ws: Workspace): void {
  prompt(w, 'How much faster is it?', 83_400);
  reply(
    w,
    bash(
      "for v in main sqlite; do git switch -q $v; hyperfine -N --warmup 2 --export-json /tmp/$v.json 'python -m papertrail find acme' >/dev/null; jq -r '.results[0] | \"\\(.mean*1000|round) ms  ± \\(.stddev*1000|round)\"' /tmp/$v.json; done",
      'Time a search on both branches',
      '412 ms  ± 9\n47 ms  ± 2',
      { ms: 14_200 },
    ),
  );
  reply(
    w,
    '| | JSON | SQLite |\n|---|---:|---:|\n| `find acme` | 412 ms | **47 ms** |\n| index on disk | 14 MB | **88 KB** |\n\n' +
      'Of the 47 ms about 40 are Python starting up.',
  );
  prompt(w, 'Very good. A line for the changelog, then we are done.', 40);
  reply(
    w,
    edit(
      ws,
      'CHANGELOG.md',
      '# Changelog\n',
      `# Changelog

## 1.4.0
- The index is SQLite: a search takes 47 ms instead of 412.
- A document may lie in several folders.
`,
    ),
  );
  reply(
    w,
    'Added under 1.4.0. Old and new index can lie side by side; delete `index.json` when you trust the new one.',
  );
}
