/** One file checked: its name and place, each line, and the conversation the lines make. */
import { isUtf8 } from 'node:buffer';
import { basename, dirname } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import type { SessionFile } from '../../disk/find.ts';
import { readLinesOf } from '../../disk/read.ts';
import { checkLines } from '../../format/check.ts';
import type { Place } from '../../format/filecheck.ts';
import { createIds } from '../../format/ids.ts';
import type { Inventory } from '../../format/inventory.ts';
import type { Issue } from '../../format/issue.ts';
import { createGraphCheck } from '../../graph/check.ts';

export interface Checked {
  readonly file: SessionFile;
  readonly issues: readonly Issue[];
  /** Missing when the file cannot be read. */
  readonly inventory?: Inventory;
}

/** The lines pass by; of what they make together only the part a resume goes on from is in memory. */
export function checkFile(file: SessionFile): Checked {
  try {
    const ids = createIds();
    const graph = createGraphCheck(ids);
    const { issues, inventory } = readLinesOf(file.file, {}, (source, lines) =>
      checkLines(source, lines, { place: placeOf(file), onEntry: graph.add, ids, isUtf8 }),
    );
    const all = [...nameIssues(file), ...issues, ...graph.result()];
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
  const isProject = /(?:^|[/\\:])projects$/.test(dirname(folder)) && basename(folder) === slug;
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
