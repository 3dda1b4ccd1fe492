/** Read of a text: numbered lines, and what to do for the rest of them. */
import { fstatSync } from 'node:fs';
import { closeFile, openFile, readAt } from '../../../disk/io.ts';
import type { ToolHost, ToolOutcome } from '../tool.ts';
import { encodingOf } from './encoding.ts';
import { type LineRange, type LinesRead, readLines } from './lines.ts';
import { Refusal } from './place.ts';
import { seenAs } from './seen.ts';

export const LINES = 2000;
export const LINE_CHARS = 2000;
export const CHARS = 100_000;

export interface Wanted {
  /** As it is shown. */
  readonly path: string;
  /** Where it really lies. */
  readonly real: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** Throws Refusal, or what the disk throws. */
export async function readText({ path, real, offset, limit }: Wanted, host: ToolHost): Promise<ToolOutcome> {
  const fd = openFile(real);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Refusal(`${path} is not a file any more.`);
    const head = Buffer.alloc(8192);
    const encoding = encodingOf(head.subarray(0, readAt(fd, head, 0)));
    if (encoding === undefined) {
      throw new Refusal(`${path} is a binary file. Look at it with a command that knows its format.`);
    }
    const range = { from: Math.max(1, offset ?? 1), count: limit ?? LINES, lineChars: LINE_CHARS, chars: CHARS };
    const read = await readLines(fd, encoding, range, { size: stat.size, signal: host.signal });
    const partial = read.lines.length < read.total || read.more || read.cut.length > 0;
    host.session.files.set(real, seenAs(stat, { partial, digest: read.digest }));
    return outcome(path, range, read);
  } finally {
    closeFile(fd);
  }
}

function outcome(path: string, { from }: LineRange, read: LinesRead): ToolOutcome {
  const { lines, total } = read;
  const file = {
    filePath: path,
    content: lines.join('\n'),
    numLines: lines.length,
    startLine: from,
    totalLines: total,
  };
  return { content: shown(from, read), result: { type: 'text', file } };
}

function shown(from: number, { lines, total, more, cut }: LinesRead): string {
  if (lines.length === 0) return `Nothing is at line ${from}: the file ends at line ${total}.`;
  if (total === 1 && lines[0] === '' && !more) return 'The file is empty.';
  const last = from + lines.length - 1;
  const numbered = lines.map((line, index) => `${from + index}\t${line}`).join('\n');
  const notes = [
    ...(cut.length > 0 ? [`Long lines were cut: ${listed(cut)}.`] : []),
    ...(from > 1 || last < total || more ? [restOf(from, last, total, more)] : []),
  ];
  return notes.length > 0 ? `${numbered}\n\n(${notes.join(' ')})` : numbered;
}

function restOf(from: number, last: number, total: number, more: boolean): string {
  const of = more ? `more than ${total}` : `${total}`;
  const next = last < total || more ? ` Go on with offset ${last + 1}.` : '';
  return `Lines ${from} to ${last} of ${of}.${next}`;
}

const SHOWN = 10;

function listed(numbers: readonly number[]): string {
  const rest = numbers.length > SHOWN ? ` and ${numbers.length - SHOWN} more` : '';
  return numbers.slice(0, SHOWN).join(', ') + rest;
}
