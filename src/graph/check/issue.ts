import type { Entry } from '../../format/entry.ts';
import type { Issue, Severity } from '../../format/issue.ts';

export function issueAt({ line, head }: Entry, rule: string, severity: Severity, what: string): Issue {
  return { rule, severity, line: line.number, uuid: head.uuid, what };
}
