/** Rows of a team made by hand, for what a push of one machine would not leave behind. */
import { createHash } from 'node:crypto';
import { asString, isObject, parseJson } from '../../src/format/json.ts';
import { splitLines } from '../../src/format/lines.ts';
import { memorySource, readEntries } from '../../src/format/session.ts';
import { outlineOf } from '../../src/graph/outline.ts';
import type { Team } from '../../src/team/connect.ts';
import type { EntryRow, FileRow } from '../../src/team/rows.ts';

export interface HandMade {
  readonly session: string;
  readonly name?: string;
  readonly kind?: string;
  readonly slug?: string;
  readonly project?: string;
  readonly machine?: string;
  readonly chat?: string;
  readonly lines?: readonly string[];
  readonly body?: string;
  readonly version?: number;
  readonly outline?: string;
  readonly updated?: string;
}

const TIME = '2026-05-01 10:00:00.000';
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

export function rowsOf(made: HandMade): { file: FileRow; entries: EntryRow[] } {
  const { session, name = `${session}.jsonl`, lines = [], version = 1, machine = 'm-1', body = '' } = made;
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const common = { session, name, person: 'p-1', retention: 'standard', time: TIME, version, deleted: 0 as const };
  const outline = outlineOf(readEntries(memorySource(name, bytes), splitLines([bytes])));
  return {
    file: {
      ...common,
      machine,
      kind: made.kind ?? 'session',
      slug: made.slug ?? '-work-app',
      project: made.project ?? '/work/app',
      agent: '',
      content: 'full',
      mtime: TIME,
      updated: made.updated ?? TIME,
      size: body === '' ? bytes.length : Buffer.byteLength(body),
      lines: lines.length,
      digest: hash(bytes.toString('latin1')),
      chat: made.chat ?? session,
      title: '',
      outline: made.outline ?? (lines.length > 0 ? JSON.stringify(outline) : ''),
      body,
    },
    entries: lines.map((line, place) => {
      const json = parseJson(line);
      const id = (isObject(json) ? asString(json.uuid) : undefined) ?? `x-${hash(line).slice(0, 24)}`;
      const type = (isObject(json) ? asString(json.type) : undefined) ?? '';
      return { ...common, n: place + 1, id, type, content: 'full', line };
    }),
  };
}

export async function pushRows(team: Team, ...all: readonly HandMade[]): Promise<void> {
  const rows = all.map(rowsOf);
  await insertRows(
    team,
    'entries',
    rows.flatMap(({ entries }) => entries),
  );
  await insertRows(
    team,
    'files',
    rows.map(({ file }) => file),
  );
}

export async function insertRows(team: Team, table: string, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  await team.insert(
    table,
    Object.keys(first),
    rows.map((row) => JSON.stringify(row)),
  );
}
