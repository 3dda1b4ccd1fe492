/** What checking found, for people and for programs. */
import type { Problem } from '../../disk/errors.ts';
import type { Severity } from '../../format/issue.ts';
import { counted } from '../../views/counted.ts';
import type { Mask } from '../../views/options.ts';
import { safeLine } from '../../views/safe.ts';
import { sourceOf } from '../sources.ts';
import type { Terminal } from '../terminal.ts';
import type { Checked } from './file.ts';
import { type Group, groupIssues, RANK } from './groups.ts';
import { inventoryLines } from './inventory.ts';

export function checkJson(checked: readonly Checked[], problems: readonly Problem[]) {
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
  const inventory = checked.flatMap(({ file, inventory: held }) =>
    held ? [{ file: file.file, source: sourceOf(file), ...held }] : [],
  );
  return { issues: [...problems.map(problemIssue), ...issues], inventory };
}

function problemIssue({ what, where, next }: Problem) {
  return { rule: 'L1', severity: 'warning', file: where, what, fix: next };
}

export interface TextOptions {
  /** Nothing less severe is shown. */
  readonly least: Severity;
  readonly inventory: boolean;
  readonly mask: Mask;
}

export function* checkText(
  out: Terminal,
  checked: readonly Checked[],
  problems: readonly Problem[],
  { least, inventory, mask }: TextOptions,
): Generator<string> {
  const counts: Record<Severity, number> = { error: 0, warning: problems.length, info: 0 };
  if (RANK[least] >= RANK.warning) {
    for (const { what, where, next } of problems) {
      yield `${out.style.bold(safeLine(where))}\n  ${out.style.warn('warning')} L1  ${safeLine(what)} ${out.style.dim(`(${safeLine(next)})`)}\n`;
    }
  }
  for (const { file, issues } of checked) {
    for (const { severity } of issues) counts[severity] += 1;
    const groups = groupIssues(issues.filter(({ severity }) => RANK[severity] <= RANK[least]));
    if (groups.length > 0) yield `${out.style.bold(safeLine(file.file))}\n`;
    for (const group of groups) yield `  ${groupLine(out, group, mask)}\n`;
  }
  if (inventory) yield `${inventoryLines(out, checked, mask).join('\n')}\n`;
  const hidden = RANK[least] < RANK.info && counts.info > 0 ? out.style.dim('   (see them: --severity info)') : '';
  const files = counted(checked.length, 'file');
  yield `${files}: ${counts.error} errors, ${counts.warning} warnings, ${counts.info} notes${hidden}\n`;
}

const SHOWN_LINES = 6;

function groupLine({ style }: Terminal, { issue, what, lines }: Group, mask: Mask): string {
  const paint = { error: style.bad, warning: style.warn, info: style.dim }[issue.severity];
  const rest = lines.length > SHOWN_LINES ? ` and ${lines.length - SHOWN_LINES} more` : '';
  const shown = lines.slice(0, SHOWN_LINES).join(', ');
  const where = lines.length === 0 ? '' : ` line${lines.length > 1 ? 's' : ''} ${shown}${rest}:`;
  const fix = issue.fix === undefined ? '' : style.dim(` (${safeLine(issue.fix)})`);
  return `${paint(issue.severity.padEnd(7))} ${issue.rule.padEnd(3)}${where} ${safeLine(mask(what))}${fix}`;
}
