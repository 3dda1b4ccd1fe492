/** `password=…`, `"api_key": "…"`, `SECRET_KEY=…`, `--token …`: a value given to a name that says it is secret. */
import { lazy } from '../format/lazy.ts';
import { isNamedBefore, isSpaced, mayAssign, nameEndOf, SPACED, signAfter } from './mayassign.ts';
import type { Found, Rule } from './rule.ts';
import { isPasswordValue, isRandom, isShuffled, isTokenValue } from './value.ts';

/** What a name must hold. */
const CORES = [
  'passw(?:or)?d',
  'passphrase',
  'pwd',
  '_pass',
  'secret',
  // Where a page begins, and which key a library was signed with, is no secret.
  'token(?!s|iz)(?<!nexttoken|(?:page|continuation|public[_-]?key)[ _-]?token)',
  'credentials?',
  ...['api', 'access', 'private', 'signing', 'encryption', 'auth', 'master', 'app', 'subscription'].map(
    (word) => `${word}[ _-]?key`,
  ),
  // `SERVICE_ROLE_KEY`, `TRELLO_KEY`, `PASSWORD_SALT`.
  '_key',
  '_salt',
];

/** And how it may end. */
const NAME = `(?<core>${CORES.join('|')})(?:(?<=secret) key|[_-]?(?:key|(?<=secret[_-]?)id|access|value|base|hash|prod|dev|staging|live|old|new|v?\\d{1,2})){0,3}`;

/** Quotes however often escaped, the end of a list, or of bold letters. */
const NAME_END = String.raw`(?:\\{0,3}["'\`\]]){0,2}(?:\*\*)?`;
const QUOTE = String.raw`\\{0,3}["']`;

/** Before a line of a listing, or of a diff. */
const LINE_START = String.raw`[+-]?[ \t]{0,40}(?:\d{1,7}[→:|\t])?[+-]?[ \t]{0,40}`;

/** A value in quotes, and what gives a name before it. */
const QUOTED = String.raw`[ \t]{0,3}(?=\\{0,3}["'\`])`;
const QUOTED_NAME = String.raw`\\{0,3}["'\`][\w.-]{1,60}\\{0,3}["'\`]`;
/** Files of settings and plans have their signs one below the other. */
const ASSIGNS = '[ \\t]{0,40}(?::=|=>|=|::(?=[ \\t])|:)';

/** What stands between a name and its value. */
const between = () =>
  [
    // A block of YAML, or the next line of a listing, whose line breaks are gone as in a title.
    String.raw`[ \t]{0,3}:[ \t](?:[|>][+-]?|\d{1,7}→)(?= )`,
    `${ASSIGNS}(?:\\*\\*)?`,
    // An option, and one in a list of arguments.
    String.raw`(?<=--(?:[\w.-]{0,60}|arg[ \t]\w{0,60}))[ \t](?!--?[A-Za-z])`,
    String.raw`(?<=--[\w.-]{0,60}\\{0,3}["'\`]),\s{0,20}(?=\\{0,3}["'\`])`,
    // `name: X`, `value: …`: members and attributes of their own.
    String.raw`[ \t]{0,3},?(?:[ \t]{0,40}|[ \t]{0,3}\r?\n${LINE_START})(?:${QUOTE})?value(?:${QUOTE})?[ \t]{0,3}[:=]`,
    // `.setPassword("…")`, `.password("…")`.
    String.raw`(?<=(?:set|with|\.|= ?)_?passw(?:or)?d)\((?=${QUOTE})`,
    // An element, and a row of a table.
    String.raw`>(?=[^<>\s]{1,400}<\/)`,
    String.raw`[ \t]{1,30}\|(?=[ \t]{1,3}[^\s|]{1,400}[ \t]{1,40}\|)`,
  ].join('|');

/** Rarer ways. */
const rarelyBetween = () =>
  [
    // Of a type; what else it is when a variable has no value.
    String.raw`[ \t]{0,3}:[ \t]{0,3}[&?\w<>[\]. |]{1,40}=${QUOTED}`,
    String.raw`${ASSIGNS}(?:[^\n"'\`;,\\]|${QUOTED_NAME}){1,80}(?:\|\||\?\?|\sor\s)${QUOTED}`,
    String.raw`${ASSIGNS}[ \t]{0,3}[\w.]{1,60}\(${QUOTED_NAME},${QUOTED}`,
    // `define("DB_PASSWORD", "…")`, `fill("#password", "…")`, `get("[name=password]").type("…")`.
    String.raw`(?<=\([ \t]{0,3}\\{0,3}["'\`][^\s"'\`\\]{1,80}\\{0,3}["'\`]),(?<call>${QUOTED})`,
    String.raw`\)\.(?:fill|type|send_?keys|set_?value|press_?sequentially)\((?<act>${QUOTED})`,
    // A variable of Terraform, and an output.
    String.raw`[ \t]{0,3}(?:[:=][ \t]{0,3})?\{[^{}]{0,300}?(?<!\w)(?:default|value)(?:${QUOTE})?[ \t]{0,10}[:=]`,
    String.raw`(?<=#define[ \t]{1,5}\w{0,60})[ \t]{1,20}(?=")`,
    // In a Dockerfile, a shell, and for a server of the web.
    String.raw`(?<=(?<!\w)(?:ENV|[Ss]et[Ee]nv|\w{1,20}_param)[ \t]{1,5}\w{0,60})[ \t]{1,20}(?=\S)`,
    // `storePassword '…'` of Gradle, `proxy_set_header X-Api-Key "…";`
    String.raw`(?<=\w)(?<spaced>(?=${SPACED})[ \t]{1,3})`,
    // A property list; what is held in something.
    String.raw`<\/key>\s{0,40}<string>(?=[^<]{1,400}<\/)`,
    String.raw`${ASSIGNS}[ \t]{0,3}(?:Some|Just|SecretStr(?:ing)?|String::from)\((?=${QUOTE})`,
  ].join('|');

/** The value up to its closing quote. */
const VALUE = String.raw`[ \t]{0,20}(?:\\{0,3}(?:"(?:"")?(?<double>[^"\r\n]{1,400})|'(?:'')?(?<single>[^'\r\n]{1,400})|\`(?<tick>[^\`\r\n]{1,400}))|(?<bare>[^\s"'\`,;&|<>(){}[\]\\]{1,400}))`;

/** Made when a name is there to which something may be given: V8 reads a pattern as soon as there is one. */
export const assigned = lazy(() => new RegExp(`${NAME}${NAME_END}(?:${between()})${VALUE}`, 'diy'));
export const rarelyAssigned = lazy(() => new RegExp(`${NAME}${NAME_END}(?:${rarelyBetween()})${VALUE}`, 'diy'));
/** Nothing but the name stands before the end of its line, and nothing but the value in the next, as it is asked for and typed. */
export const onNextLine = lazy(
  () =>
    new RegExp(
      String.raw`${NAME}${NAME_END}[ \t]{0,3}:(?:\*\*)?[ \t]{0,3}(?:[|>][+-]?[ \t]{0,3})?\r?\n${LINE_START}["'\`]?(?<alone>[^\s"'\`]{6,400})["'\`]?,?[ \t]{0,3}(?=[\r\n]|$)`,
      'diy',
    ),
);
const member = lazy(() => new RegExp(`${NAME}$`, 'i'));
/** A personal access token, and `pass`: names too short to be looked for in a text like the others. */
const SHORT = /_(?:PAT|pat)$|^[pP][aA][sS][sS]$/;

const PASSWORD_CORE = /^(?:pass|pwd|_pass)/i;

export const assignmentRule: Rule = {
  id: 'assignment',
  kind: 'secret',
  anchors: CORES,
  anyCase: true,
  find(text, places) {
    const found: Found[] = [];
    let seen = 0;
    for (const at of places) {
      if (at < seen) continue;
      const { value, found: each, next } = assignedAt(text, at);
      if (each) found.push(each);
      if (next) found.push(next);
      // A long value without a space is looked at once, not again from every name inside it.
      seen = next?.end ?? each?.end ?? (value.length >= LONG && !/\s/.test(value) ? at + value.length : seen);
    }
    return found;
  },
};

/** Digits of a hash, or letters and digits in no order. */
const isDrawn = (value: string) => /^[\da-f]{32,400}$/.test(value) || (isRandom(value) && isShuffled(value));

const LONG = 64;
const SETTING = /^(?:SECRET|SECRET_KEY|secret|secret-key)=\\{0,3}["']?/;

/** `JWT_SECRET=…` in a file of settings: what a person chose is no name of anything when it has digits in it. */
function chosenSecret(match: string, value: string): Judged | undefined {
  const isChosen = SETTING.test(match) && value.length >= 10 && /\d/.test(value) && !value.includes('/');
  return isChosen && isPasswordValue(value) ? { kind: 'secret', guessable: true } : undefined;
}

interface Assigned {
  readonly value: string;
  readonly found?: Found;
  /** What it is changed to. */
  readonly next?: Found | undefined;
}

function assignedAt(text: string, at: number): Assigned {
  if (!mayAssign(text, at)) return { value: '' };
  const match = (isRare(text, at) ? matchAt(rarelyAssigned(), text, at) : null) ?? matchAt(assigned(), text, at);
  if (!match) return aloneAt(text, at);
  const groups = match?.indices?.groups;
  const quoted = groups?.double ?? groups?.single ?? groups?.tick;
  const range = quoted ?? groups?.bare;
  if (!range || isCode(text, match[0], groups?.bare)) return { value: '' };
  if (isInUrl(text, at, text.slice(...range))) return { value: '' };
  // The closing quote of an escaped string is escaped as well.
  const written = text.slice(...range).replace(/\\+$/, '');
  // What a machine made goes up to the end of a sentence, without it.
  const value = quoted === undefined && isRandom(written) ? written.replace(/\.$/, '') : written;
  const { core = '', call, act, spaced } = match.groups ?? {};
  const isCall = (call ?? act ?? spaced) !== undefined;
  // What follows a word may be a name.
  if (spaced !== undefined && !PASSWORD_CORE.test(core) && !isDrawn(value)) return { value };
  const isSet = isCall ? /\W/.test(value) && /\d/.test(value) : quoted !== undefined || isSetting(match[0], value);
  const named = before(text, at);
  const next = quoted && changedTo(text, quoted[1], (value) => judge(core, value, true, named));
  // A quote of another kind is a part of it, or ends it.
  for (const each of new Set([quoted ? withQuotes(text, range) : value, value, value.split(/["'`]/, 1)[0] ?? ''])) {
    const found = judge(core, each, isSet, named) ?? chosenSecret(match[0], each);
    if (found) return { value, found: { ...found, start: range[0], end: range[0] + each.length }, next };
  }
  return { value, next };
}

let change: RegExp | undefined;

/** `~ password = "…" -> "…"`, as Terraform tells what it will do; `end`: of the first value. */
function changedTo(text: string, end: number, judged: (value: string) => Judged | undefined): Found | undefined {
  change ??= new RegExp(String.raw`${QUOTE} -> \\{0,3}"(?<value>[^"\r\n]{1,400})"`, 'dy');
  change.lastIndex = end;
  const range = change.exec(text)?.indices?.groups?.value;
  if (!range) return undefined;
  const value = text.slice(...range).replace(/\\+$/, '');
  const found = judged(value);
  return found && { ...found, start: range[0], end: range[0] + value.length };
}

/** The value up to the quote that is escaped as the first is: others, escaped once more, are a part of it. */
function withQuotes(text: string, [start, end]: readonly [number, number]): string {
  const own = /\\{0,3}(?=["'`]?$)/.exec(text.slice(Math.max(0, start - 4), start))?.[0].length ?? 0;
  const escapes = (at: number) => /\\{0,7}$/.exec(text.slice(Math.max(0, at - 7), at))?.[0].length ?? 0;
  const quote = text.charAt(start - 1);
  let to = end;
  for (let more = 0; more < 4 && /["']/.test(quote) && escapes(to) > own; more += 1) {
    const next = text.indexOf(quote, to + 1);
    if (next < 0 || next > start + 400) break;
    to = next;
  }
  return text.slice(start, to - escapes(to));
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** Whether it may be one of the rarer ways: most are not, and the pattern of these is large. */
function isRare(text: string, at: number): boolean {
  const next = signAfter(text, nameEndOf(text, at));
  const sign = text.charAt(next);
  if (sign !== ':' && sign !== '=')
    return /[,){<]/.test(sign) || isSpaced(text, nameEndOf(text, at)) || isNamedBefore(text, at);
  const rest = text.slice(next + 1, next + 100).split(/["'`\n]/, 1)[0] ?? '';
  return /[=({]|\|\||\?\?| or /.test(rest.replace(/^[=>]/, ''));
}

const before = (text: string, at: number) => text.slice(Math.max(0, at - LONG), at);

function aloneAt(text: string, at: number): Assigned {
  const pattern = onNextLine();
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  const { alone: value = '', core = '' } = match?.groups ?? {};
  const range = match?.indices?.groups?.alone;
  if (!range) return { value };
  const found = NO_PASSWORD.test(value) ? undefined : judge(core, value, /\d/.test(value), before(text, at));
  return { value, ...(found && { found: { ...found, start: range[0], end: range[1] } }) };
}

/** What a line may be alone: a key or code that goes on, a path, a file, a member of something, the prompt of a shell. */
const NO_PASSWORD =
  /[:;{([]$|^[\w.@~-]{0,60}\/[\w.@~-]{1,60}(?:\/|\.[a-z]{1,5}(?::\d+)*$)|^[\w-]{1,60}\.[a-z]{1,5}(?::\d+)*$|^[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60})+$|@\S{1,100}[#$%>]$/;

/** A call, or a member of something after a space: `token = lib.Token.make(`, `key: lib.Key`. */
function isCode(text: string, match: string, bare: [number, number] | undefined): boolean {
  if (!bare) return false;
  const isMember = /[:=]\s+[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60})+$/.test(match);
  return isMember || text[bare[1]] === '(' || text[bare[1]] === '[' || isPointer(text, bare);
}

/** `$config->password`, `other->token`. */
function isPointer(text: string, [start, end]: readonly [number, number]): boolean {
  return text[end] === '>' && /^[$@%&*]{0,2}[A-Za-z_][\w:$]*-$/.test(text.slice(start, end));
}

/** `https://x-access-token:…@host`: what stands there is a URL's password, up to the host. */
function isInUrl(text: string, at: number, value: string): boolean {
  return value.includes('@') && /:\/\/[^\s/@"'`]{0,64}$/.test(text.slice(Math.max(0, at - LONG), at));
}

/** `X_PASSWORD=…` in a shell, `--password …`, `password: …` in YAML. After ` = ` a name is a variable of a program. */
function isSetting(match: string, value: string): boolean {
  return !/\s[:=]?=|=>?\s/.test(match) || /[^\w.$]/.test(value);
}

/** A member of a JSON object: the name stands apart from its value. */
export function secretMember(name: string, value: string): Judged | undefined {
  if (value.length > 400 || /\s/.test(value)) return undefined;
  const named = nameOf(name);
  return named && judge(named.core, value, true, named.before);
}

interface MemberName {
  readonly core: string;
  /** What stands before it. */
  readonly before: string;
}

/** Part of whatever names a secret: most names have none, and the pattern of all that do is long. */
const MAY_NAME = /pass|pwd|secret|token|credential|key|salt/i;
/** The same few names come again and again. */
const MOST_NAMES = 1000;
const names = new Map<string, MemberName | undefined>();

function nameOf(name: string): MemberName | undefined {
  const known = names.get(name);
  if (known !== undefined || names.has(name)) return known;
  const match = MAY_NAME.test(name) ? member().exec(name) : undefined;
  const core = match?.groups?.core ?? SHORT.exec(name)?.[0];
  const found = core === undefined ? undefined : { core, before: name.slice(0, match?.index) };
  if (names.size >= MOST_NAMES) names.clear();
  names.set(name, found);
  return found;
}

const OPTION = /^--?[A-Za-z][\w.-]{0,60}$/;

/** Of a list of arguments: the value after the option that names it. */
export function secretArgument(option: string, value: string): Judged | undefined {
  return OPTION.test(option) && !value.startsWith('-') ? secretMember(option, value) : undefined;
}

type Judged = Pick<Found, 'kind' | 'guessable'>;

const SECRET_KEY = /(?:admin|role|storage|jwt|hmac)$/i;
/** Keys that are no secret, and those that name a thing. */
const PUBLISHED =
  /(?:pub|gpg|pgp|site|host|anon|cache|restore|hash|file|object|s3|path|next|last|primary|foreign|sort|partition|shard|row|index|group|query|lookup|idempotency|dedup)\w{0,40}$/i;

/** `TRELLO_KEY=…`: of a variable, where the name alone does not tell, what is drawn. */
const isKeyOf = (named: string, core: string, value: string) =>
  SECRET_KEY.test(named) || (core === '_KEY' && !PUBLISHED.test(named) && isDrawn(value));

/** `named`: what stands before the core of the name. */
function judge(core: string, value: string, isSet: boolean, named: string): Judged | undefined {
  if (/^_key$/i.test(core) && !isKeyOf(named, core, value)) return undefined;
  if (PASSWORD_CORE.test(core)) {
    return isTokenValue(value) || (isSet && isPasswordValue(value)) ? { kind: 'password', guessable: true } : undefined;
  }
  return isTokenValue(value) ? { kind: 'secret', guessable: !isRandom(value) } : undefined;
}
