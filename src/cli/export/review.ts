/** What was masked and what was left out of the chats as they are exported, with where it stood: to be looked at before saving. */
import type { Copy } from '../../export/copy.ts';
import { type LeftOutKind, PERSON } from '../../export/sharing.ts';
import type { Entry } from '../../format/entry.ts';
import type { Turn } from '../../graph/types.ts';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import type { Context } from '../context.ts';
import { cut, pad } from '../layout.ts';
import type { OpenedChat } from '../opened.ts';
import type { SharedChat } from './chats.ts';
import type { ExportOptions } from './format.ts';

export interface Review {
  readonly found: readonly FoundRow[];
  readonly leftOut: readonly LeftOutRow[];
}

export interface FoundRow {
  readonly kind: string;
  readonly placeholder: string;
  readonly count: number;
  readonly where: readonly Where[];
  readonly preview: string;
}

export interface LeftOutRow {
  readonly what: LeftOutKind;
  readonly count: number;
  readonly where: readonly Where[];
}

/** Null where it stands in no turn, such as a line that cannot be read. */
export interface Where {
  readonly chat: string;
  readonly turn: number | null;
  readonly uuid: string | null;
  readonly agent: string | null;
}

export const NOTHING_MASKED: Review = { found: [], leftOut: [] };

export function reviewOf({ notes }: Copy, chat: SharedChat): Review {
  const places = placesOf(chat);
  const rows = notes.flatMap((note): Review[] => {
    // A line that is left out stands in no turn; a large output belongs to some call. Other lines without a place are not exported.
    const isApart = note.line === 0 || note.leftOut.has('line');
    const place = isApart ? undefined : places.get(placeKey(note.file, note.line));
    if (place === undefined && !isApart) return [];
    const where = [place ?? { chat: chat.opened.listed.id, turn: null, uuid: null, agent: null }];
    return [
      {
        found: note.found.map(({ times, ...found }) => ({ ...found, count: times, where })),
        leftOut: [...note.leftOut].map(([what, count]) => ({ what, count, where })),
      },
    ];
  });
  return joinReviews(rows);
}

/** What is masked by the same placeholder is one row. Home folders and names, of which there are many, come last. */
export function joinReviews(reviews: readonly Review[]): Review {
  const found = joined(
    reviews.flatMap((review) => review.found),
    ({ placeholder }) => placeholder,
  );
  const leftOut = joined(
    reviews.flatMap((review) => review.leftOut),
    ({ what }) => what,
  );
  return { found: found.sort((a, b) => Number(a.kind === PERSON) - Number(b.kind === PERSON)), leftOut };
}

function joined<Row extends FoundRow | LeftOutRow>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return [...Map.groupBy(rows, keyOf).values()].flatMap((same) => {
    const [first] = same;
    const count = same.reduce((sum, row) => sum + row.count, 0);
    return first === undefined ? [] : [{ ...first, count, where: same.flatMap(({ where }) => where) }];
  });
}

/** Programs and readers are told the first places of each. */
const MOST_PLACES = 50;

export function reviewJson({ found, leftOut }: Review): Review {
  const first = <Row extends FoundRow | LeftOutRow>(row: Row): Row => ({
    ...row,
    where: row.where.slice(0, MOST_PLACES),
  });
  return { found: found.map(first), leftOut: leftOut.map(first) };
}

/** Signatures of thinking matter to those who get the blocks as they were written. */
export function withoutSignatures(review: Review): Review {
  return { ...review, leftOut: review.leftOut.filter(({ what }) => what !== 'signature') };
}

function placeKey(file: string, line: number): string {
  return `${file}:${line}`;
}

/** Every line that goes into the file, sub-agents' too, with the turn it belongs to. */
function placesOf({ opened, branches }: SharedChat): Map<string, Where> {
  const places = new Map<string, Where>();
  for (const { turns } of branches) for (const turn of turns) addTurn(places, opened, turn, turn.number, null);
  return places;
}

function addTurn(
  places: Map<string, Where>,
  opened: OpenedChat,
  turn: Turn,
  number: number,
  agent: string | null,
): void {
  const put = ({ source, line, head }: Entry) => {
    const key = placeKey(source.name, line.number);
    const where = { chat: opened.listed.id, turn: number, uuid: head.uuid ?? null, agent };
    if (!places.has(key)) places.set(key, where);
  };
  turn.entries.forEach(put);
  for (const call of turn.toolCalls) {
    if (call.result) put(call.result);
    const run = opened.agentOf(call);
    for (const inner of run?.turns ?? []) addTurn(places, opened, inner, number, run?.agentId ?? null);
  }
}

export const NOTHING_FOUND = 'No secrets found. What no rule knows is not found: look before you share.';

/** For people, on stderr. */
export function printReview({ err }: Context, { found, leftOut }: Review): void {
  const { style, columns } = err;
  const line = (text: string) => err.write(`${cut(text, Math.min(columns, 200))}\n`);
  if (found.length === 0 && leftOut.length === 0) line(style.dim(NOTHING_FOUND));
  const width = Math.max(0, ...found.map(({ placeholder }) => nameOf(placeholder).length));
  if (found.length > 0) err.write(`${style.bold('Masked')}\n`);
  for (const { placeholder, count, where, preview } of found) {
    line(
      `  ${pad(nameOf(placeholder), width)}  ${pad(`${count}×`, 5, 'right')}  ${turnsText(where)}  ${safeLine(preview)}`.trimEnd(),
    );
  }
  if (leftOut.length > 0) err.write(`${style.bold('Left out')} ${style.dim('(not looked into)')}\n`);
  for (const { what, count, where } of leftOut) {
    const hint = what === 'image' ? '  --images keeps them' : '';
    line(`  ${LEFT_OUT[what]}  ${count}×  ${turnsText(where)}${hint}`.trimEnd());
  }
}

const LEFT_OUT: Readonly<Record<LeftOutKind, string>> = {
  image: 'images',
  document: 'documents',
  base64: 'bytes in base64',
  signature: 'signatures of thinking',
  text: 'texts that are too long',
  line: 'lines that are no JSON',
};

function nameOf(placeholder: string): string {
  return placeholder === '~' ? 'home folders and user names' : placeholder;
}

/** `turns 2, 5–7` */
function turnsText(where: readonly Where[]): string {
  const turns = [...new Set(where.flatMap(({ turn }) => turn ?? []))].sort((a, b) => a - b);
  if (turns.length === 0) return '';
  const ranges: [number, number][] = [];
  for (const turn of turns) {
    const last = ranges.at(-1);
    if (last && turn === last[1] + 1) last[1] = turn;
    else ranges.push([turn, turn]);
  }
  const shown = ranges.slice(0, 6).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  const rest = ranges.length > shown.length ? ', …' : '';
  return `turn${turns.length > 1 ? 's' : ''} ${shown.join(', ')}${rest}`;
}

/** What a reader of the file is told of it. */
export function aboutText(
  { found, leftOut }: Review,
  { reveal, made }: Pick<ExportOptions, 'reveal' | 'made'>,
): string[] {
  const secrets = found.filter(({ kind }) => kind !== PERSON).reduce((sum, { count }) => sum + count, 0);
  const masked = reveal ? 'Nothing is masked.' : `${counted(secrets, 'secret is', 'secrets are')} masked.`;
  const left = leftOut.map(({ what, count }) => `${count} × ${LEFT_OUT[what]}`).join(', ');
  return [
    `Exported with Skein on ${made.toISOString().slice(0, 10)}. ${masked}`,
    ...(left === '' ? [] : [`Left out, because it cannot be looked into: ${left}.`]),
  ];
}
