/** One file checked: its name and place, each line, and the conversation the lines make. */
import { basename, dirname } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { readLinesOf } from '../../disk/read.ts';
import { checkLines } from '../../format/check.ts';
import type { Entry } from '../../format/entry.ts';
import type { Place } from '../../format/filecheck.ts';
import type { Inventory } from '../../format/inventory.ts';
import type { Issue } from '../../format/issue.ts';
import { checkGraph } from '../../graph/check.ts';

export interface Checked {
  readonly file: SessionFile;
  readonly issues: readonly Issue[];
  /** Missing when the file cannot be read. */
  readonly inventory?: Inventory;
}

/** Only the issues and counts outlive the call: the entries of one file at a time are in memory. */
export function checkFile(file: SessionFile): Checked {
  try {
    const entries: Entry[] = [];
    const onEntry = (entry: Entry) => entries.push(entry);
    const { issues, inventory } = readLinesOf(file.file, {}, (source, lines) =>
      checkLines(source, lines, { place: placeOf(file), onEntry }),
    );
    const all = [...nameIssues(file), ...issues, ...checkGraph(entries)];
    return { file, issues: all.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)), inventory };
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return { file, issues: [{ rule: 'L5', severity: 'error', what: error.what, fix: error.next }] };
  }
}

/** Only `projects/<slug>/<session>.jsonl` says where it belongs; a copy elsewhere has no folder to fit. */
function placeOf({ file, kind, sessionId, slug }: SessionFile): Place {
  if (kind === 'agent') return {};
  const folder = dirname(file);
  const isProject = basename(dirname(folder)) === 'projects' && basename(folder) === slug;
  return isProject ? { sessionId, slug } : { sessionId };
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function nameIssues(file: SessionFile): Issue[] {
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
