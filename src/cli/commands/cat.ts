/** `skein cat`: the raw lines of a session, byte for byte. */
import { copyRange, readEntriesOf } from '../../disk/read.ts';
import type { Entry } from '../../format/entry.ts';
import { typeName } from '../../format/inventory.ts';
import { lineBytesOf } from '../../format/session.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { chosenTurns, openSelected, TURN_OPTION } from '../opened.ts';
import { selectOne } from '../select.ts';
import { tellSources } from '../sources.ts';
import { write } from '../write.ts';

export const cat: Command = {
  name: 'cat',
  usage: 'SEL [--kind KIND] [--uuid UUID] [--lines A-B] [--turn TURN]',
  summary: 'raw lines of a session, byte for byte',
  details: [
    'Prints a session as it stands on disk: unreadable lines, line ends and a torn last line too. Filters choose whole lines and never change one; several filters must all fit. Nothing is masked.',
    'With --json each line comes as {"line","offset","kind","bytes","problem","text"}',
  ],
  options: {
    kind: {
      type: 'string',
      multiple: true,
      value: 'KIND',
      help: 'Only entries of this type, e.g. user, assistant, system/compact_boundary, unreadable (repeatable)',
    },
    uuid: {
      type: 'string',
      multiple: true,
      value: 'UUID',
      help: 'Only the entry with this uuid or copied from it, or the start of one (repeatable)',
    },
    lines: {
      type: 'string',
      multiple: true,
      value: 'A-B',
      help: 'Only these lines, e.g. 7, 7-9, 7-, or the last twenty with --lines=-20 (repeatable)',
    },
    turn: TURN_OPTION,
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein cat @last', 'the newest session as it is'],
    ['skein cat 4f0c --kind user --kind assistant', 'the conversation lines of the session whose id starts with 4f0c'],
    ['skein cat notes.jsonl --lines 120-130', 'eleven lines of a file'],
    ['skein cat @last --lines=-5', 'the last five lines'],
    ['skein cat @last --turn 3', 'the lines of the third turn'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const selected = selectOne(context, args).file;
  const { file } = selected;
  tellSources(context, [selected]);
  const filters = filtersOf(args, () => countLines(file));
  if (filters.length === 0 && args.values('turn').length === 0 && !args.flag('json')) {
    await copyRange(file, context.out.stream);
    return 0;
  }
  let found = 0;
  const turns = args.values('turn').length > 0 ? chosenTurns(args, openSelected(context, args).turns) : undefined;
  for (const entry of turns?.flatMap((turn) => turn.entries) ?? readEntriesOf(file)) {
    if (!filters.every((fits) => fits(entry))) continue;
    found += 1;
    await write(
      context.out,
      args.flag('json') ? `${JSON.stringify(toJson(entry))}\n` : Buffer.concat(lineBytesOf(entry)),
    );
  }
  if (found === 0 && filters.length > 0) context.err.write(`${context.err.style.dim('No line fits.')} ${file}\n`);
  return found > 0 || filters.length === 0 ? 0 : 1;
}

type Filter = (entry: Entry) => boolean;

function filtersOf(args: Arguments, lineCount: () => number): Filter[] {
  const filters: Filter[] = [];
  const kinds = args.values('kind');
  if (kinds.length > 0) filters.push((entry) => kinds.some((kind) => isOfKind(entry, kind)));
  const uuids = args.values('uuid');
  if (uuids.length > 0) filters.push((entry) => uuids.some((uuid) => isEntry(entry, uuid)));
  const ranges = args.values('lines').map((text) => toRange(text, lineCount));
  if (ranges.length > 0)
    filters.push(({ line }) => ranges.some(([from, to]) => line.number >= from && line.number <= to));
  return filters;
}

/** Its own uuid, or that of the entry it is a copy of (H1). */
function isEntry({ head }: Entry, uuid: string): boolean {
  return [head.uuid, head.forkedFrom?.messageUuid].some((each) => each?.startsWith(uuid));
}

/** `system` is every system line, `system/compact_boundary` one subtype. */
function isOfKind(entry: Entry, kind: string): boolean {
  const name = typeName(entry);
  const detail = entry.head.subtype ?? entry.head.attachmentType ?? entry.head.progress?.type;
  return kind === name || kind === entry.kind || kind === `${name}/${detail}`;
}

function toRange(text: string, lineCount: () => number): [number, number] {
  const fromEnd = /^-(\d+)$/.exec(text);
  if (fromEnd) return [lineCount() - Number(fromEnd[1]) + 1, Number.POSITIVE_INFINITY];
  const match = /^(\d+)(?:(-)(\d*))?$/.exec(text);
  if (match === null)
    throw new UsageError(
      `--lines takes 7, 7-9, 7- or -20; not "${text}".`,
      `--lines ${text}`,
      'Give line numbers, the first line is 1.',
    );
  const [, from = '', dash, to = ''] = match;
  if (dash === undefined) return [Number(from), Number(from)];
  return [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)];
}

function countLines(file: string): number {
  let lines = 0;
  for (const _ of readEntriesOf(file)) lines += 1;
  return lines;
}

function toJson(entry: Entry) {
  const bytes = Buffer.concat(lineBytesOf(entry));
  const { line } = entry;
  return {
    line: line.number,
    offset: line.start,
    kind: entry.kind,
    bytes: line.end - line.start,
    problem: entry.problem,
    text: bytes.toString('utf8'),
  };
}
