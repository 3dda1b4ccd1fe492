/** A line as rows: the line itself, and a row for each part of it that can be found. */
import { keyOf } from '../../archive/search/keys.ts';
import { findableOf, findableText, type Part } from '../../views/search/parts.ts';
import { wordListOf } from '../../views/search/words.ts';
import type { EntryRow, MessageRow } from '../rows.ts';
import type { CallLabel } from './lookover.ts';
import type { Shape, Shaped } from './shape.ts';

/** What all rows of a file say. */
export interface FileColumns {
  readonly session: string;
  readonly name: string;
  readonly person: string;
  readonly retention: string;
  readonly version: number;
  readonly deleted: 0;
  readonly slug: string;
  readonly agent: string;
}

export interface LineRows {
  readonly entry: EntryRow;
  readonly messages: readonly MessageRow[];
}

export interface LineOptions {
  readonly columns: FileColumns;
  readonly shape: Shape;
  readonly calls: ReadonlyMap<string, CallLabel>;
  /** The lines of prompts that stand only in the queue (E9). */
  readonly queued?: ReadonlySet<number> | undefined;
}

export function rowsOfLine(shaped: Shaped, n: number, time: number, options: LineOptions): LineRows {
  const { shape, columns } = options;
  const { slug, agent, ...common } = columns;
  const at = timeText(time);
  const entry: EntryRow = {
    ...common,
    n,
    id: shaped.id,
    type: shaped.entry.kind,
    content: shape.content,
    time: at,
    line: shaped.text,
  };
  const messages = shape.content === 'none' ? [] : messagesOf(shaped, n, time, options);
  return { entry, messages };
}

/** More have no place in a column of UInt16: they would take those of others. */
const MOST_PARTS = 65_535;

function messagesOf(
  shaped: Shaped,
  n: number,
  time: number,
  { columns, shape, calls, queued }: LineOptions,
): MessageRow[] {
  const { entry, json, text } = shaped;
  const found =
    entry.kind === 'unreadable' ? (text.includes('\0') ? undefined : findableText(text)) : findableOf(entry, json);
  if (found === undefined || (found.queue?.does === 'enqueue' && !queued?.has(n))) return [];
  const identity = keyOf(found.identity).toString('hex');
  return found.parts.slice(0, MOST_PARTS).map((part, place) => {
    const words = wordListOf(part.text);
    const about = aboutOf(part, calls, shape);
    return {
      ...columns,
      n,
      place,
      identity,
      said: part.where,
      role: found.role,
      copy: found.isCopy ? 1 : 0,
      error: part.isError ? 1 : 0,
      timed: found.time === undefined ? 0 : 1,
      model: found.model ?? '',
      branch: found.gitBranch ?? '',
      ...about,
      time: timeText(found.time ?? time),
      words: words.length === 0 ? '' : ` ${words.join(' ')} `,
      length: words.length,
    };
  });
}

/** The call's own part is as it was sent; a result is about what its call was about, which was read before it was shaped. */
function aboutOf(part: Part, calls: ReadonlyMap<string, CallLabel>, shape: Shape): { tool: string; file: string } {
  if (part.tool !== undefined) return { tool: part.tool, file: part.file ?? '' };
  const call = part.call === undefined ? undefined : calls.get(part.call);
  return { tool: shape.name(call?.tool), file: shape.name(call?.file) };
}

const FIRST = Date.UTC(1970, 0, 1);
const LAST = Date.UTC(2299, 11, 31);

/** As DateTime64(3) reads it, within what it can hold. */
export function timeText(time: number): string {
  const within = Math.min(Math.max(Math.round(Number.isFinite(time) ? time : 0), FIRST), LAST);
  return new Date(within).toISOString().replace('T', ' ').slice(0, 23);
}
