/** `skein follow`: a session as it is written. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
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
import { inertJson } from '../jsontext.ts';
import { cut, pad } from '../layout.ts';
import { type Masking, openMask, REVEAL_OPTION } from '../mask.ts';
import { selectOne } from '../select.ts';
import type { Style } from '../terminal.ts';
import { write } from '../write.ts';

const SHOWN_BEFORE = 10;

export const follow: Command = {
  name: 'follow',
  usage: 'SEL [--lines N] [--raw] [--export]',
  summary: 'watch a session as it is written',
  details: [
    'Prints the last lines of a session and then each new one as soon as it is whole. A file that is truncated, replaced, deleted or not there yet is followed all the same. Ctrl-C ends it.',
    'With --json each entry comes as {"line","offset","kind","time","text"}; other events as {"event"}.',
    '--export sends each turn as a trace as soon as it is over, without a hook, and first what was not sent of the session before: to Langfuse where its keys are set, to OTEL_EXPORTER_OTLP_ENDPOINT where that is (skein export --help).',
  ],
  options: {
    lines: { type: 'string', value: 'N', help: `Start with the last N lines (default ${SHOWN_BEFORE})` },
    raw: { type: 'boolean', help: 'Print the lines as they are, byte for byte, secrets too' },
    export: { type: 'boolean', help: 'Send turns as traces when they are over' },
    endpoint: { type: 'string', value: 'URL', help: '--export: send there instead of where the environment says' },
    'no-content': { type: 'boolean', help: '--export: no prompts, answers, tool inputs or results' },
    ...REVEAL_OPTION,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein follow @last', 'what the client is doing now'],
    ['skein follow new.jsonl', 'a file that is not there yet'],
    ['skein follow @last --raw --lines 0 | jq .type', 'new lines only, into another program'],
    ['skein follow @last --export', 'and every turn to Langfuse as it ends'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const file = fileToFollow(context, args);
  const from = lastLines(file, wholeNumber(args, 'lines') ?? SHOWN_BEFORE);
  const show = args.flag('raw') ? showRaw : args.flag('json') ? showJson : showText;
  const mask = await openMask(context, args);
  const live = args.flag('export')
    ? await (await import('../export/live.ts')).openLive(context, args, file)
    : undefined;
  const { signal } = context;
  live?.look();
  for await (const event of followFile(file, { from, signal })) {
    for (const part of show(context, event, mask, file)) {
      if (signal.aborted) break;
      await write(context.out, part, signal);
    }
    if (event.type === 'entries') live?.look();
  }
  await live?.close();
  return 0;
}

/** A path where nothing is yet is waited for; everything else is a selector. */
function fileToFollow(context: Context, args: Arguments): string {
  const [selector = ''] = args.positionals;
  const isPath = !selector.startsWith('project:') && (selector.endsWith('.jsonl') || selector.includes('/'));
  const path = resolve(context.cwd, selector);
  return isPath && !existsSync(path) ? path : selectOne(context, args).file.file;
}

/** Where the last N whole lines begin. */
function lastLines(file: string, count: number): Position {
  if (!existsSync(file)) return FILE_START;
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

type Parts = Generator<string | Uint8Array>;

function* showRaw(_context: Context, event: FollowEvent): Parts {
  if (event.type === 'entries') for (const entry of event.entries) yield Buffer.concat(lineBytesOf(entry));
}

function* showJson(_context: Context, event: FollowEvent, mask: Masking): Parts {
  if (event.type !== 'entries') yield `${JSON.stringify({ event: event.type })}\n`;
  else for (const entry of event.entries) yield `${inertJson(JSON.stringify(toJson(entry, mask)))}\n`;
}

function toJson(entry: Entry, mask: Masking) {
  const { line, kind, head } = entry;
  const text = entryLines(entry, mask)
    .map(({ label, text: what }) => `${label}: ${what}`)
    .join('\n');
  return { line: line.number, offset: line.start, kind, time: head.timestamp, uuid: head.uuid, text };
}

function* showText(context: Context, event: FollowEvent, mask: Masking, file: string): Parts {
  const { err } = context;
  if (event.type === 'entries') {
    for (const entry of event.entries) for (const line of entryLines(entry, mask)) yield `${lineText(context, line)}\n`;
  } else if (event.type === 'missing') {
    err.write(`${err.style.warn('waiting:')} ${safeLine(`${event.problem.what}: ${file}`)}\n`);
  } else if (event.type !== 'torn') err.write(`${err.style.dim(event.type)} ${safeLine(file)}\n`);
}

const LONGEST_LABEL = 32;
/** A map, as a label is any type that a transcript names. */
const PAINTS: ReadonlyMap<string, keyof Style> = new Map([
  ['prompt', 'bold'],
  ['error', 'bad'],
  ['call', 'accent'],
  ['thinking', 'dim'],
]);

function lineText({ out }: Context, { time, label, text }: EntryLine): string {
  const paint = PAINTS.get(label);
  const clock = pad(cut(safeLine(time ?? '').slice(11, 19), 8), 8);
  const name = pad(cut(safeLine(label), LONGEST_LABEL), 11);
  const room = out.columns - 22;
  const what = cut(safeLine(text), room);
  return `${out.style.dim(clock)} ${name} ${paint === undefined ? what : out.style[paint](what)}`.trimEnd();
}
