/** An old session (1.0.111) that was resumed three days later: the client wrote a new file with copies (H1). */
import { copyInto } from './moves.ts';
import { PAPERTRAIL } from './project-papertrail.ts';
import { close } from './surroundings.ts';
import { prompt, reply, think } from './talk.ts';
import { bash, createTodos, glob, grep, type TodoStatus } from './tools.ts';
import { edit, multiEdit, read, type Workspace } from './workspace.ts';
import { createSession, type DemoRoot, type Writer } from './writer.ts';

const OPTIONS = {
  version: '1.0.111',
  cwd: PAPERTRAIL,
  model: 'claude-sonnet-4-20250514',
  gitBranch: 'main',
  baseTokens: 13_900,
} as const;

export function rules(root: DemoRoot, ws: Workspace): Writer {
  const first = createSession(root, { ...OPTIONS, name: 'rules', start: '2026-10-06T18:20:31.000Z' });
  caseInsensitive(first, ws);
  close(first);
  const second = createSession(root, { ...OPTIONS, name: 'rules resumed', start: '2026-10-09T07:44:02.000Z' });
  copyInto(second, first, 'Case-insensitive rules and a test-rule command');
  umlauts(second, ws);
  close(second);
  return second;
}

function caseInsensitive(w: Writer, ws: Workspace): void {
  const todos = createTodos();
  const list = (...status: [TodoStatus, TodoStatus, TodoStatus]) =>
    todos([
      ['Match senders without regard to case', 'Matching senders without regard to case', status[0]],
      ['Add the command test-rule', 'Adding the command test-rule', status[1]],
      ['Cover both with tests', 'Covering both with tests', status[2]],
    ]);
  prompt(
    w,
    'Rules match the sender only in exact case: "acme energy" does not match "ACME Energy Ltd". Make that' +
      ' case-insensitive, and add `papertrail test-rule SENDER` that says which rule would win.',
    5,
  );
  reply(
    w,
    think('Small change in rules.match, a new subcommand in cli.py, tests. Look for all users of match first.'),
    "I'll note the steps and look at who uses the matching.",
    list('in_progress', 'pending', 'pending'),
  );
  reply(
    w,
    grep(
      { pattern: 'match\\(|load_rules\\(', output_mode: 'content', '-n': true },
      {
        lines: [
          `${PAPERTRAIL}/papertrail/rules.py:11:def load_rules(lines):`,
          `${PAPERTRAIL}/papertrail/rules.py:23:def match(rules, sender):`,
          `${PAPERTRAIL}/papertrail/cli.py:13:    rules = load_rules((HOME / "rules.txt").read_text().splitlines())`,
          `${PAPERTRAIL}/papertrail/cli.py:14:    rule = match(rules, args.sender)`,
          `${PAPERTRAIL}/tests/test_rules.py:3:RULES = load_rules(["# energy", "ACME Energy -> utilities/power", "", "Harbour Library -> library"])`,
          `${PAPERTRAIL}/tests/test_rules.py:11:    assert match(RULES, "ACME Energy Ltd").folder == "utilities/power"`,
          `${PAPERTRAIL}/tests/test_rules.py:14:def test_no_match():`,
          `${PAPERTRAIL}/tests/test_rules.py:15:    assert match(RULES, "Corner Bakery") is None`,
        ],
      },
    ),
    glob('tests/**/*.py', [`${PAPERTRAIL}/tests/test_rules.py`]),
  );
  reply(w, read(ws, 'papertrail/rules.py'), read(ws, 'papertrail/cli.py'));
  reply(
    w,
    think('casefold rather than lower: it also folds ß to ss. Fold the rule too, at match time; rules are few.'),
    edit(
      ws,
      'papertrail/rules.py',
      `    for rule in rules:
        if rule.sender in sender:`,
      `    sender = sender.casefold()
    for rule in rules:
        if rule.sender.casefold() in sender:`,
      { plain: true },
    ),
  );
  reply(
    w,
    multiEdit(ws, 'papertrail/cli.py', [
      [
        'def main(argv=None):',
        `def test_rule(args, store):
    rule = match(load_rules((HOME / "rules.txt").read_text().splitlines()), args.sender)
    print(f"{rule.sender} -> {rule.folder}" if rule else "no rule: inbox")


def main(argv=None):`,
      ],
      [
        '    args = parser.parse_args(argv)',
        `    command = commands.add_parser("test-rule")
    command.add_argument("sender")
    command.set_defaults(run=test_rule)
    args = parser.parse_args(argv)`,
      ],
      ['"""papertrail add|find|stats"""', '"""papertrail add|find|stats|test-rule"""'],
    ]),
  );
  reply(
    w,
    edit(
      ws,
      'tests/test_rules.py',
      'def test_no_match():',
      `def test_case_does_not_matter():
    assert match(RULES, "acme energy ltd").folder == "utilities/power"
    assert match(RULES, "HARBOUR LIBRARY").folder == "library"


def test_no_match():`,
      { plain: true },
    ),
    bash(
      'python -m pytest -q',
      'Run the tests',
      '....                                                                     [100%]\n4 passed in 0.03s',
      {
        ms: 620,
      },
    ),
    list('completed', 'completed', 'completed'),
  );
  reply(
    w,
    'Done:\n\n- `match()` compares with `casefold()` on both sides, so `acme energy` finds `ACME Energy Ltd`.\n' +
      '- `papertrail test-rule "acme energy ltd"` prints `ACME Energy -> utilities/power`, or `no rule: inbox`.\n' +
      '- One new test; all four pass.',
  );
  prompt(w, 'And umlauts? My rule says "Wasserwerk Gruenau", the letters say "Wasserwerk Grünau".', 140);
  reply(
    w,
    'Those still differ: `casefold()` leaves `ü` alone (it only folds `ß` to `ss`). Two ways:\n\n' +
      '1. **Fold to ASCII the German way**: `ä ö ü` become `ae oe ue` on both sides. Right for your letters, wrong for' +
      ' Swedish or Turkish names.\n' +
      '2. **Strip the marks** (Unicode NFD): `ü` becomes `u`. Works for every language, but `Gruenau` and `Grünau` would' +
      ' still not meet.\n\nFor your archive I would take the first. Shall I?',
  );
}

function umlauts(w: Writer, ws: Workspace): void {
  prompt(w, "Yes, the German way. And keep 'Grünau' in a rule working too.", 9);
  reply(
    w,
    'Folding both sides the same way covers that: a rule may be written either way.',
    edit(
      ws,
      'papertrail/rules.py',
      `def match(rules, sender):
    """The first rule whose sender occurs in the document's sender."""
    sender = sender.casefold()
    for rule in rules:
        if rule.sender.casefold() in sender:`,
      `GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def fold(text):
    """Case and umlauts do not matter; casefold already makes ss of ß."""
    return text.casefold().translate(GERMAN)


def match(rules, sender):
    """The first rule whose sender occurs in the document's sender."""
    sender = fold(sender)
    for rule in rules:
        if fold(rule.sender) in sender:`,
      { plain: true },
    ),
    edit(
      ws,
      'tests/test_rules.py',
      'def test_no_match():',
      `def test_umlauts_may_be_written_either_way():
    for written in ("Wasserwerk Gruenau", "Wasserwerk Grünau"):
        rules = load_rules([f"{written} -> utilities/water"])
        assert match(rules, "WASSERWERK GRÜNAU").folder == "utilities/water"
        assert match(rules, "Wasserwerk Gruenau").folder == "utilities/water"


def test_no_match():`,
      { plain: true },
    ),
  );
  reply(
    w,
    bash(
      'python -m pytest -q',
      'Run the tests',
      '.....                                                                    [100%]\n5 passed in 0.03s',
      {
        ms: 640,
      },
    ),
  );
  reply(
    w,
    'Both spellings now meet, in the rule and in the letter. `fold()` in `papertrail/rules.py` is the one place that decides' +
      ' what counts as the same name; five tests pass.',
  );
}
