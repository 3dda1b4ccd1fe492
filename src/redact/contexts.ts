/** Secrets known by where they stand: in a URL, a header, a cookie, a .netrc, a command line. */
import { mayAssign } from './mayassign.ts';
import { type Found, type Rule, tokenRule } from './rule.ts';
import { isPasswordValue, isRandom, isStandIn, isTokenValue } from './value.ts';

const guessable = (value: string) => !isRandom(value);
/** Passwords are chosen by people. */
const chosen = () => true;
const isReal = (value: string) => !isStandIn(value);
/** No word. */
const isChosen = (value: string) => isPasswordValue(value) && /\d/.test(value) && !/^[\w.@~-]*\//.test(value);

/** `name:password` in base64. */
function isLogin(value: string): boolean {
  try {
    return /^[ -~]+:[ -~]+$/.test(atob(value));
  } catch {
    return false;
  }
}

const cookieRule: Rule = {
  id: 'cookie',
  kind: 'cookie',
  anchors: ['cookie'],
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

export const AUTHORIZATION =
  /authorization(?:\\{0,3}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?(?:(?:basic|token|apikey|negotiate)\s{1,4})?(?<secret>[\w.~+/=:-]{8,2000})/i;
export const COOKIES = /cookie(?:\\{0,3}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?(?<pairs>[^\r\n"'\\]{8,4000})/diy;
const SESSION_NAME = /sess|sid|auth|token|jwt|csrf|xsrf|login|remember/i;

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
    /(?<=\b[a-z][a-z\d+.-]{1,20}):\/\/[^\s:@/?#"'`<>\\]{0,100}:(?<secret>[^\s@/"'`<>\\]{4,200})@(?=[\w.[$-])/i,
    {
      id: 'url-password',
      guessable: chosen,
      counts: (value, match) => isReal(value) && !match.startsWith(`://${value}:`) && value !== 'x-oauth-basic',
    },
  ),
  tokenRule('bearer-token', ['bearer'], /bearer\s{1,4}(?<secret>[\w.~+/=-]{12,4000})/i, {
    guessable,
    counts: isTokenValue,
  }),
  tokenRule('authorization', ['authorization'], AUTHORIZATION, {
    guessable,
    mayStand: mayAssign,
    counts: (value, match) => (/basic\s/i.test(match) ? isReal(value) : isTokenValue(value)),
  }),
  tokenRule(
    'password',
    ['machine'],
    /machine\s{1,20}\S{1,200}[\s+-]{1,20}login\s{1,20}\S{1,200}[\s+-]{1,20}password\s{1,20}(?<secret>\S{1,200})/,
    { id: 'netrc', guessable: chosen, counts: isReal },
  ),
  tokenRule(
    'password',
    ['-u[\\s="\']', '-u\\w{1,100}:', '--user'],
    /(?<=curl\s(?:[^\n;|&]{0,200}\s)?)(?:-u|--user)[\s=]{0,3}["']?[^\s:"'/]{1,100}:(?<secret>[^\s"'/]{4,200})/,
    { id: 'curl-user', guessable: chosen, counts: isReal },
  ),
  tokenRule('password', ['sshpass'], /sshpass\s{1,3}-p\s{0,3}["']?(?<secret>[^\s"']{3,200})/, {
    id: 'sshpass',
    guessable: chosen,
    counts: isReal,
  }),
  tokenRule('password', ['-pass'], /-pass(?:in|out)?[\s=]{1,3}["']?pass:(?<secret>[^\s"']{3,200})/, {
    id: 'openssl-password',
    guessable: chosen,
    counts: isReal,
  }),
  tokenRule('password', ['-storepass', '-keypass'], /-(?:store|key)pass\s{1,3}["']?(?<secret>[^\s"']{6,200})/, {
    id: 'keytool-password',
    guessable: chosen,
    counts: isReal,
  }),
  tokenRule(
    'password',
    ['identified ', 'password '],
    /(?:identified\s{1,4}by(?:\s{1,4}password)?|(?<=(?:user|role|login)\s[^;\n]{1,200}\s)password)\s{1,4}\\{0,3}['"](?<secret>[^'"\s\\]{6,200})\\{0,3}['"]/i,
    { id: 'sql-password', guessable: chosen, counts: isChosen },
  ),
  // Too short a name to be looked for like the others: `auth: { user: "…", pass: "…" }`.
  tokenRule(
    'password',
    ['pass["\'\\\\ ]{0,5}[:=]'],
    /(?<![A-Za-z])pass(?:\\{0,3}["'])?(?:[ \t]{0,3}[:=][ \t]{0,3}\\{0,3}["'](?<secret>[^"'\s\\]{6,200})\\{0,3}["'])/i,
    { id: 'short-password-name', guessable: chosen, counts: isChosen },
  ),
  tokenRule(
    'password',
    ['_auth[\\s=:"\']'],
    /(?<![\w-])_auth(?:\\{0,3}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'])?(?<secret>[A-Za-z\d+/]{8,400}={0,2})/,
    { id: 'npm-auth', guessable: chosen, counts: isLogin },
  ),
  cookieRule,
];
