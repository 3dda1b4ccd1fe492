/** `skein check`: every departure from the rules, and what the files hold. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findBelow } from '../../disk/below.ts';
import { DiskError, type Problem } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { readLinesOf } from '../../disk/read.ts';
import { checkLines } from '../../format/check.ts';
import type { Entry } from '../../format/entry.ts';
import type { Inventory } from '../../format/inventory.ts';
import type { Issue, Severity } from '../../format/issue.ts';
import { checkGraph } from '../../graph/check.ts';
import { type Arguments, type Command, READING_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { type Column, table } from '../layout.ts';
import { openLibrary } from '../library.ts';
import { progressOf } from '../progress.ts';
import { nothing, select } from '../select.ts';

export const check: Command = {
  name: 'check',
  usage: '[SEL|DIR] [--severity LEVEL] [--inventory]',
  summary: 'what departs from the rules of the format, and an inventory',
  details: [
    'Reads a session, or every session below a folder, and names each departure from the rules in docs/format.md with its rule, line and severity: error (something would be lost or refused), warning (odd, handled), info. Without an argument it checks all sessions. Nothing is changed.',
    'Exit code 1 only when there are errors.',
  ],
  options: {
    severity: {
      type: 'string',
      value: 'LEVEL',
      choices: ['error', 'warning', 'info'],
      help: 'Show this severity and worse (default warning; --json has all)',
    },
    inventory: {
      type: 'boolean',
      help: 'Also print what each file holds: types, versions, stop reasons, blocks, calls, turns',
    },
    ...READING_OPTIONS,
  },
  examples: [
    ['skein check @last', 'the newest session'],
    ['skein check ~/.claude/projects --inventory', 'all of them, with the table of contents'],
    ['skein check broken.jsonl --severity info', 'everything there is to say about one file'],
  ],
  completes: 'selector',
  run,
};

interface Checked {
  readonly file: SessionFile;
  readonly issues: readonly Issue[];
  readonly inventory?: Inventory;
}

function run(context: Context, args: Arguments): number {
  const { files, problems } = filesOf(context, args);
  const progress = progressOf(context, 'checking', files);
  const checked: Checked[] = [];
  for (const file of files) {
    if (context.signal.aborted) break;
    checked.push(checkFile(file));
    progress.done(file);
  }
  progress.clear();
  if (args.flag('json')) writeJson(context, checked, problems);
  else writeText(context, args, checked, problems);
  return checked.some(({ issues }) => issues.some(({ severity }) => severity === 'error')) ? 1 : 0;
}

/** A folder means everything below it; anything else is a selector. */
function filesOf(context: Context, args: Arguments): { files: readonly SessionFile[]; problems: readonly Problem[] } {
  const [selector] = args.positionals;
  if (selector === undefined) return openLibrary(context, args);
  const path = resolve(context.cwd, selector);
  if (existsSync(path) && statSync(path).isDirectory()) {
    const found = findBelow(path);
    if (found.files.length === 0)
      throw new CommandError('There is no .jsonl file in this folder.', path, 'Name a folder with transcripts.');
    return found;
  }
  const { files } = select(context, args, selector);
  if (files.length === 0) throw nothing(selector);
  return { files, problems: [] };
}

function checkFile(file: SessionFile): Checked {
  try {
    const entries: Entry[] = [];
    const { issues, inventory } = readLinesOf(file.file, {}, (source, lines) =>
      checkLines(source, lines, (entry) => entries.push(entry)),
    );
    const all = [...fileIssues(file), ...issues, ...checkGraph(entries)];
    return { file, issues: all.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)), inventory };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return { file, issues: [{ rule: 'L5', severity: 'error', what: error.what, fix: error.next }] };
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function fileIssues(file: SessionFile): Issue[] {
  const issues: Issue[] = [];
  if (file.bytes === 0) issues.push({ rule: 'L6', severity: 'info', what: 'empty file' });
  if (file.kind === 'session' && !UUID.test(file.sessionId)) {
    issues.push({
      rule: 'W3',
      severity: 'info',
      what: 'the name is not a uuid: the client does not offer it for resuming',
    });
  }
  return issues;
}

function writeJson(context: Context, checked: readonly Checked[], problems: readonly Problem[]): void {
  const issues = checked.flatMap(({ file, issues: found }) =>
    found.map(({ rule, severity, line, uuid, what, fix }) => ({
      rule,
      severity,
      file: file.file,
      line,
      uuid,
      what,
      fix,
    })),
  );
  const inventory = checked.flatMap(({ file, inventory: held }) => (held ? [{ file: file.file, ...held }] : []));
  context.out.write(`${JSON.stringify({ issues: [...problems.map(problemIssue), ...issues], inventory }, null, 2)}\n`);
}

function problemIssue({ what, where, next }: Problem) {
  return { rule: 'L1', severity: 'warning', file: where, what, fix: next };
}

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

function writeText(context: Context, args: Arguments, checked: readonly Checked[], problems: readonly Problem[]): void {
  const { out } = context;
  const wanted = args.value('severity');
  const limit = wanted === 'error' || wanted === 'info' ? RANK[wanted] : RANK.warning;
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  for (const { what, where, next } of problems)
    out.write(`${out.style.warn('warning')} ${where}\n  ${what}. ${next}\n`);
  for (const { file, issues } of checked) {
    for (const { severity } of issues) counts[severity] += 1;
    const shown = group(issues.filter(({ severity }) => RANK[severity] <= limit));
    if (shown.length === 0) continue;
    out.write(`${out.style.bold(file.file)}\n`);
    for (const { issue, lines } of shown) out.write(`  ${issueLine(context, issue, lines)}\n`);
  }
  if (args.flag('inventory')) writeInventory(context, checked);
  const hidden = limit < RANK.info && counts.info > 0 ? out.style.dim('   (see them: --severity info)') : '';
  out.write(
    `${checked.length} ${checked.length === 1 ? 'file' : 'files'}: ${counts.error} errors, ${counts.warning} warnings, ${counts.info} notes${hidden}\n`,
  );
}

interface Group {
  readonly issue: Issue;
  readonly lines: number[];
}

/** The same thing said of many lines is said once, with the lines. */
function group(issues: readonly Issue[]): Group[] {
  const groups = new Map<string, Group>();
  for (const issue of issues) {
    const key = `${issue.rule} ${issue.what}`;
    const known = groups.get(key) ?? { issue, lines: [] };
    if (issue.line !== undefined) known.lines.push(issue.line);
    groups.set(key, known);
  }
  return [...groups.values()].toSorted((a, b) => RANK[a.issue.severity] - RANK[b.issue.severity]);
}

const SHOWN_LINES = 6;

function issueLine({ out }: Context, issue: Issue, lines: readonly number[]): string {
  const paint = { error: out.style.bad, warning: out.style.warn, info: out.style.dim }[issue.severity];
  const rest = lines.length > SHOWN_LINES ? ` and ${lines.length - SHOWN_LINES} more` : '';
  const where =
    lines.length === 0 ? '' : ` line${lines.length > 1 ? 's' : ''} ${lines.slice(0, SHOWN_LINES).join(', ')}${rest}:`;
  const fix = issue.fix === undefined ? '' : out.style.dim(` (${issue.fix})`);
  return `${paint(issue.severity.padEnd(7))} ${issue.rule.padEnd(3)}${where} ${issue.what}${fix}`;
}

function writeInventory({ out }: Context, checked: readonly Checked[]): void {
  const rows = checked.flatMap(({ file, inventory }) => (inventory ? [{ file, ...inventory }] : []));
  const typed = (type: string) => (row: (typeof rows)[number]) => String(row.types[type] ?? 0);
  const number = (
    title: string,
    cell: (row: (typeof rows)[number]) => string,
    drop: number,
  ): Column<(typeof rows)[number]> => ({ title, cell, drop, align: 'right' });
  const counts = (record: Record<string, number>) =>
    Object.entries(record)
      .map(([key, n]) => `${key} ${n}`)
      .join(', ');
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'SESSION', cell: (row) => row.file.sessionId, drop: 0, min: 8, flexible: true },
    number('LINES', (row) => String(row.lines), 0),
    { title: 'VERSIONS', cell: (row) => row.versions.join(', '), drop: 6, max: 24 },
    number('USER', typed('user'), 3),
    number('ASSISTANT', typed('assistant'), 3),
    number('TOOL CALLS', (row) => String(row.toolCalls), 1),
    number('HUMAN TURNS', (row) => String(row.humanTurns), 1),
    number('FILE-HISTORY', typed('file-history-snapshot'), 8),
    number('SUMMARY', typed('summary'), 8),
    number('SYSTEM', typed('system'), 8),
    number('QUEUE-OP', typed('queue-operation'), 8),
    { title: 'STOP REASONS', cell: (row) => counts(row.stopReasons), drop: 9, max: 44 },
    { title: 'BLOCKS', cell: (row) => counts(row.blocks), drop: 10, max: 60 },
  ];
  for (const line of table(rows, columns, out.columns, out.style.dim)) out.write(`${line}\n`);
}
