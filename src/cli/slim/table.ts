/** Tokens by kind, before and after. */
import { TOKEN_KINDS, type TokenCounts, type TokenKind } from '../../edit/tokens.ts';
import type { Context } from '../context.ts';
import { type Column, table } from '../layout.ts';

export interface TokenReport {
  readonly before: TokenCounts;
  readonly after: TokenCounts;
  readonly tokens: { readonly before: number; readonly after: number; readonly recorded: boolean };
}

interface Row {
  readonly kind: string;
  readonly before: string;
  readonly after: string;
  readonly saved: string;
}

const LABELS: Readonly<Record<TokenKind, string>> = {
  prompts: 'prompts',
  answers: 'answers',
  thinking: 'thinking',
  toolCalls: 'tool calls',
  toolResults: 'tool results',
  images: 'images',
  attachments: 'attachments',
};

const COLUMNS: readonly Column<Row>[] = [
  { title: 'tokens', cell: ({ kind }) => kind, drop: 0 },
  { title: 'before', cell: ({ before }) => before, drop: 0, align: 'right' },
  { title: 'after', cell: ({ after }) => after, drop: 0, align: 'right' },
  { title: 'saved', cell: ({ saved }) => saved, drop: 1, align: 'right' },
];

/** The API counts the whole request; what of it is which kind is guessed from lengths. */
export function tokenLines({ out }: Context, { before, after, tokens }: TokenReport): string[] {
  const kinds = TOKEN_KINDS.filter((kind) => before[kind] > 0 || after[kind] > 0);
  const rows = [
    ...kinds.map((kind) =>
      rowOf(LABELS[kind], `~${tokensText(before[kind])}`, `~${tokensText(after[kind])}`, before[kind] - after[kind]),
    ),
    rowOf(
      'context',
      `${tokens.recorded ? '' : '~'}${tokensText(tokens.before)}`,
      `~${tokensText(tokens.after)}`,
      tokens.before - tokens.after,
    ),
  ];
  const note = tokens.recorded
    ? 'The context before is what the API counted for the last answer, with system prompt and tools; the rest (~) is estimated.'
    : 'No counts of the API were recorded: all of it (~) is estimated.';
  return [...table(rows, COLUMNS, out.columns, out.style.dim), out.style.dim(note)];
}

function rowOf(kind: string, before: string, after: string, saved: number): Row {
  return { kind, before, after, saved: saved === 0 ? '' : `~${tokensText(saved)}` };
}

/** `812`, `4.3k`, `81k`. */
export function tokensText(count: number): string {
  if (Math.abs(count) < 1000) return String(Math.round(count));
  const thousands = count / 1000;
  return Math.abs(thousands) < 10 ? `${thousands.toFixed(1)}k` : `${Math.round(thousands)}k`;
}
