/** Secrets in the files and stores of programs: jars of cookies, keys in JSON, states, settings with a syntax of their own. */
import { type Found, type Rule, tokenRule } from './rule.ts';
import { isRandom, isStandIn } from './value.ts';

const isReal = (value: string) => !isStandIn(value);
const SESSION =
  '(?:[sS]ess|SESS|[sS]id|SID|[aA]uth|AUTH|[tT]oken|TOKEN|[jJ]wt|JWT|[lL]ogged|[rR]emember|[xX]srf|XSRF|[cC]srf)';

/** How far the members of one object may go. */
const FARTHEST = 6000;
let parts: RegExp | undefined;

/** A JSON Web Key: all but the modulus and the point are secret. */
const jwkRule: Rule = {
  id: 'jwk',
  kind: 'jwk-key',
  anchors: ['kty"'],
  find(text, places) {
    const found: Found[] = [];
    let seen = 0;
    for (const at of places) {
      if (at < seen) continue;
      const before = text.slice(Math.max(seen, at - FARTHEST), at);
      const from = at - before.length + Math.max(before.lastIndexOf('{'), before.lastIndexOf('}')) + 1;
      seen = at + (text.slice(at, at + FARTHEST).split('}', 1)[0] ?? '').length;
      parts ??= /"(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"(?<secret>[\w-]{20,1400})"/dg;
      for (const { indices } of text.slice(from, seen).matchAll(parts)) {
        const [start, end] = indices?.groups?.secret ?? [0, 0];
        found.push({ kind: 'jwk-key', start: from + start, end: from + end, guessable: false });
      }
    }
    return found;
  },
};

export const STORED_RULES: readonly Rule[] = [
  jwkRule,
  tokenRule(
    'private-key',
    ['Private-Lines: '],
    () =>
      /Private-Lines: \d{1,3}\s{1,2}(?:[ \t]{0,12}\d{1,7}[→:|\t])?[+ -]{0,2}(?<secret>[A-Za-z0-9+/=]{40,65}(?:\s{1,2}(?:[ \t]{0,12}\d{1,7}[→:|\t])?[+ -]{0,2}[A-Za-z0-9+/]{1,65}={0,2}(?![\w:+/-])){0,80})/,
    { id: 'putty-key' },
  ),
  // A line of cookies.txt (in a title without its tabs), and cookies as browsers and what drives them save them.
  tokenRule(
    'cookie',
    ['TRUE[ \\t]', 'FALSE[ \\t]'],
    () =>
      new RegExp(
        String.raw`(?<=[\t ])(?:TRUE|FALSE)[\t ]\/[^\t\n ]{0,100}[\t ](?:TRUE|FALSE)[\t ]\d{1,12}[\t ][^\t\n ]{0,60}${SESSION}[^\t\n ]{0,60}[\t ](?<secret>[^\s"'\\]{12,4000})`,
      ),
    { id: 'cookie-jar', counts: isReal, guessable: (value) => !isRandom(value) },
  ),
  tokenRule(
    'cookie',
    ['domain"'],
    () =>
      new RegExp(
        String.raw`(?<="name":\s{0,3}"[^"]{0,60}${SESSION}[^"]{0,60}",\s{0,40}"value":\s{0,3}"(?<secret>[^"\\]{12,4000})",\s{0,40}")domain":`,
      ),
    { id: 'saved-cookie', counts: isReal, guessable: (value) => !isRandom(value) },
  ),
  // What WordPress makes has signs of every kind.
  tokenRule(
    'secret',
    ['AUTH_KEY', 'AUTH_SALT', 'LOGGED_IN_', 'NONCE_'],
    () =>
      /(?:AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)\\{0,3}["'](?:,|\s{0,3}=>)\s{0,20}(?:\\{0,3}'(?<single>[^'\n]{40,100})\\{0,3}'|\\{0,3}"(?<double>[^"\n]{40,100})\\{0,3}")/,
    { id: 'wordpress-key', counts: isReal },
  ),
  tokenRule(
    'secret',
    ['PresharedKey', 'PreSharedKey'],
    () => /Pre[sS]haredKey\s{0,3}=\s{0,3}(?<secret>[A-Za-z0-9+/]{43}=)/,
    {
      id: 'wireguard-key',
    },
  ),
  tokenRule('password', ['result"'], () => /(?<=")result":\s{0,3}"(?<secret>[^"\\\n]{6,200})"/, {
    id: 'terraform-random-password',
    guessable: () => true,
    mayStand: (text, at) => text.slice(Math.max(0, at - 3000), at).includes('"random_password"'),
  }),
  // Twelve to 24 words as they are drawn for a wallet; nobody's is the one that every tool tests with.
  tokenRule(
    'seed-phrase',
    [
      ...['mnemonic', 'Mnemonic', 'MNEMONIC', 'SEED_PHRASE', 'RECOVERY_PHRASE'],
      ...['seed', 'Seed', 'recovery', 'Recovery', 'wallet', 'backup'].map((word) => `${word}[ _-]?[Pp]hrase`),
    ],
    () =>
      /(?:mnemonic|(?:seed|recovery|backup|wallet)[ _-]?phrase)(?:\\{0,3}["'])?\s{0,3}[:=]\s{0,3}(?:\\{0,3}["'`])?(?<secret>[a-z]{3,8}(?: [a-z]{3,8}){11,23})(?![\w ,;.-])/i,
    { anyCase: false, guessable: () => true, counts: isPhrase },
  ),
  tokenRule(
    'secret',
    ['otpauth-migration://'],
    () => /otpauth-migration:\/\/offline\?data=(?<secret>[\w%+/=-]{20,4000})/,
    {
      id: 'otp-migration',
    },
  ),
  // Hashes of passwords: of these they can be guessed.
  tokenRule(
    'password-hash',
    ['a\\$\\d\\d\\$', 'b\\$\\d\\d\\$', 'y\\$\\d\\d\\$', 'j9T\\$', 'argon2', 'apr1\\$'],
    () =>
      /(?<=(?<head>(?<![\w$])\$(?:2|y\$)?))(?:(?<=2)[aby]\$\d\d\$[./\w]{53}|j9T\$[./\w]{1,86}\$[./\w]{43}|apr1\$[./\w]{1,8}\$[./\w]{22}|argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,5},p=\d{1,3}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,172})(?!\w)/,
  ),
  tokenRule('password-hash', ['\\$6\\$'], () => /(?<![\w$])\$6\$(?:rounds=\d{1,9}\$)?[./\w]{1,16}\$[./\w]{86}(?!\w)/, {
    id: 'sha-crypt',
  }),
];

function isPhrase(value: string): boolean {
  const words = value.split(' ');
  return words.length % 3 === 0 && new Set(words).size > words.length / 2;
}
