/** papertrail: a command line tool in Python that files scanned letters. Its files as the first chat finds them. */
import { createWorkspace, type Workspace } from './workspace.ts';

export const PAPERTRAIL = '/home/ada/work/papertrail';

const RULES = `"""Which folder a document belongs to."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    sender: str
    folder: str


def load_rules(lines):
    """One rule a line: SENDER -> FOLDER. Empty lines and # are comments."""
    rules = []
    for line in lines:
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        sender, folder = line.split("->", 1)
        rules.append(Rule(sender.strip(), folder.strip()))
    return rules


def match(rules, sender):
    """The first rule whose sender occurs in the document's sender."""
    for rule in rules:
        if rule.sender in sender:
            return rule
    return None
`;

const STORE = `"""The index: one JSON file with every document."""
import json
from pathlib import Path


class Store:
    def __init__(self, path):
        self.path = Path(path)
        self.documents = json.loads(self.path.read_text()) if self.path.exists() else []

    def add(self, document):
        self.documents.append(document)
        self.path.write_text(json.dumps(self.documents, indent=1))

    def find(self, text):
        text = text.casefold()
        return [d for d in self.documents if text in d["sender"].casefold() or text in d["title"].casefold()]

    def get(self, checksum):
        return next((d for d in self.documents if d["checksum"] == checksum), None)

    def __len__(self):
        return len(self.documents)
`;

const CLI = `"""papertrail add|find|stats"""
import argparse
import hashlib
from pathlib import Path

from papertrail.rules import load_rules, match
from papertrail.store import Store

HOME = Path.home() / ".papertrail"


def add(args, store):
    rules = load_rules((HOME / "rules.txt").read_text().splitlines())
    rule = match(rules, args.sender)
    checksum = hashlib.sha256(Path(args.file).read_bytes()).hexdigest()
    folder = rule.folder if rule else "inbox"
    store.add({"checksum": checksum, "sender": args.sender, "title": args.title, "folder": folder})
    print(f"{args.file} -> {folder}")


def find(args, store):
    for document in store.find(args.text):
        print(document["folder"], document["sender"], document["title"], sep="\\t")


def stats(args, store):
    print(len(store), "documents")


def main(argv=None):
    parser = argparse.ArgumentParser(prog="papertrail")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("add")
    command.add_argument("file")
    command.add_argument("--sender", required=True)
    command.add_argument("--title", default="")
    command.set_defaults(run=add)
    command = commands.add_parser("find")
    command.add_argument("text")
    command.set_defaults(run=find)
    command = commands.add_parser("stats")
    command.set_defaults(run=stats)
    args = parser.parse_args(argv)
    args.run(args, Store(HOME / "index.json"))
`;

const TEST_RULES = `from papertrail.rules import load_rules, match

RULES = load_rules(["# energy", "ACME Energy -> utilities/power", "", "Harbour Library -> library"])


def test_comments_are_no_rules():
    assert len(RULES) == 2


def test_first_match_wins():
    assert match(RULES, "ACME Energy Ltd").folder == "utilities/power"


def test_no_match():
    assert match(RULES, "Corner Bakery") is None
`;

/** The key is the one AWS uses in its documentation. */
const CONFIG = `[scanner]
device = "brother-mfc"
resolution = 300

[backup]
bucket = "s3://papertrail-backup-example"
aws_access_key_id = "AKIAIOSFODNN7EXAMPLE"
aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
`;

const CHANGELOG = `# Changelog

## 1.3.0
- \`papertrail stats\`.
`;

export function createPapertrail(): Workspace {
  return createWorkspace(PAPERTRAIL, {
    'papertrail.toml': CONFIG,
    'CHANGELOG.md': CHANGELOG,
    'papertrail/__init__.py': '',
    'papertrail/rules.py': RULES,
    'papertrail/store.py': STORE,
    'papertrail/cli.py': CLI,
    'tests/test_rules.py': TEST_RULES,
  });
}
