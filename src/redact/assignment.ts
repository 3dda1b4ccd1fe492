/** `password=…`, `"api_key": "…"`, `SECRET_KEY=…`, `--token …`: a value given to a name that says it is secret. */
import { mayAssign } from './mayassign.ts';
import type { Found, Rule } from './rule.ts';
import { isPasswordValue, isRandom, isTokenValue } from './value.ts';

/** What a name must hold. */
const CORES = [
  'passw(?:or)?d',
  'passphrase',
  'pwd',
  '_pass',
  'secret',
  'token(?!s|iz)',
  'credentials?',
  ...['api', 'access', 'private', 'signing', 'encryption', 'auth', 'master', 'app'].map((word) => `${word}[ _-]?key`),
];

/** And how it may end. */
const NAME = `(?<core>${CORES.join('|')})(?:[_-]?(?:key|access|value|base|hash|prod|dev|staging|live|old|new|\\d{1,2})){0,3}`;

/** Quotes however often escaped, the end of a list, or of bold letters. */
const NAME_END = String.raw`(?:\\{0,3}["'\`\]]){0,2}(?:\*\*)?`;
const QUOTE = String.raw`\\{0,3}["']`;

/** Before a line of a listing, or of a diff. */
const LINE_START = String.raw`[+-]?[ \t]{0,40}(?:\d{1,7}[→:|\t])?[+-]?[ \t]{0,40}`;

/** What stands between a name and its value. */
const BETWEEN = [
  String.raw`[ \t]{0,3}(?::=|=>|=|:)(?:\*\*)?`,
  // An option, and one in a list of arguments.
  String.raw`(?<=--[\w-]{0,60})[ \t]`,
  String.raw`(?<=--[\w-]{0,60}\\{0,3}["'\`]),\s{0,20}(?=\\{0,3}["'\`])`,
  // `name: X`, `value: …`: members and attributes of their own.
  String.raw`[ \t]{0,3},?(?:[ \t]{0,40}|[ \t]{0,3}\r?\n${LINE_START})(?:${QUOTE})?value(?:${QUOTE})?[ \t]{0,3}[:=]`,
  // `.setPassword("…")`, `.password("…")`.
  String.raw`(?<=(?:set|with|\.)_?passw(?:or)?d)\((?=${QUOTE})`,
  // An element, and a row of a table.
  String.raw`>(?=[^<>\s]{1,400}<\/)`,
  String.raw`[ \t]{1,30}\|(?=[ \t]{1,3}[^\s|]{1,400}[ \t]{1,40}\|)`,
].join('|');

/** The value up to its closing quote. */
const VALUE = String.raw`[ \t]{0,3}(?:\\{0,3}(?:"(?<double>[^"\r\n]{1,400})|'(?<single>[^'\r\n]{1,400})|\`(?<tick>[^\`\r\n]{1,400}))|(?<bare>[^\s"'\`,;&|<>(){}[\]\\]{1,400}))`;

export const ASSIGNED = new RegExp(`${NAME}${NAME_END}(?:${BETWEEN})${VALUE}`, 'diy');
/** Nothing but the name stands before the end of its line, and nothing but the value in the next, as it is asked for and typed. */
export const ON_NEXT_LINE = new RegExp(
  String.raw`${NAME}${NAME_END}[ \t]{0,3}:(?:\*\*)?[ \t]{0,3}(?:[|>][+-]?[ \t]{0,3})?\r?\n${LINE_START}["'\`]?(?<alone>[^\s"'\`]{6,400})["'\`]?,?[ \t]{0,3}(?=[\r\n]|$)`,
  'diy',
);
const MEMBER = new RegExp(`${NAME}$`, 'i');
/** A personal access token, and `pass`: names too short to be looked for in a text like the others. */
const SHORT = /_PAT$|^pass$/i;

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
      const { value, found: each } = assignedAt(text, at);
      if (each) found.push(each);
      // A long value without a space is looked at once, not again from every name inside it.
      seen = each?.end ?? (value.length >= LONG && !/\s/.test(value) ? at + value.length : seen);
    }
    return found;
  },
};

const LONG = 64;

function assignedAt(text: string, at: number): { value: string; found?: Found } {
  if (!mayAssign(text, at)) return { value: '' };
  ASSIGNED.lastIndex = at;
  const match = ASSIGNED.exec(text);
  if (!match) return aloneAt(text, at);
  const groups = match?.indices?.groups;
  const quoted = groups?.double ?? groups?.single ?? groups?.tick;
  const range = quoted ?? groups?.bare;
  if (!range || isCode(text, match[0], groups?.bare)) return { value: '' };
  // The closing quote of an escaped string is escaped as well.
  const value = text.slice(...range).replace(/\\+$/, '');
  const isSet = quoted !== undefined || isSetting(match[0], value);
  // A quote of another kind is a part of it, or ends it.
  for (const each of new Set([value, value.split(/["'`]/, 1)[0] ?? ''])) {
    const found = judge(match.groups?.core ?? '', each, isSet);
    if (found) return { value, found: { ...found, start: range[0], end: range[0] + each.length } };
  }
  return { value };
}

function aloneAt(text: string, at: number): { value: string; found?: Found } {
  ON_NEXT_LINE.lastIndex = at;
  const groups = ON_NEXT_LINE.exec(text)?.indices?.groups;
  const [range, core] = [groups?.alone, groups?.core];
  if (!range || !core) return { value: '' };
  const value = text.slice(...range);
  const found = NO_PASSWORD.test(value) ? undefined : judge(text.slice(...core), value, /\d/.test(value));
  return { value, ...(found && { found: { ...found, start: range[0], end: range[1] } }) };
}

/** What a line may be alone: a key or code that goes on, a path, a file, a member of something, the prompt of a shell. */
const NO_PASSWORD =
  /[:;{([]$|^[\w.@~-]{0,60}\/[\w.@~-]{1,60}(?:\/|\.[a-z]{1,5}(?::\d+)*$)|^[\w-]{1,60}\.[a-z]{1,5}(?::\d+)*$|^[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60})+$|@\S{1,100}[#$%>]$/;

/** A call, or a member of something after a space: `token = lib.Token.make(`, `key: lib.Key`. */
function isCode(text: string, match: string, bare: [number, number] | undefined): boolean {
  if (!bare) return false;
  const isMember = /[:=]\s+[A-Za-z_$][\w$]{0,60}(?:\??\.[A-Za-z_$][\w$]{0,60})+$/.test(match);
  return isMember || text[bare[1]] === '(' || text[bare[1]] === '[';
}

/** `X_PASSWORD=…` in a shell, `--password …`, `password: …` in YAML. After ` = ` a name is a variable of a program. */
function isSetting(match: string, value: string): boolean {
  return !/\s[:=]?=|=>?\s/.test(match) || /[^\w.$]/.test(value);
}

/** A member of a JSON object: the name stands apart from its value. */
export function secretMember(name: string, value: string): Judged | undefined {
  const core = MEMBER.exec(name)?.groups?.core ?? SHORT.exec(name)?.[0];
  return core === undefined || value.length > 400 || /\s/.test(value) ? undefined : judge(core, value, true);
}

const OPTION = /^--?[A-Za-z][\w-]{0,60}$/;

/** Of a list of arguments: the value after the option that names it. */
export function secretArgument(option: string, value: string): Judged | undefined {
  return OPTION.test(option) && !value.startsWith('-') ? secretMember(option, value) : undefined;
}

type Judged = Pick<Found, 'kind' | 'guessable'>;

function judge(core: string, value: string, isSet: boolean): Judged | undefined {
  if (PASSWORD_CORE.test(core)) {
    return isTokenValue(value) || (isSet && isPasswordValue(value)) ? { kind: 'password', guessable: true } : undefined;
  }
  return isTokenValue(value) ? { kind: 'secret', guessable: !isRandom(value) } : undefined;
}
