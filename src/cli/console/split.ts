/** Where an answer that is still being written can be cut: what stands before will not change any more. */
import { lexer, type Token, type Tokens } from 'marked';

export interface Cut {
  /** Whole blocks of markdown. */
  readonly done: string;
  /** What follows `done` belongs to the same list or code: no blank line between them. */
  readonly goesOn: boolean;
  readonly rest: string;
}

/** A list or code that is longer is cut within itself, so that little has to be drawn again. */
const LONG = 12;
const LARGEST = 64 << 10;

/** Called when a line has ended: no block ends before. */
export function cutMarkdown(text: string): Cut {
  // A block without an end would be read again with each of its lines.
  if (text.length > LARGEST) return cutAnywhere(text);
  const tokens = tokensOf(text);
  const lastAt = tokens.findLastIndex(({ type }) => type !== 'space');
  const last = tokens[lastAt];
  if (last === undefined) return { done: '', goesOn: false, rest: text };
  const done = rawOf(tokens.slice(0, lastAt));
  const rest = text.slice(done.length);
  if (done.trim() !== '') return { done, goesOn: false, rest };
  const within = last.type === 'code' ? cutCode(rest) : last.type === 'list' ? cutList(last, rest) : undefined;
  return within ?? { done: '', goesOn: false, rest: text };
}

function cutAnywhere(text: string): Cut {
  const at = text.lastIndexOf('\n') + 1;
  return { done: text.slice(0, at), goesOn: true, rest: text.slice(at) };
}

/** None where it is nested deeper than can be read. */
function tokensOf(text: string): Token[] {
  try {
    return lexer(text);
  } catch {
    return [];
  }
}

function rawOf(tokens: readonly Token[]): string {
  return tokens.map(({ raw }) => raw).join('');
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[^\n]*\n/;

function cutCode(text: string): Cut | undefined {
  const [opening = '', fence = ''] = FENCE.exec(text) ?? [];
  if (opening === '') return undefined;
  const lines = text.slice(opening.length).split('\n');
  // The last line may go on, and the one before it may be the closing fence.
  const keep = 2;
  if (lines.length < LONG + keep) return undefined;
  const shown = lines.slice(0, -keep).join('\n');
  return { done: `${opening}${shown}\n${fence}\n`, goesOn: true, rest: opening + lines.slice(-keep).join('\n') };
}

function cutList(token: Token, text: string): Cut | undefined {
  const items = isList(token) ? token.items : [];
  const before = items
    .slice(0, -1)
    .map(({ raw }) => raw)
    .join('');
  if (before.split('\n').length < LONG || !text.startsWith(before)) return undefined;
  return { done: before, goesOn: true, rest: text.slice(before.length) };
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list' && 'items' in token;
}
