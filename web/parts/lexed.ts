/** Markdown as tokens. What takes the lexer or the browser longer than any reader would wait stays plain text. */
import { Lexer, type Token, type Tokens } from 'marked';

/** Within a paragraph the time grows with the square of its length. */
const LONGEST_PARAGRAPH = 10_000;
const MOST_CELLS = 5000;

class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length <= LONGEST_PARAGRAPH) return super.inlineTokens(source, tokens);
    tokens.push({ type: 'text', raw: source, text: source, escaped: false });
    return tokens;
  }
}

/** undefined for what cannot be taken apart, such as a thousand quotes within each other. */
export function lexed(text: string): Token[] | undefined {
  try {
    return new BoundedLexer({ gfm: true }).lex(text);
  } catch {
    return undefined;
  }
}

export function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table' && 'rows' in token && token.header.length * (token.rows.length + 1) <= MOST_CELLS;
}
