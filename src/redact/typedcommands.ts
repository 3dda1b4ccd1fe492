/** Passwords on a command line, again: behind options, operands and pipes of commands that are rarer. Each pattern is made when it is needed. */
import { commandRule, VALUE } from './commands.ts';
import { type Rule, tokenRule } from './rule.ts';
import { isStandIn } from './value.ts';

/** Whatever else stands in the command before; it may go on in the next line (also one of a diff), whose backslash is gone where escapes were undone. */
const BEFORE = String.raw`\s(?:(?:[^\n;|&]|\n(?=[+-]?[ \t]{0,8}--?\w)){0,300}?\s)?`;
/** Options with their values and names of files: words would be those of a sentence. */
const FILES_BUT = (option: string) =>
  String.raw`(?:\s{1,3}(?!${option})(?:-\S{1,100}(?:\s{1,3}[^\s-]\S{0,100})?|(?=[^\s-]\S{0,60}[./*])\S{1,100})){0,8}\s{1,3}`;

const SUDO = String.raw`sudo(?:[ \t]{1,3}-[A-Za-z]\S{0,20}(?:[ \t]{1,3}[^\s-]\S{0,60})?){0,4}?[ \t]{1,3}-[A-Za-z]{0,8}S(?![\w-])`;
/** What takes a password from standard input. */
const TAKES = String.raw`(?:${SUDO}|kinit(?![\w-])|(?:docker|podman|nerdctl|helm registry) login[^\n;|&]{0,200}?--password-stdin)`;
const PIPES_INTO = ['sudo -', 'kinit', 'docker login', 'podman login', 'nerdctl login', 'helm registry login'];
/** What ends a line, written or, where escapes were undone, meant. */
const END = String.raw`(?:\\{1,4}[rn]|[\r\n])`;
/** As it is given to a shell: in quotes, or without spaces. What ends its line is no part of it. */
const WORD = String.raw`(?<secret>(?<=["'])[^"'\n]{3,200}(?=${END}?["'])|(?<!["'])[^\s"'|;&<>()]{3,200})`;
const SAID = String.raw`(?:echo|printf)(?:[ \t]{1,3}-[neE]{1,3})?(?:[ \t]{1,3}["']?%s${END}?["']?)?[ \t]{1,3}["']?${WORD}${END}?["']?[ \t]{0,3}\|[ \t]{0,3}`;

/** Here no word is one of a sentence. */
const isReal = (value: string) => !isStandIn(value);
const guessable = () => true;

const FARTHEST = 300;
const before = (text: string, at: number) => text.slice(Math.max(0, at - FARTHEST), at);

/** Nothing was sent since the password was asked for; a variable of that name asks for none. */
function isAskedFor(text: string, at: number): boolean {
  const said = before(text, at).replace(/\$\w{1,60}/g, '');
  const asked = Math.max(said.lastIndexOf('assword'), said.lastIndexOf('assphrase'));
  return asked >= 0 && !said.includes('send', asked);
}

export const TYPED_RULES: readonly Rule[] = [
  commandRule('ldap-password', ['ldap'], String.raw`ldap[a-z]{3,9}${BEFORE}-w\s{0,3}`, '-w'),
  commandRule(
    'zip-password',
    ['zip\\ ', 'unzip\\ '],
    String.raw`(?:un)?zip${FILES_BUT('-[A-Za-z]{0,8}P')}(?:-P\s{0,3}|-[A-Za-z]{1,8}P\s{1,3})`,
    'P',
  ),
  commandRule(
    'smb-password',
    ['smbclient', 'smbget', 'rpcclient'],
    String.raw`(?:smb[a-z]{3,6}|rpcclient)${BEFORE}(?:-U|--user(?:name)?)[\s=]{0,3}["']?[^\s%"']{1,100}%`,
    '%',
    // The quote stands before the name.
    String.raw`(?<secret>(?<=["'][^\s%"']{1,100}%)[^"'\n]{4,200}|(?<!["'][^\s%"']{1,100}%)[^\s"';|&)]{4,200})`,
  ),
  commandRule(
    'htpasswd-password',
    ['htpasswd'],
    String.raw`htpasswd(?:[ \t]{1,3}[a-z][\w./:-]{1,100})?(?=[^\n;|&]{0,60}?\s-[A-Za-z]{0,8}b)(?:[ \t]{1,3}(?:-[A-Za-z]{1,8}|\d{1,5})){1,6}(?:[ \t]{1,3}[^\s<>|;&-][^\s|;&]{0,200}){1,2}[ \t]{1,3}(?![<>])`,
    'b',
  ),
  tokenRule('password', PIPES_INTO, () => new RegExp(`(?<=${SAID})${TAKES}`), {
    id: 'piped-password',
    guessable,
    counts: isReal,
    mayStand: (text, at) => /\|[ \t]{0,3}$/.test(text.slice(Math.max(0, at - 4), at)),
  }),
  tokenRule('password', ['\\<\\<\\<'], () => new RegExp(String.raw`(?<=${TAKES}[^\n;|&]{0,200})<<<\s{0,3}${VALUE}`), {
    id: 'handed-password',
    guessable,
    counts: isReal,
    mayStand: (text, at) => text[at - 1] !== '<' && /sudo|kinit|-stdin/.test(before(text, at)),
  }),
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
