/** What a push did, in words and as JSON. */
import type { Problem } from '../../disk/errors.ts';
import { TeamError } from '../../team/errors.ts';
import type { PushReport } from '../../team/push/types.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import { humanBytes } from '../bytes.ts';
import type { Context } from '../context.ts';

const CONTENTS = {
  full: 'as they are, secrets and all',
  masked: 'with secrets, home folders and user names masked',
  none: 'without anything that was said: ids, times, models, tokens, tools',
} as const;

export function contentWords(content: PushReport['content']): string {
  return CONTENTS[content];
}

export function whatLeaves({ sent, content, bytesBefore, held }: PushReport, name: string): string {
  const kept = held.length > 0 ? `; ${held.length} stay here` : '';
  return `To ${name} would go: ${counted(sent.length, 'session')} (${humanBytes(bytesBefore)}), ${CONTENTS[content]}${kept}.`;
}

const LINES: Readonly<Record<string, string>> = {
  unscanned: 'could not be scanned for secrets',
  unreadable: 'are no entries',
  'too-long': 'are too long',
  denied: 'were made in a folder that is denied',
};

export function tellPush({ out, err }: Context, report: PushReport, name: string, isDry: boolean): void {
  const { dim, warn } = out.style;
  const { sent, unchanged, held, takenBack, lines, masked, rows, bytesBefore, bytesSent, waiting, stoppedBy } = report;
  const total = Object.values(rows).reduce((sum, each) => sum + each, 0);
  const verb = isDry ? 'would be sent' : 'sent';
  const parts = [
    `${counted(sent.length, 'session')} ${verb}${sent.length > 0 ? ` (${counted(total, 'row')}, ${humanBytes(bytesBefore)} here, ${humanBytes(bytesSent)} as rows)` : ''}`,
    ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
    ...(held.length > 0 ? [`${held.length} held back`] : []),
  ];
  out.write(`${name}: ${parts.join(', ')}; content ${report.content}\n`);
  if (masked > 0) out.write(`  ${counted(masked, 'secret')} masked\n`);
  for (const [why, number] of Object.entries(lines)) {
    out.write(`  ${counted(number, 'line')} held back: they ${LINES[why] ?? why}\n`);
  }
  const byRule = Map.groupBy(held, ({ why }) => why);
  for (const [why, each] of [...byRule].slice(0, 10))
    out.write(`  ${dim(`held back (${each.length}): ${safeLine(why)}`)}\n`);
  if (byRule.size > 10) out.write(`  ${dim(`… ${byRule.size - 10} more reasons: skein team push --dry-run --json`)}\n`);
  if (takenBack.length > 0) {
    out.write(`  ${counted(takenBack.length, 'session')} ${isDry ? 'would be taken' : 'taken'} back\n`);
  }
  for (const { what, where } of report.problems) err.write(`${warn('warning:')} ${safeLine(what)}: ${where}\n`);
  if (stoppedBy === undefined) return;
  const why = stoppedBy instanceof TeamError ? stoppedBy.what : 'it was stopped';
  err.write(
    `${warn('warning:')} ${safeLine(why)}\n  ${counted(waiting, 'session')} ${waiting === 1 ? 'waits' : 'wait'}; the next push sends ${waiting === 1 ? 'it' : 'them'}.\n`,
  );
}

export function toJson(report: PushReport, team: string, dryRun: boolean, problems: readonly Problem[]) {
  const { stoppedBy, problems: own, lines, ...rest } = report;
  const stopped = stoppedBy === undefined ? null : stoppedBy instanceof TeamError ? stoppedBy.what : 'stopped';
  return { team, dryRun, ...rest, heldLines: lines, problems: [...problems, ...own], stopped };
}
