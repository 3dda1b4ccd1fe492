/** One archived file as rows of all tables, made as they are asked for. */
import { createHash } from 'node:crypto';
import { projectOfCwds } from '../../disk/project.ts';
import { readLinesOf } from '../../disk/read.ts';
import { fileSource } from '../../disk/source.ts';
import { type FileUsage, usageOfFile } from '../../disk/usage.ts';
import { type ParsedEntry, toParsedEntry } from '../../format/entry.ts';
import { decode } from '../../format/text.ts';
import { createOutline, type Outline, type Titles, titleOf } from '../../graph/outline.ts';
import { millisOf } from '../../graph/time.ts';
import type { FileRow, ToolCallRow, UsageRow } from '../rows.ts';
import { type FileColumns, type LineRows, rowsOfLine, timeText } from './linerows.ts';
import { cwdsIn, type SessionFacts } from './lookover.ts';
import type { PushFile } from './sessions.ts';
import type { HeldWhy, Shape } from './shape.ts';
import { createToolRows } from './toolrows.ts';
import { rowsOfUsage } from './usagerows.ts';

export type FileItem =
  | { readonly kind: 'line'; readonly n: number; readonly time: string; readonly rows: LineRows }
  | { readonly kind: 'held'; readonly n: number; readonly why: HeldWhy }
  | { readonly kind: 'tool_calls'; readonly row: ToolCallRow }
  | { readonly kind: 'usage'; readonly row: UsageRow }
  /** The last of all. undefined: nothing of the file may leave. */
  | { readonly kind: 'file'; readonly row: FileRow | undefined };

export interface FileRowOptions {
  readonly facts: SessionFacts;
  readonly shape: Shape;
  readonly person: string;
  readonly machine: string;
  readonly retention: string;
  readonly version: number;
  readonly secret: string;
  readonly pathOf: (file: PushFile) => string;
  readonly isDenied: (cwd: string) => boolean;
  /** Not all folders may leave: a line that cannot be read, and so tells none, stays. */
  readonly hasRules: boolean;
  /** What the archive kept of it. */
  readonly usageOf?: (file: PushFile) => FileUsage[] | undefined;
  /** The chat a session belongs to. Its title may have been said in another one. */
  readonly chatOf: (session: string) => { readonly id: string; readonly title?: string | undefined } | undefined;
  readonly onPart?: () => void;
}

export function projectOfFile(file: PushFile, { files }: SessionFacts): string {
  return projectOfCwds(repeated(files.get(file)?.cwds ?? new Map()), file.slug).path;
}

function* repeated(counts: ReadonlyMap<string, number>): Generator<string> {
  for (const [each, count] of counts) for (let time = 0; time < count; time += 1) yield each;
}

export function* rowsOfFile(file: PushFile, options: FileRowOptions): Generator<FileItem> {
  if (file.isTranscript) yield* transcriptRows(file, options);
  else yield { kind: 'file', row: smallRow(file, options) };
}

function columnsOf(file: PushFile, { shape, person, retention, version }: FileRowOptions): FileColumns {
  return {
    session: file.session,
    name: file.name,
    person,
    retention,
    version,
    deleted: 0,
    slug: shape.slug(file.slug),
    agent: file.agent,
  };
}

/** Masking leaves much garbage behind: it is taken away after each part of a large session. */
const PART_BYTES = 4 << 20;

function* transcriptRows(file: PushFile, options: FileRowOptions): Generator<FileItem> {
  const { shape, facts, isDenied } = options;
  const columns = columnsOf(file, options);
  const project = shape.project(projectOfFile(file, facts));
  const tools = createToolRows({ columns, project, shape, secret: options.secret });
  const outline = file.kind === 'session' ? createOutline() : undefined;
  /** The same of the same lines as they are here. */
  const unshaped = outline && shape.content === 'masked' ? createOutline() : undefined;
  /** By where they begin: lines that may tell of usage and tell no time. */
  const untimed = new Map<number, number>();
  const { mtimeMs } = file.state;
  const { firstTime, queued } = facts.files.get(file) ?? {};
  let time = firstTime ?? mtimeMs;
  const digest = createHash('sha256');
  let lines = 0;
  let part = PART_BYTES;
  const items = readLinesOf(options.pathOf(file), {}, function* (source, raws): Generator<FileItem> {
    for (const raw of raws) {
      const { line, bytes } = raw;
      if (line.end >= part) {
        part = line.end + PART_BYTES;
        options.onPart?.();
      }
      lines = line.number;
      const parsed = toParsedEntry(source, line, bytes);
      const own = millisOf(parsed.entry.head.timestamp);
      time = own ?? time;
      if (parsed.entry.kind === 'progress' || (own === undefined && parsed.entry.kind === 'assistant')) {
        untimed.set(line.start, time);
      }
      const shaped = heldBy(parsed, options) ?? shape.line(parsed, raw);
      if (typeof shaped === 'string') {
        yield { kind: 'held', n: line.number, why: shaped };
        continue;
      }
      digest.update(`${line.number} ${shaped.text}\n`);
      outline?.add(shaped.entry);
      unshaped?.add(parsed.entry);
      if (parsed.json !== undefined) tools.add(parsed.entry, parsed.json, shaped.json, time);
      const rows = rowsOfLine(shaped, line.number, time, { columns, shape, calls: facts.calls, queued });
      yield { kind: 'line', n: line.number, time: rows.entry.time, rows };
      for (const row of tools.take()) yield { kind: 'tool_calls', row };
    }
  });
  yield* items;
  for (const row of tools.end()) yield { kind: 'tool_calls', row };
  // Read when the lines are through: together they would take too much memory.
  const messages = options.usageOf?.(file) ?? usageOfFile(options.pathOf(file), { onPart: options.onPart });
  const timeAt = (start: number) => untimed.get(start) ?? time;
  options.onPart?.();
  const usage = rowsOfUsage(messages, { columns, machine: options.machine, shape, timeAt, isDenied });
  for (const row of usage) yield { kind: 'usage', row };
  // That of the file as it is here would tell whoever guesses what was masked that he guessed right.
  const sent = shape.content === 'full' ? {} : { digest: digest.digest('hex') };
  const said = told(file, outline?.result(), unshaped?.result(), options);
  const row = { ...fileRow(file, options), ...sent, project, lines, ...said };
  yield { kind: 'file', row };
}

/** By the rule of folders. */
function heldBy({ entry, json }: ParsedEntry, { isDenied, hasRules }: FileRowOptions): HeldWhy | undefined {
  if (json === undefined) return hasRules && entry.kind !== 'blank' ? 'unreadable' : undefined;
  return cwdsIn(json).some(isDenied) ? 'denied' : undefined;
}

function told(
  file: PushFile,
  outline: Outline | undefined,
  unshaped: Outline | undefined,
  { shape, chatOf }: FileRowOptions,
) {
  if (outline === undefined) return {};
  const chat = chatOf(file.session);
  const updated = millisOf(outline.updated);
  return {
    chat: chat?.id ?? file.session,
    title: shape.content === 'none' ? '' : titleSaid(outline.titles, (unshaped ?? outline).titles, chat?.title),
    updated: updated === undefined ? null : timeText(updated),
    time: timeText(updated ?? file.state.mtimeMs),
    outline: JSON.stringify(outline),
  };
}

/**
 * The title of the chat, where it was said in this session: as it was shaped with its line, since only the secrets of
 * this session are known here. One that another session said stands in the row of that.
 */
function titleSaid(shaped: Titles, unshaped: Titles, title: string | undefined): string {
  if (title === undefined) return titleOf(shaped, new Set()) ?? '';
  const place = titlesIn(unshaped).indexOf(title);
  return titlesIn(shaped)[place] ?? '';
}

function titlesIn({ custom, ai, agentName, firstPrompt, summaries }: Titles): (string | undefined)[] {
  const said = [custom, ai, agentName, firstPrompt, ...summaries.map(({ text }) => text)];
  return said.map((each) => titleOf({ custom: each, summaries: [] }, new Set()));
}

function fileRow(file: PushFile, options: FileRowOptions): FileRow {
  const { state, kind } = file;
  const { slug, agent, ...common } = columnsOf(file, options);
  return {
    ...common,
    machine: options.machine,
    kind,
    slug,
    project: '',
    agent,
    content: options.shape.content,
    time: timeText(state.mtimeMs),
    mtime: timeText(state.mtimeMs),
    updated: null,
    size: state.size,
    lines: 0,
    digest: state.digest.toString('hex'),
    chat: '',
    title: '',
    outline: '',
    body: '',
  };
}

function smallRow(file: PushFile, options: FileRowOptions): FileRow | undefined {
  const body = options.shape.body(file.kind, textOfFile(options.pathOf(file)));
  if (body === undefined) return undefined;
  const owner = [...options.facts.files.keys()].find(({ kind }) => kind === 'session') ?? file;
  const project = options.shape.project(projectOfFile(owner, options.facts));
  // Of few bytes their hash would tell too much.
  const digest = createHash('sha256').update(body).digest('hex');
  return { ...fileRow(file, options), project, size: Buffer.byteLength(body), digest, body };
}

export function textOfFile(path: string): string {
  const source = fileSource(path);
  try {
    return decode(source.read(0, source.size()));
  } finally {
    source.close();
  }
}
