/** Passwords on a command line, behind an option that means something else to other commands: told by the command before it. */
import { lazy } from '../format/lazy.ts';
import { type Found, type Rule, rangeIn, stickyOf } from './rule.ts';
import { isPasswordValue, isStandIn } from './value.ts';

/** A plain word may be one of a sentence, and numbers are ports. */
export function isChosen(value: string): boolean {
  return !isStandIn(value) && !/^[A-Za-z]?[a-z]*$|^[\d.:]+(?:\/[a-z]+)?$/.test(value);
}

/** Where no word is one of a sentence. */
export const isReal = (value: string): boolean => !isStandIn(value);

/** No address, path or setting of another kind. */
const isKept = (value: string): boolean => isPasswordValue(value) && isChosen(value) && !/^\/|\/\//.test(value);

interface Command {
  /** What its name begins with. */
  readonly starts: readonly string[];
  /** The rest of its name, and what may stand before the option. */
  readonly before: string;
  /** The option up to its value. */
  readonly option: string;
  /** A named group is the secret. */
  readonly value?: string;
  readonly kind?: string;
  readonly counts?: (value: string) => boolean;
}

/** In quotes, however often escaped, or without spaces. */
export const VALUE = String.raw`(?:\\{0,3}"(?<double>[^"\r\n]{3,400}?)\\{0,3}"|\\{0,3}'(?<single>[^'\r\n]{3,400}?)\\{0,3}'|(?<bare>[^\s"'\`;|&<>()\\]{3,200}))`;

/** Made when one of these options is there. */
const commandsKnown = lazy((): readonly Command[] => {
  /** `name:` or the like before it, inside the quotes. */
  const named = (end: string, not = '/') => {
    const name = String.raw`[^\s${end}"'${not}]{1,100}${end}`;
    return String.raw`(?:\\{0,3}"${name}(?<double>[^"\r\n]{3,200}?)\\{0,3}"|\\{0,3}'${name}(?<single>[^'\r\n]{3,200}?)\\{0,3}'|${name}(?!\/)(?<bare>[^\s"';|&)\\]{3,200}))`;
  };

  /** Other options, each perhaps with its value. */
  const OPTIONS = String.raw`(?:\s{1,3}-\S{1,100}(?:\s{1,3}[^\s-]\S{0,100})?){0,8}`;
  /** And names of files: words would be those of a sentence. */
  const FILES = String.raw`(?:\s{1,3}(?:-\S{1,100}(?:\s{1,3}[^\s-]\S{0,100})?|(?=[^\s-]\S{0,60}[./*])\S{1,100})){0,8}`;
  /** Whatever else stands there; it may go on in the next line (also one of a diff), whose backslash is gone where escapes were undone. */
  const ANY = String.raw`(?:\s(?:[^\n;|&]|(?<=\S)[;&](?=[^\s;&|])|\n(?=[+-]?[ \t]{0,8}(?:--?\w|$))){0,300})?`;

  const SPACED = String.raw`[\s=]{1,3}`;
  const NEAR = String.raw`\s{0,3}`;

  return [
    { starts: ['mysql', 'mariadb'], before: `[a-z-]{0,12}${OPTIONS}`, option: '-p' },
    {
      starts: ['docker', 'podman', 'nerdctl', 'helm'],
      before: String.raw`(?: registry)? login(?:\s{1,3}\w[\w.:/-]{0,100})?${OPTIONS}`,
      option: `-p${SPACED}`,
    },
    { starts: ['oc '], before: `login${ANY}`, option: `-p${SPACED}` },
    {
      starts: ['az '],
      before: String.raw`(?:acr )?login(?:\s{1,3}\w[\w.:/-]{0,100})?${OPTIONS}`,
      option: `-p${SPACED}`,
    },
    { starts: ['az '], before: String.raw`\w(?=[^\n]{0,300}\s-u\s)[\w-]{0,30}${ANY}`, option: `-p${SPACED}` },
    { starts: ['az '], before: `keyvault secret set${ANY}`, option: `--value${SPACED}`, counts: isReal },
    {
      starts: ['mongo'],
      before: String.raw`[a-z]{0,8}(?:\s{1,3}["']?\w[\w.:/-]{0,200}["']?)?${OPTIONS}`,
      option: `-p${SPACED}`,
    },
    {
      starts: ['curl'],
      before: ANY,
      option: String.raw`(?:-[A-Za-z]{0,8}u|--(?:proxy-)?user)[\s=]{0,3}`,
      value: named(':'),
      counts: isReal,
    },
    {
      starts: ['curl'],
      before: ANY,
      option: String.raw`(?:-b|--cookie)\s{0,3}`,
      value: String.raw`["']?(?:[^\s"'=;]{1,60}=[^\s"';]{0,400};\s?){0,20}?[\w.-]{0,40}(?:[sS]ess|SESS|[sS]id|SID|[aA]uth|AUTH|[tT]oken|TOKEN|[jJ]wt|JWT)[\w.-]{0,40}=(?<bare>[^\s"';]{12,2000})`,
      kind: 'cookie',
      counts: isReal,
    },
    {
      starts: ['http '],
      before: String.raw`(?:\S{1,100}(?:\s{1,3}\S{1,100}){0,4})?`,
      option: String.raw`(?:-a|--auth)${SPACED}`,
      value: named(':'),
    },
    {
      starts: ['jenkins-cli'],
      before: String.raw`(?:\.jar)?${ANY}`,
      option: `-auth${SPACED}`,
      value: named(':'),
      counts: isKept,
    },
    { starts: ['lftp'], before: ANY, option: `-u${SPACED}`, value: named(',') },
    { starts: ['redis-cli'], before: OPTIONS, option: `(?:-a|--pass)${SPACED}` },
    { starts: ['ldap'], before: `[a-z]{3,9}${ANY}`, option: `-w${NEAR}` },
    { starts: ['zip', 'unzip'], before: FILES, option: String.raw`(?:-P${NEAR}|-[A-Za-z]{1,8}P\s{1,3})` },
    // -p alone asks for it; -hp hides the names of files too.
    { starts: ['7z', 'rar', 'unrar'], before: String.raw`[a-z]?(?:\s{1,3}[a-z]{1,3})?${FILES}`, option: '-h?p' },
    {
      starts: ['smb', 'rpcclient'],
      before: `[a-z]{0,6}${ANY}`,
      option: String.raw`(?:-U|--user(?:name)?)[\s=]{0,3}`,
      value: named('%', '%'),
    },
    { starts: ['sshpass'], before: OPTIONS, option: `-p(?!ass(?:in|out|word)\\b)${NEAR}`, counts: isReal },
    {
      starts: ['sqlcmd', 'bcp', 'isql', 'tsql', 'ipmitool', 'mosquitto_'],
      before: `[a-z]{0,8}(?:\\.exe)?${ANY}`,
      option: `-P${NEAR}`,
    },
    {
      starts: ['cqlsh', 'cypher-shell', 'twine', 'ncftp', 'psexec', 'PsExec'],
      before: `\\w{0,8}${ANY}`,
      option: `-p${SPACED}`,
    },
    { starts: ['ssh-keygen'], before: ANY, option: `-[NP]${NEAR}`, counts: isReal },
    { starts: ['security'], before: String.raw`\s{1,3}add-\S{1,40}${ANY}`, option: `-w${SPACED}`, counts: isReal },
    {
      starts: ['security'],
      before: String.raw`\s{1,3}(?:unlock|create)-keychain${ANY}`,
      option: `-p${SPACED}`,
      counts: isReal,
    },
    { starts: ['openssl'], before: String.raw`\s{1,3}(?:enc|aes|des)\S{0,30}${ANY}`, option: `-k${SPACED}` },
    { starts: ['useradd', 'usermod'], before: OPTIONS, option: `-p${SPACED}` },
    {
      starts: ['gh '],
      before: String.raw`secret\s{1,3}set${ANY}`,
      option: `(?:-b${NEAR}=?|--body${SPACED})`,
      counts: isReal,
    },
    { starts: ['aws '], before: String.raw`ssm\s{1,3}put-parameter${ANY}`, option: `--value${SPACED}`, counts: isKept },
    {
      starts: ['aws '],
      before: String.raw`secretsmanager\s{1,3}[a-z-]{1,30}${ANY}`,
      option: `--secret-string${SPACED}`,
      counts: (value) => isReal(value) && !/^[{[]/.test(value),
    },
    {
      starts: ['kubectl ', 'oc '],
      before: String.raw`(?:[^\n;|&]{1,200}\s)?create\s{1,3}secret${ANY}`,
      option: String.raw`--from-literal${SPACED}["']?[\w.-]{1,100}=`,
      counts: isKept,
    },
    // Of whatever command.
    {
      starts: [],
      before: '',
      option: String.raw`-(?:store|key)pass\s{1,3}`,
      counts: (value) => value.length > 5 && isReal(value),
    },
    {
      starts: [],
      before: '',
      option: String.raw`-pass(?:in|out|word)?[\s=]{1,3}["']?pass:`,
      value: String.raw`(?<bare>(?:[^\s"'<]|<(?!\/)){3,200})`,
      counts: isReal,
    },
    { starts: [], before: '', option: String.raw`-[Pp]ass(?:word)?\s{1,3}(?!-)`, counts: isKept },
  ];
});

/** What any of these options begins with: a text without one of them need not be looked into. */
const BEGINS = '-(?:-(?:user|pass|auth|body|value|secret-s|from-l|proxy-u|cookie)|[A-Za-z]{0,8}[pPwkNbauU])';
const FARTHEST = 300;
/** So many commands before an option are looked at. */
const NEAREST = 4;

export const optionRule: Rule = {
  id: 'option-password',
  kind: 'password',
  anchors: [`\\ ${BEGINS}`, `\\\t${BEGINS}`],
  find(text, places) {
    const found: Found[] = [];
    const commands = commandsBefore(text);
    let seen = 0;
    for (const at of places) {
      if (at < seen) continue;
      const each = valueAt(text, at, commands(at));
      if (each === undefined) continue;
      found.push(each);
      seen = each.end;
    }
    return found;
  },
};

let starts: RegExp | undefined;

/** The names of commands that stand shortly before a place, nearest first, also right behind the sign of a diff; asked for one place after the other. */
function commandsBefore(text: string): (at: number) => readonly RegExpExecArray[] {
  starts ??= new RegExp(
    String.raw`(?<!\w|[^\n"]-)(?:${commandsKnown()
      .flatMap((each) => each.starts)
      .join('|')})`,
    'g',
  );
  const pattern = starts;
  pattern.lastIndex = 0;
  let near: RegExpExecArray[] = [];
  let next: RegExpExecArray | null | undefined;
  let from = 0;
  return (at) => {
    const least = at - FARTHEST;
    while (next === undefined || (next !== null && next.index < at)) {
      if (next && next.index >= least) near = [next, ...near.slice(0, NEAREST - 1)];
      pattern.lastIndex = Math.max(from, least);
      next = pattern.exec(text);
      from = pattern.lastIndex;
    }
    near = near.filter(({ index }) => index >= least);
    return near;
  };
}

interface Patterns {
  readonly before: RegExp;
  readonly option: RegExp;
}

const made = new Map<Command, Patterns>();

function patternsOf(command: Command): Patterns {
  const known = made.get(command);
  if (known) return known;
  const { before, option, value = VALUE } = command;
  const patterns = { before: new RegExp(`^${before}$`), option: stickyOf(new RegExp(option + value)) };
  made.set(command, patterns);
  return patterns;
}

function valueAt(text: string, at: number, near: readonly RegExpExecArray[]): Found | undefined {
  for (const command of commandsKnown()) {
    const { starts, kind = 'password', counts = isChosen } = command;
    const hits = near.filter(([name]) => starts.includes(name));
    if (starts.length === 0 ? !text.slice(at, at + 12).includes('ass') : hits.length === 0) continue;
    const { before, option } = patternsOf(command);
    option.lastIndex = at + 1;
    const range = rangeIn(option.exec(text)?.indices);
    if (!range || !counts(text.slice(...range))) continue;
    if (starts.length > 0 && !hits.some(({ index, 0: name }) => before.test(text.slice(index + name.length, at))))
      continue;
    return { kind, start: range[0], end: range[1], guessable: true };
  }
  return undefined;
}
