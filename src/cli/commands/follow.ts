/** `skein follow`: a session as it is written. */

import { type FollowEvent, follow as followFile } from '../../disk/follow.ts';
import { readEntriesOf } from '../../disk/read.ts';
import type { Entry } from '../../format/entry.ts';
import { FILE_START, type Position } from '../../format/lines.ts';
import { lineBytesOf } from '../../format/session.ts';
import { type EntryLine, entryLines } from '../../views/entryline.ts';
import { safeLine } from '../../views/safe.ts';
import { wholeNumber } from '../arguments.ts';
import { type Arguments, type Command, READING_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { cut } from '../layout.ts';
import { selectOne } from '../select.ts';

const SHOWN_BEFORE = 10;

export const follow: Command = {
  name: 'follow',
  usage: 'SEL [--lines N] [--raw]',
  summary: 'watch a session as it is written',
  details: [
    'Prints the last lines of a session and then each new one as soon as it is whole. A file that is truncated, replaced, deleted or not there yet is followed all the same. Ctrl-C ends it.',
    'With --json each entry comes as {"line","offset","kind","time","text"}; other events as {"event"}.',
  ],
  options: {
    lines: { type: 'string', value: 'N', help: `Start with the last N lines (default ${SHOWN_BEFORE})` },
    raw: { type: 'boolean', help: 'Print the lines as they are, byte for byte' },
    ...READING_OPTIONS,
  },
  examples: [
    ['skein follow @last', 'what the client is doing now'],
    ['skein follow @last --raw --lines 0 | jq .type', 'new lines only, into another program'],
  ],
  completes: 'selector',
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const { file } = selectOne(context, args).file;
  const from = lastLines(file, wholeNumber(args, 'lines') ?? SHOWN_BEFORE);
  const show = args.flag('raw') ? showRaw : args.flag('json') ? showJson : showText;
  for await (const event of followFile(file, { from, signal: context.signal })) show(context, event, file);
  return 0;
}

/** Where the last N whole lines begin. */
function lastLines(file: string, count: number): Position {
  const starts: Position[] = [];
  let end = FILE_START;
  for (const { line } of readEntriesOf(file)) {
    if (!line.terminated) break;
    starts.push({ offset: line.start, number: line.number });
    if (starts.length > count) starts.shift();
    end = { offset: line.end + 1, number: line.number + 1 };
  }
  return count > 0 ? (starts[0] ?? end) : end;
}

function showRaw({ out }: Context, event: FollowEvent): void {
  if (event.type === 'entries') for (const entry of event.entries) out.stream.write(Buffer.concat(lineBytesOf(entry)));
}

function showJson({ out }: Context, event: FollowEvent): void {
  if (event.type !== 'entries') {
    out.write(`${JSON.stringify({ event: event.type })}\n`);
    return;
  }
  for (const entry of event.entries) out.write(`${JSON.stringify(toJson(entry))}\n`);
}

function toJson(entry: Entry) {
  const { line, kind, head } = entry;
  const text = entryLines(entry)
    .map(({ label, text: what }) => `${label}: ${what}`)
    .join('\n');
  return { line: line.number, offset: line.start, kind, time: head.timestamp, uuid: head.uuid, text };
}

function showText(context: Context, event: FollowEvent, file: string): void {
  const { out, err } = context;
  if (event.type === 'entries') {
    for (const entry of event.entries) for (const line of entryLines(entry)) out.write(`${lineText(context, line)}\n`);
  } else if (event.type === 'missing') err.write(`${err.style.warn('waiting:')} ${event.problem.what}: ${file}\n`);
  else if (event.type !== 'torn') err.write(`${err.style.dim(event.type)} ${file}\n`);
}

function lineText({ out }: Context, { time, label, text }: EntryLine): string {
  const paint =
    { prompt: out.style.bold, error: out.style.bad, call: out.style.accent, thinking: out.style.dim }[label] ??
    ((each: string) => each);
  const clock = time === undefined ? '        ' : time.slice(11, 19);
  const room = out.columns - 22;
  return `${out.style.dim(clock)} ${label.padEnd(11)} ${paint(cut(safeLine(text), room))}`.trimEnd();
}
