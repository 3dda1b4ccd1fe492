/** Passwords that are operands of a command, of a call or of a file: known by what stands before them, not by a name of their own. */
import { secretMember } from './assignment.ts';
import { isChosen, isReal, VALUE } from './commands.ts';
import { type Found, type Rule, rangeIn, stickyOf, tokenRule } from './rule.ts';
import { isAppPassword, isPasswordValue, isRandom, isTokenValue } from './value.ts';

const guessable = () => true;

/** Commands up to the password. */
const operators = () =>
  [
    String.raw`mysqladmin[^\n;|&]{0,200}?\s(?:new-)?password`,
    String.raw`nmcli[^\n;|&]{0,200}?\s(?:password|(?:wifi|802-11-wireless)-sec(?:urity)?\.psk)`,
    String.raw`rabbitmqctl(?:\s{1,3}-\S{1,60}){0,3}\s{1,3}(?:add_user|change_password)\s{1,3}\S{1,100}`,
    String.raw`wpa_passphrase\s{1,3}(?:"[^"\n]{1,60}"|'[^'\n]{1,60}'|\S{1,60})`,
    String.raw`net (?:user\s{1,3}\S{1,60}|use\s[^\n]{0,200}?\/user:\S{1,60})`,
    String.raw`vault login(?:\s{1,3}-\S{1,60}){0,4}`,
    'set-initial-password',
    String.raw`openssl passwd(?:\s{1,3}-(?:\d|apr1|salt\s{1,3}\S{1,30})){1,3}`,
    String.raw`oathtool(?:\s{1,3}-{1,2}[\w=-]{1,30}){1,6}`,
    String.raw`(?<=ConvertTo-)SecureString(?:\s{1,3}-String)?`,
  ].join('|');

/** `name value` after `aws configure set`, `npm config set`, `setx`, `consul kv put`; `name=value` and whatever else `vault kv put` is given. */
const setRule: Rule = {
  id: 'set-secret',
  kind: 'secret',
  anchors: [
    'config\\ set\\ ',
    'configure\\ set\\ ',
    'setx\\ ',
    'set-env\\ ',
    'kv\\ p',
    'user-secrets\\ set',
    'etcdctl\\ put',
  ],
  find(text, places) {
    const found: Found[] = [];
    let seen = 0;
    for (const at of places) {
      if (at < seen) continue;
      const { values, end } = isOfVault(text, at) ? pairsAt(text, at) : setAt(text, at);
      found.push(...values);
      seen = end;
    }
    return found;
  },
};

/** What was found, and where the next may begin. */
interface Looked {
  readonly values: readonly Found[];
  readonly end: number;
}

let setting: RegExp | undefined;
let pairs: RegExp | undefined;

function setAt(text: string, at: number): Looked {
  const nothing = { values: [], end: at };
  setting ??= stickyOf(
    new RegExp(
      String.raw`(?:config(?:ure)? set|setx|set-env|kv put|user-secrets set|etcdctl put)\s{1,3}(?:[\w@./-]{1,60}\s{1,3}){0,3}?["']?(?<name>(?:(?<=--secret\s{1,3})|(?=\S{0,80}(?:pass|secret|token|key|PASS|SECRET|TOKEN|KEY|Pass|Secret|Token|Key)))[\w@/][\w@.:/-]{1,100})["']?\s{1,3}${VALUE}`,
    ),
  );
  setting.lastIndex = at;
  const match = setting.exec(text);
  const range = rangeIn(match?.indices);
  if (!match || !range) return nothing;
  const judged = judgedAs(match.groups?.name ?? '', text.slice(...range), match[0]);
  return judged ? { values: [{ ...judged, start: range[0], end: range[1] }], end: range[1] } : nothing;
}

function judgedAs(name: string, value: string, command: string): Pick<Found, 'kind' | 'guessable'> | undefined {
  const judged = secretMember(name, value);
  if (!judged)
    return /\s--secret\s/.test(command) && isReal(value) ? { kind: 'secret', guessable: !isRandom(value) } : undefined;
  if (judged.kind === 'password' && !isChosen(value)) return undefined;
  return /aws_s\w{5,20}_(?:key|token)$/i.test(name) ? { ...judged, kind: 'aws-key' } : judged;
}

const isOfVault = (text: string, at: number) => text.startsWith('kv p', at) && text.startsWith('vault ', at - 6);

/** What is put into a vault is secret, whatever its name: up to the end of the command. */
function pairsAt(text: string, at: number): Looked {
  pairs ??= new RegExp(String.raw`\s(?<name>[\w.]{1,60})=${VALUE}`, 'dg');
  const command = text.slice(at, at + 1000).split(/\n(?![ \t]{0,8}[\w-])|[;|&]/, 1)[0] ?? '';
  const values = [...command.matchAll(pairs)].flatMap((match): Found[] => {
    const range = rangeIn(match.indices);
    if (!range || !isKept(command.slice(...range))) return [];
    return [{ kind: 'password', start: at + range[0], end: at + range[1], guessable: true }];
  });
  return { values, end: at + command.length };
}

/** No address and no path. */
const isKept = (value: string) =>
  isAppPassword(value) ||
  (isPasswordValue(value) &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^[\w.~-]*\//.test(value) &&
    !/^\d+[smhd]$/.test(value));

export const OPERAND_RULES: readonly Rule[] = [
  tokenRule(
    'password',
    [
      'mysqladmin\\ ',
      'nmcli\\ ',
      'rabbitmqctl\\ ',
      'wpa_passphrase\\ ',
      'net\\ us',
      'vault\\ login',
      'set-initial-password',
      'openssl\\ passwd',
      'SecureString',
      'oathtool\\ ',
    ],
    () => new RegExp(String.raw`(?:${operators()})\s{1,3}(?![-/*$]|[\w-]{1,40}=)${VALUE}`),
    { id: 'operand-password', guessable, counts: (value) => isChosen(value) && value.length >= 5 },
  ),
  setRule,
  tokenRule(
    'secret',
    ['wandb\\ login', 'snyk\\ auth', 'ngrok\\ ', 'cloudflared\\ '],
    () =>
      /(?:wandb login|snyk auth|ngrok (?:authtoken|config add-authtoken)|cloudflared (?:service install|tunnel run))(?:\s{1,3}--[\w=:.-]{1,60}){0,3}\s{1,3}["']?(?<secret>[\w=.-]{20,2000})/,
    { id: 'login-token', counts: isTokenValue, guessable: (value) => !isRandom(value) },
  ),
  // `auth=("me", "…")`, `HTTPBasicAuth`, `NetworkCredential`, `server.login`.
  tokenRule(
    'password',
    ['auth=(', 'HTTPBasicAuth(', 'NetworkCredential(', 'login('].map((each) => each.replace(/\W/g, '\\$&')),
    () =>
      /(?:auth=|HTTPBasicAuth|NetworkCredential|(?<=\.)login)\(\s{0,3}\\{0,3}["'][^"'\n\\]{1,100}\\{0,3}["'],\s{0,3}\\{0,3}["'](?<secret>[^"'\n\\]{6,200})\\{0,3}["']/,
    { id: 'login-call', guessable, counts: isKept },
  ),
  tokenRule(
    'password',
    ['sqlplus\\ ', 'thin:'],
    () =>
      /(?:sqlplus\s{1,3}(?:-\S{1,20}\s{1,3}){0,4}["']?|(?<=:)thin:)[\w$]{1,60}\/(?<secret>(?<=\/)"[^"\n]{4,60}"|[^\s"'/@]{4,60})(?=@)/,
    { id: 'oracle-login', guessable, counts: isReal },
  ),
  // host:port:database:user:password
  tokenRule(
    'password',
    [':5432:', ':\\*:'],
    () =>
      /(?<=(?:^|[\s→"'+])[\w.*-]{1,100}):(?:\d{4,5}|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:(?<secret>(?:[^\s:"'\\]|\\[:\\]){4,200})/,
    { id: 'pgpass', guessable, counts: isReal },
  ),
  tokenRule('docker-auth', ['eyJhdXRocyI6'], () => /eyJhdXRocyI6[A-Za-z0-9+/]{20,8000}={0,2}/, { id: 'docker-config' }),
  tokenRule('secret', ['key=[\\w%+-]{20}'], () => /(?<=[?&])key=(?<secret>[\w.~%+-]{19,399}[\w~%+-])/, {
    id: 'url-key',
    counts: isRandom,
  }),
];
