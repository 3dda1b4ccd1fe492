/** Just enough of SQL's words to carry a statement to the engine: texts, names, placeholders, everything else as it stands. */

const TOKEN =
  /'(?:\\.|''|[^'\\])*'|`(?:\\.|``|[^`\\])*`|"(?:\\.|""|[^"\\])*"|--[^\n]*|\/\*[\s\S]*?\*\/|\{\s*\w+\s*:[^}]+\}|[\w$]+|\s+|[\s\S]/gy;

/** Without comments. */
export function tokensOf(sql: string): string[] {
  return (sql.match(TOKEN) ?? []).filter((token) => !/^(?:--|\/\*)/.test(token));
}

export function wordsOf(sql: string): string[] {
  return tokensOf(sql).filter((token) => /\S/.test(token));
}

export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

/** A name or a text without its quotes. */
export function bare(token: string): string {
  const quote = token[0];
  if (quote !== "'" && quote !== '`' && quote !== '"') return token;
  return token
    .slice(1, -1)
    .replaceAll(quote + quote, quote)
    .replace(/\\(.)/g, '$1');
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', r: '\r', t: '\t', n: '\n', '0': '\0' };

/** A parameter as it travels: escaped like a field of TSV, so that lists stand as they are. */
function unescaped(wire: string, type: string): string | undefined {
  if (wire === '\\N') return undefined;
  if (/^(?:Array|Tuple|Map)\b/.test(type)) return wire;
  return wire.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char);
}

/** The statement with its parameters in it, as the engine itself puts them: constants cast to their type. */
export function withParams(sql: string, params: Readonly<Record<string, string>>): string {
  return tokensOf(sql)
    .map((token) => {
      const [, name = '', type = ''] = /^\{\s*(\w+)\s*:\s*([^}]+?)\s*\}$/.exec(token) ?? [];
      if (name === '') return token;
      const wire = params[name];
      if (wire === undefined) throw new SqlError(456, `Substitution \`${name}\` is not set`, 'UNKNOWN_QUERY_PARAMETER');
      const value = unescaped(wire, type);
      if (type === 'Identifier') return `\`${(value ?? '').replace(/[\\`]/g, '\\$&')}\``;
      return `CAST(${value === undefined ? 'NULL' : quoted(value)}, ${quoted(type)})`;
    })
    .join('');
}

/** In a view the engine says `default` for currentUser(), and checks rights and rows as those of the definer: the login is put in. */
export function asLogin(sql: string, login: string): string {
  const tokens = tokensOf(sql);
  /** The place after the next token that is no space. */
  const after = (at: number) => {
    let next = at;
    while (/^\s+$/.test(tokens[next] ?? '')) next++;
    return next + 1;
  };
  let text = '';
  for (let at = 0; at < tokens.length; ) {
    const open = after(at + 1);
    const close = after(open);
    const isCall = tokens[open - 1] === '(' && tokens[close - 1] === ')';
    if (isCall && /^(?:currentUser|user)$/i.test(tokens[at] ?? '')) {
      text += quoted(login);
      at = close;
    } else text += tokens[at++];
  }
  return text;
}

/** The query, and the format it asks for at its end. */
export function splitFormat(sql: string): { readonly query: string; readonly format: string | undefined } {
  const tokens = tokensOf(sql.trim().replace(/;$/, ''));
  const full = tokens.map((token, at) => ({ token, at })).filter(({ token }) => /\S/.test(token));
  const before = full.at(-2);
  if (before === undefined || before.token.toUpperCase() !== 'FORMAT')
    return { query: tokens.join(''), format: undefined };
  return { query: tokens.slice(0, before.at).join(''), format: full.at(-1)?.token };
}

/** An error as the server tells it. */
export class SqlError extends Error {
  readonly code: number;
  readonly type: string;

  constructor(code: number, message: string, type: string) {
    super(message);
    this.code = code;
    this.type = type;
  }
}

export function denied(login: string, what: string): SqlError {
  return new SqlError(
    497,
    `${login}: Not enough privileges. To execute this query, it's necessary to have the grant ${what}.`,
    'ACCESS_DENIED',
  );
}

export function notUnderstood(what: string): SqlError {
  return new SqlError(
    48,
    `The test server does not understand this and lets nothing through: ${what}`,
    'NOT_IMPLEMENTED',
  );
}
