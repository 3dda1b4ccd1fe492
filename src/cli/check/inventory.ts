/** What the files hold, as three tables: lines, turns and calls; why answers ended; content blocks. */
import type { SessionFile } from '../../disk/find.ts';
import type { Inventory } from '../../format/inventory.ts';
import type { Mask } from '../../views/options.ts';
import { safeLine } from '../../views/safe.ts';
import { type Column, cut, table } from '../layout.ts';
import type { Terminal } from '../terminal.ts';
import type { Checked } from './file.ts';

interface Row extends Inventory {
  readonly file: SessionFile;
}

const LONGEST_TITLE = 20;

export function inventoryLines({ columns, style }: Terminal, checked: readonly Checked[], mask: Mask): string[] {
  const rows = checked.flatMap(({ file, inventory }) => (inventory ? [{ file, ...inventory }] : []));
  const typed = (type: string) => (row: Row) => countOf(row.types, type);
  const lay = (more: Column<Row>[]) => table(rows, [SESSION, ...more], columns, style.dim);
  const lines = lay([
    number('LINES', (row) => row.lines, 0),
    { title: 'VERSIONS', cell: (row) => mask(row.versions.join(', ')), drop: 6, max: 24 },
    number('USER', typed('user'), 3),
    number('ASSISTANT', typed('assistant'), 3),
    number('TOOL CALLS', (row) => row.toolCalls, 1),
    number('HUMAN TURNS', (row) => row.humanTurns, 1),
    number('FILE-HISTORY', typed('file-history-snapshot'), 8),
    number('SUMMARY', typed('summary'), 8),
    number('SYSTEM', typed('system'), 8),
    number('QUEUE-OP', typed('queue-operation'), 8),
  ]);
  const counted = (title: string, counts: (row: Row) => Readonly<Record<string, number>>) => {
    const names = mostFirst(rows.map(counts));
    if (names.length === 0) return [];
    return [
      '',
      style.bold(title),
      ...lay(names.map((name) => number(mask(name), (row) => countOf(counts(row), name), 0))),
    ];
  };
  return [
    ...lines,
    ...counted('Stop reasons', (row) => row.stopReasons),
    ...counted('Content blocks', (row) => row.blocks),
    '',
  ];
}

const SESSION: Column<Row> = {
  title: 'SESSION',
  cell: (row) => row.file.sessionId,
  drop: 0,
  min: 8,
  flexible: true,
};

function number(title: string, count: (row: Row) => number, drop: number): Column<Row> {
  const shown = cut(safeLine(title), LONGEST_TITLE);
  return { title: shown, cell: (row) => String(count(row)), drop, align: 'right' };
}

function mostFirst(counts: readonly Readonly<Record<string, number>>[]): string[] {
  const sums = new Map<string, number>();
  for (const each of counts) for (const [name, n] of Object.entries(each)) sums.set(name, (sums.get(name) ?? 0) + n);
  return [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** A transcript may name a type `constructor`. */
function countOf(counts: Readonly<Record<string, number>>, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}
