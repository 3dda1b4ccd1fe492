/** The same kind of thing said of many lines is said once, with the first lines and a count. */
import type { Issue, Severity } from '../../format/issue.ts';

export const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

export interface Group {
  readonly issue: Issue;
  /** As the issues say it; what differs between them is left out. */
  readonly what: string;
  readonly lines: readonly number[];
}

interface Growing {
  readonly issue: Issue;
  readonly parts: string[];
  readonly lines: number[];
}

/** Numbers, offsets, ids: every word with a digit, and a quotation with one as a whole. Parts at odd places are these. */
const VARIABLE = /("[^"]*\d[^"]*"|[\w.-]*\d[\w.-]*)/;

/** Worst first, else in the order of their first lines. */
export function groupIssues(issues: readonly Issue[]): Group[] {
  const groups = new Map<string, Growing>();
  for (const issue of issues) {
    const parts = issue.what.split(VARIABLE);
    const key = [issue.rule, issue.severity, ...parts.filter((_, index) => index % 2 === 0)].join('\n');
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { issue, parts, lines: [] });
    else for (const [index, part] of parts.entries()) if (known.parts[index] !== part) known.parts[index] = '…';
    if (issue.line !== undefined) groups.get(key)?.lines.push(issue.line);
  }
  return [...groups.values()]
    .map(({ issue, parts, lines }) => ({ issue, what: parts.join(''), lines }))
    .toSorted((a, b) => RANK[a.issue.severity] - RANK[b.issue.severity]);
}
