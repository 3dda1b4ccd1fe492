/** Whether a value that stands where a secret would is one, or a stand-in, a reference or a word. */

/** Bits per character of the text's own distribution. */
export function entropy(text: string): number {
  const counts = new Map<number, number>();
  const length = Math.min(text.length, LONGEST_LOOK);
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let bits = 0;
  for (const count of counts.values()) bits -= (count / length) * Math.log2(count / length);
  return bits;
}

/** More would not change the answer. */
const LONGEST_LOOK = 200;

/** References, templates and calls: what stands in code instead of a secret. */
const REFERENCE =
  /^[$%@&*!]?[{(<]|^\$\w+(?:::\w+)*$|^%\w+%$|\$\{|\{\{|\$\(|^process\.|^os\.|^env[.[(]|^import\.meta|^(?:self|this|config|settings|options|args|ctx|secrets|vars|var|data|local|params|req|res|props|state)\.|\w\(|^<|^\.{1,2}\/|^~?\/(?:\w|$)|^[A-Za-z]:\\|^https?:\/\/|^file:|^op:\/\/|^vault:|^arn:|^ref\+|^\|$|^>$/;

/** What people write in place of a secret, and values everyone knows. */
const STAND_IN =
  /^(?:x+|\*+|\.+|-+|_+|\?+|#+|0+|[•…●]+|none|null|nil|undefined|true|false|yes|no|on|off|empty|string|str|text|number|int|bool(?:ean)?|bytes|(?:big)?(?:u?int|float)\d+(?:clamped)?array|any|optional|required|hidden|redacted|masked|removed|secret|token|key|value|password\d{0,3}|passwd|pass|admin|root|user|guest|postgres|mysql|default|localhost|mysecretpassword|test|testing|foobar|foo|bar|todo|tbd|123456?7?8?9?0?(?:abcdef)?)$|^(?:your|my|the|some|an?|insert|enter|add|put|replace|change|set|use|fake|dummy|mock|sample|example|placeholder|test)[-_ ]|change_?-?me|replace_?-?me|your[-_]?(?:api|key|token|secret|pass)|[-_]your(?:[-_]|$)|example|placeholder|not[-_ ]?(?:a[-_ ]?)?(?:real|secret|needed)|dummy|x{4,}|\.\.\.|…|\*{3,}|redacted/i;

export function isStandIn(value: string): boolean {
  return (REFERENCE.test(value) && !isBase64(value)) || STAND_IN.test(value) || /^(.)\1*$/su.test(value);
}

/** Not a path, though it begins with a slash. */
function isBase64(value: string): boolean {
  return (
    /^\/[A-Za-z0-9+/]{23,}={0,2}$/.test(value) && value.split('/').some((part) => part.length >= 16 && isShuffled(part))
  );
}

/** Letters of both cases and digits, most of them in no word, as no name of a program has them: what begins it (`hvs.`) does not count. */
export function isShuffled(value: string): boolean {
  const drawn = value.replace(/^[a-z]{1,3}[._]/, '');
  const words = drawn.match(/[A-Z]?[a-z]{3,}/g)?.join('').length ?? 0;
  return [/\d/, /[a-z]/, /[A-Z]/].every((each) => each.test(drawn)) && words * 5 < drawn.length * 3;
}

/** Made by a machine: long, and as mixed as chance would have it. */
export function isRandom(value: string): boolean {
  return value.length >= 20 && entropy(value) >= 3.2 && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/**
 * Letters, digits and several signs in no order, as Django makes its keys. One that looks like a call or a reference (`k(`, `(k`) is one
 * all the same: code and patterns have brackets, quotes or words between their signs.
 */
function isJumbled(text: string): boolean {
  const value = text.replace(/^django-insecure-/, '');
  if (value.length < 12 || value.length > 200 || !/^[\w.~+/=:@%!#$^&*()?-]+$/.test(value)) return false;
  const signs = value.match(/[!#$%^&*@]/g) ?? [];
  if (new Set(signs).size < 2 || signs.length * 16 < value.length || /\$\(|\(\)|^[$?/]/.test(value)) return false;
  const parts = value.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  if (parts.some((part) => /[A-Za-z]{5,}/.test(part))) return false;
  const mixed = parts.filter((part) => /\d[A-Za-z]|[a-z]\d|[a-z][A-Z]/.test(part));
  return mixed.length * 3 >= parts.length && /\d/.test(value) && !STAND_IN.test(value) && entropy(value) >= 3.2;
}

/** A token: random enough to be no word, name or path. */
export function isTokenValue(value: string): boolean {
  if (isJumbled(value)) return true;
  if (value.length < 12 || isStandIn(value) || !/^[\w.~+/=:@%!-]+$/.test(value)) return false;
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // toolu_, msg_ and req_ ids, dates, versions, dotted or dashed words with a number at the end.
  if (/^(?:toolu|msg|req|srvtoolu|call|chatcmpl|resp|run|thread|sess|session)_/.test(value)) return false;
  // And numbers, such as where a token of a blockchain lies: a key is longer.
  if (/^\d{4}-\d\d-\d\d|^v?\d+\.\d+|^0x[\dA-Fa-f]{1,40}$/.test(value)) return false;
  // A member of something: some part of it is a word.
  if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) && /(?:^|\.)[A-Za-z]{4,}(?:\.|$)/.test(value))
    return false;
  const words = value.split(/[-_./:]/);
  if (
    words.length > 1 &&
    words.every((word) => /^(?:[a-z]+\d{0,4}|[A-Z]+\d{0,4}|[A-Z][a-z]+\d{0,4}|\d{1,8})$/.test(word))
  )
    return false;
  return entropy(value) >= 2.9;
}

/** One of an app, as Google hands them out. */
export const isAppPassword = (value: string): boolean => /^[a-z]{4}(?: [a-z]{4}){3}$/.test(value);

/** A password: chosen by a person, so only words and stand-ins are let through. */
export function isPasswordValue(value: string): boolean {
  if (value.length < 6 || value.length > 200 || isStandIn(value)) return false;
  if (isAppPassword(value)) return true;
  // What follows a closing quote, taken for an opening one; a sentence.
  if (/^[\s,;:)\]}]|\s\S+\s/.test(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((each) => each.test(value)).length;
  // A sentence without spaces; the name of something else.
  if (/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{6}|^[A-Za-z_-]+[=:]$/.test(value)) return false;
  if (
    /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)*\??\.(?:pass\w*|pwd|token|secret|value|text)(?:\?\?.*)?$/i.test(value)
  )
    return false;
  // Identifiers and dotted names are code: camelCase, snake_case, a.b.c.
  if (/^[A-Za-z_$][\w$]*$/.test(value) && !/\d/.test(value)) return false;
  if (/^[a-zA-Z]+(?:[-_.:/ ]+[a-zA-Z]+)+[.!?:]?$|^[A-Z][a-z]+\.$/.test(value)) return false;
  if (/^0x[\da-f]+$|^v?\d+(?:\.\d+)+$/i.test(value)) return false;
  return classes >= 2;
}
