/** Secrets known by where they stand: in a URL, a header, a cookie, a .netrc, a command line. */
import { mayAssign } from './mayassign.ts';
import { type Found, type Rule, tokenRule } from './rule.ts';
import { isAppPassword, isPasswordValue, isRandom, isStandIn, isTokenValue } from './value.ts';

const guessable = (value: string) => !isRandom(value);
/** Passwords are chosen by people. */
const chosen = () => true;
const isReal = (value: string) => !isStandIn(value);
/** No word, number or path. */
const isChosen = (value: string) =>
  isAppPassword(value) ||
  (isPasswordValue(value) && /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[\w.@~-]*\//.test(value));

/** `name:password` in base64. */
function isLogin(value: string): boolean {
  try {
    return /^[ -~]+:[ -~]+$/.test(atob(value));
  } catch {
    return false;
  }
}

/** `pass`, `db_pass`, `dbPass`, `rootpw`: no end of another word. */
function beginsName(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 8), at);
  return !/[A-Za-z]$/.test(before) || (/[a-z]$/.test(before) && /[A-Z]/.test(text.charAt(at))) || PREFIX.test(before);
}

const RESULT = '(?:PASS|FAIL|SKIP|ERROR): ';
/** Written, or meant inside of a string. */
const BREAK = String.raw`(?:\n|\\n)[ \t]{0,20}`;

/** `PASS: name` with more of the kind in the line before it or after it, as test runners print them. */
function isTestResult(text: string, at: number): boolean {
  if (!text.startsWith('PASS:', at)) return false;
  const [before, after] = [text.slice(Math.max(0, at - FARTHEST), at), text.slice(at, at + FARTHEST)];
  return new RegExp(`${RESULT}[^\\n]*${BREAK}$`).test(before) || new RegExp(`^[^\\n]*?${BREAK}${RESULT}`).test(after);
}

const FARTHEST = 300;
const PREFIX = /(?:ssh|root|admin|bind)$/i;

const cookieRule: Rule = {
  id: 'cookie',
  kind: 'cookie',
  // Not in a sentence.
  anchors: ['cookie(?! ?[a-z])'],
  anyCase: true,
  find(text, places) {
    const found: Found[] = [];
    let seen = 0;
    for (const at of places) {
      if (at < seen || !mayAssign(text, at)) continue;
      COOKIES.lastIndex = at;
      const pairs = COOKIES.exec(text)?.indices?.groups?.pairs;
      if (!pairs) continue;
      found.push(...sessionsIn(text, ...pairs));
      seen = pairs[1];
    }
    return found;
  },
};

/** Whatever the scheme: `SSWS`, `GenieKey`, `Bot`. */
export const authorization = () =>
  /authorization(?:\\{0,3}["'])?\s{0,3}(?:[:=]|,(?=\s{0,3}\\{0,3}["']))\s{0,3}(?:\\{0,3}["'])?(?:(?!(?:bearer|new|await|typeof)\s)[a-z][a-z-]{1,24}\s{1,4}(?:token=(?:\\{0,3}["'])?)?)?(?<secret>[\w.~+/=:-]{7,1999}[\w~+/=:-])/i;
export const COOKIES = /cookie(?:\\{0,3}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?(?<pairs>[^\r\n"'\\]{8,4000})/diy;
const SESSION_NAME = /sess|sid|auth|token|jwt|csrf|xsrf|login|logged_in|remember/i;

/** The pairs of one header that name a session. */
function sessionsIn(text: string, start: number, end: number): Found[] {
  const found: Found[] = [];
  let at = start;
  for (const pair of text.slice(start, end).split(';')) {
    const equals = pair.indexOf('=');
    const value = equals < 0 ? '' : (/^\S{0,4000}/.exec(pair.slice(equals + 1))?.[0] ?? '');
    if (value.length >= 12 && SESSION_NAME.test(pair.slice(0, equals)) && isReal(value)) {
      const from = at + equals + 1;
      found.push({ kind: 'cookie', start: from, end: from + value.length, guessable: guessable(value) });
    }
    at += pair.length + 1;
  }
  return found;
}

export const CONTEXT_RULES: readonly Rule[] = [
  tokenRule(
    'password',
    ['://'],
    () => /(?<=\b[a-z][a-z\d+.-]{1,20}):\/\/[^\s:@/?#"'`<>\\]{0,100}:(?<secret>[^\s@/"'`<>\\]{4,200})@(?=[\w.[$-])/i,
    {
      anyCase: true,
      id: 'url-password',
      guessable: chosen,
      counts: (value, match) => isReal(value) && !match.startsWith(`://${value}:`) && value !== 'x-oauth-basic',
    },
  ),
  tokenRule('bearer-token', ['bearer'], () => /bearer(?:\\{0,7}\s){1,4}(?<secret>[\w.~+/=-]{11,3999}[\w~+/=-])/i, {
    anyCase: true,
    guessable,
    counts: isTokenValue,
  }),
  tokenRule('authorization', ['authorization(?! ?[a-z])'], authorization, {
    anyCase: true,
    guessable,
    mayStand: mayAssign,
    counts: (value, match) => (/basic\s/i.test(match) ? isReal(value) : isTokenValue(value)),
  }),
  tokenRule(
    'password',
    ['machine', 'default\\ login'],
    // What ends a string around it is no part of it.
    () =>
      /(?:machine\s{1,20}\S{1,200}|default)[\s+-]{1,20}login\s{1,20}\S{1,200}[\s+-]{1,20}password\s{1,20}(?<secret>(?:[^\s"\\]|\\(?!\\{0,6}["nrt])|"(?![\s,}\])]|$)){1,200})/,
    {
      id: 'netrc',
      guessable: chosen,
      counts: (value, match) => isReal(value) && !(match.startsWith('default') && /^[a-z]+(?:@[a-z.]*)?$/.test(value)),
    },
  ),
  tokenRule(
    'password',
    ['identified ', 'password '],
    () =>
      /(?:identified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?by(?:\s{1,4}password)?|(?<=(?:user|role|login)\s[^;\n]{1,200}\s)password|(?<=set\s)password\s{1,4}for\s{1,4}[^\s=;]{1,100}\s{0,3}=)\s{1,4}\\{0,3}['"](?<secret>[^'"\s\\]{6,200})\\{0,3}['"]/i,
    { anyCase: true, id: 'sql-password', guessable: chosen, counts: isChosen },
  ),
  // Names too short to be looked for like the others: `auth: { user: "…", pass: "…" }`, `PASS=…`, `rootpw …`.
  tokenRule(
    'password',
    ['pass["\'\\\\ ]{0,5}[:=]', 'requirepass\\ ', 'pw["\'\\\\]{0,5}[\\s:=]', 'psk["\'\\\\ ]{0,5}[:=]'],
    () =>
      /(?:pass|pw|psk)(?:\\{0,3}["'])?(?:[ \t]{0,3}(?:[:=]|:=)[ \t]{0,3}\\{0,3}["'](?<secret>[^"'\r\n\\]{6,200})\\{0,3}["']|=(?<bare>[^\s"'`,;&|<>(){}[\]\\]{6,200})|(?<=^[ \t]{0,20}\w{2,20}|[\r\n"](?:[ \t]{0,40}\d{1,7}[→\t])?[+-]?[ \t]{0,40}\w{2,20}):[ \t]{1,3}(?<yaml>[^\s"'`,;&|<>(){}[\]\\]{6,200})(?=[ \t]{0,3}(?:[\r\n\\"]|$)))|requirepass[ \t]{1,4}(?<redis>[^\s"']{6,200})|(?<=root|bind)pw[ \t]{1,4}(?:--\w{1,20}[ \t]{1,4})?(?<bind>[^\s"']{6,200})/i,
    {
      anyCase: true,
      id: 'short-password-name',
      guessable: chosen,
      counts: isChosen,
      mayStand: (text, at) => beginsName(text, at) && !isTestResult(text, at),
    },
  ),
  tokenRule(
    'password',
    ['_auth[\\s=:"\']'],
    () => /(?<![\w-])_auth(?:\\{0,3}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?(?<secret>[A-Za-z\d+/]{8,400}={0,2})/,
    { id: 'npm-auth', guessable: chosen, counts: isLogin },
  ),
  cookieRule,
];
