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
  ...['api', 'access', 'private', 'signing', 'encryption', 'auth', 'master', 'app'].map((word) => `${word}[_-]?key`),
];

/** And how it may end. */
const NAME = `(?<core>${CORES.join('|')})(?:[_-]?(?:key|access|value|base|hash|prod|dev|staging|live|old|new|\\d{1,2})){0,3}`;

/** After the name: quotes however often escaped, what assigns (in a list of arguments a comma), and the value up to its closing quote. */
const VALUE =
  /(?:\\{0,3}["'`\]]){0,2}(?:[ \t]{0,3}(?::=|=>|=|:)|(?<=--[\w-]{0,60})[ \t]|(?<=--[\w-]{0,60}\\{0,3}["'`]),\s{0,20}(?=\\{0,3}["'`]))[ \t]{0,3}(?:\\{0,3}(?:"(?<double>[^"\r\n]{1,400})|'(?<single>[^'\r\n]{1,400})|`(?<tick>[^`\r\n]{1,400}))|(?<bare>[^\s"'`,;&|<>(){}[\]\\]{1,400}))/;

export const ASSIGNED = new RegExp(`${NAME}${VALUE.source}`, 'diy');
const MEMBER = new RegExp(`${NAME}$`, 'i');
/** A personal access token, whose name is too short to be looked for in a text like the others. */
const PAT = /_PAT$/;

const PASSWORD_CORE = /^(?:passw|passphrase|pwd|_pass)/i;

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
  const groups = match?.indices?.groups;
  const quoted = groups?.double ?? groups?.single ?? groups?.tick;
  const range = quoted ?? groups?.bare;
  if (!match || !range || isCode(text, match[0], groups?.bare)) return { value: '' };
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
  const core = MEMBER.exec(name)?.groups?.core ?? PAT.exec(name)?.[0];
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
