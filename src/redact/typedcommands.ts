/** Passwords that are handed to a command on its input, or stand among its operands. Each pattern is made when it is needed. */
import { isChosen, isReal } from './commands.ts';
import { type Found, type Rule, stickyOf, tokenRule } from './rule.ts';

const SUDO = String.raw`sudo(?:[ \t]{1,3}-[A-Za-z]\S{0,20}(?:[ \t]{1,3}[^\s-]\S{0,60})?){0,4}?[ \t]{1,3}-[A-Za-z]{0,8}S(?![\w-])`;
const REST = String.raw`[^\n;|&]{0,200}?`;
/** What takes a password from standard input; the first of a line each, behind a name. */
const takes = () =>
  [
    String.raw`(?<names>chpasswd)(?![\w-])`,
    SUDO,
    String.raw`kinit(?![\w-])`,
    String.raw`(?:docker|podman|nerdctl|helm registry) login${REST}--password-stdin`,
    'gh secret set',
    `gh auth login${REST}--with-token`,
    `gcloud secrets ${REST}--data-file[= ]-`,
    'wrangler secret put',
    'vercel env add',
    'pass insert',
    String.raw`gpg2? ${REST}--passphrase-fd[= ]0`,
    'cryptsetup ',
    String.raw`passwd(?![\w-])`,
  ].join('|');
const to = () => String.raw`(?:${REST}[\s/"'])?(?:${takes()})`;
/** What ends a line, written or, where escapes were undone, meant. */
const END = String.raw`(?:\\{1,4}[rn]|[\r\n])`;
/** As it is given to a shell: in quotes, or without spaces. */
const WORD = String.raw`(?:["'](?<quoted>(?<=")[^"]{3,300}(?=")|(?<=')[^']{3,300}(?='))["']|(?<bare>[^\s"'|;&<>()]{3,200}))`;

const guessable = () => true;
const FARTHEST = 300;
const before = (text: string, at: number) => text.slice(Math.max(0, at - FARTHEST), at);

/** Nothing was sent since the password was asked for; a variable of that name asks for none. */
function isAskedFor(text: string, at: number): boolean {
  const said = before(text, at).replace(/\$\w{1,60}/g, '');
  const asked = Math.max(said.lastIndexOf('assword'), said.lastIndexOf('assphrase'));
  return asked >= 0 && !said.includes('send', asked);
}

/** Every line that is handed over. */
function linesIn(text: string, [start, end]: readonly [number, number], isNamed: boolean): Found[] {
  const found: Found[] = [];
  const add = (from: number, to: number) => {
    const line = text.slice(from, to);
    const name = isNamed
      ? (/^[+-]?[ \t]{0,40}(?:\d{1,7}[→\t])?[\w.@$-]{1,64}:/.exec(line)?.[0].length ?? line.length)
      : 0;
    const value = line.slice(name);
    if (value.length >= 3 && isReal(value))
      found.push({ kind: 'password', start: from + name, end: to, guessable: true });
  };
  let at = start;
  for (const { index, 0: ended } of text.slice(start, end).matchAll(new RegExp(END, 'g'))) {
    add(at, start + index);
    at = start + index + ended.length;
  }
  add(at, end);
  return found;
}

/** What stands before the mark that ends a document: the line break or, as in a title, a space. */
const BEFORE_MARK = /(?:\n[+-]?[ \t]{0,40}(?:\d{1,7}[→\t])?| )$/;
const LONGEST_DOCUMENT = 2000;

/** Of one place after the other: where the document that begins there ends. What was looked through once is not again. */
function documentEnds(text: string): (start: number, mark: string) => number | undefined {
  const looked = new Map<string, number>();
  return (start, mark) => {
    const least = start + 3;
    const most = start + LONGEST_DOCUMENT;
    let at = text.indexOf(mark, Math.max(least, looked.get(mark) ?? 0));
    for (; at >= 0 && at < most; at = text.indexOf(mark, at + 1)) {
      const from = Math.max(least, at - 50);
      const before = BEFORE_MARK.exec(text.slice(from, at));
      if (before && !/\w/.test(text.charAt(at + mark.length))) return from + before.index;
    }
    looked.set(mark, at < 0 ? text.length : most);
    return undefined;
  };
}

function handedRule(
  id: string,
  anchors: readonly string[],
  mayStand: (text: string, at: number) => boolean,
  pattern: () => string,
): Rule {
  let sticky: RegExp | undefined;
  return {
    id,
    kind: 'password',
    anchors,
    find(text, places) {
      const found: Found[] = [];
      const endOf = documentEnds(text);
      let seen = 0;
      for (const at of places) {
        if (at < seen || !mayStand(text, at)) continue;
        sticky ??= stickyOf(new RegExp(pattern()));
        sticky.lastIndex = at;
        const match = sticky.exec(text);
        const groups = match?.indices?.groups;
        const mark = match?.groups?.mark;
        const end = mark === undefined ? undefined : endOf(sticky.lastIndex, mark);
        const document = end === undefined ? undefined : ([sticky.lastIndex, end] as const);
        const range = groups?.quoted ?? groups?.bare ?? document;
        if (!range) continue;
        found.push(...linesIn(text, range, (groups?.names ?? document) !== undefined));
        seen = range[1];
      }
      return found;
    },
  };
}

export const TYPED_RULES: readonly Rule[] = [
  handedRule(
    'piped-password',
    ['echo\\ [^|]{3,300}\\|', 'printf\\ [^|]{3,300}\\|'],
    () => true,
    () =>
      String.raw`(?:echo|printf)(?:[ \t]{1,3}-[neE]{1,3})?(?:[ \t]{1,3}["']?%s${END}?["']?)?[ \t]{1,3}${WORD}[ \t]{0,3}\|[ \t]{0,3}${to()}`,
  ),
  handedRule(
    'handed-password',
    ['\\<\\<\\<', 'chpasswd[^\\n]{0,100}\\<\\<'],
    (text, at) =>
      text[at] === 'c' || (text[at - 1] !== '<' && /sudo|kinit|pass|login|secret|env add|crypt/.test(before(text, at))),
    () =>
      String.raw`(?:(?<=(?:${takes()})${REST})<<<\s{0,3}${WORD}|chpasswd[^\n;|&]{0,100}?<<-?[ \t]{0,3}["']?(?<mark>\w{1,30})["']?[^\n]{0,100}?(?:\n| (?=[\w.@$-]{1,64}:)))`,
  ),
  tokenRule(
    'password',
    ['htpasswd'],
    () =>
      /htpasswd(?:[ \t]{1,3}[a-z][\w./:-]{1,100})?(?=[^\n;|&]{0,60}?\s-[A-Za-z]{0,8}b)(?:[ \t]{1,3}(?:-[A-Za-z]{1,8}|\d{1,5})){1,6}(?:[ \t]{1,3}[^\s<>|;&-][^\s|;&]{0,200}){1,2}[ \t]{1,3}(?![<>])["']?(?<secret>(?<=["'])[^\s"']{4,200}|(?<!["'])[^\s"';|&)]{4,200})/,
    { id: 'htpasswd-password', guessable, counts: isChosen },
  ),
  tokenRule(
    'password',
    ['send\\ ', 'sendline'],
    () =>
      new RegExp(
        String.raw`(?:send\s{1,3}(?:--\s{1,3})?\\{0,3}["'{](?=[^"'\r\n\\{}]{3,200}${END})|sendline\s?\(b?["'])(?<secret>[^"'\r\n\\{}]{3,200})${END}{0,2}\\{0,3}["'}]`,
      ),
    {
      id: 'expect-password',
      guessable,
      counts: (value) => isReal(value) && !/^[[$]/.test(value),
      mayStand: isAskedFor,
    },
  ),
];
