/** Options by which an ordinary program runs others, or writes where nobody looks. A rule covers one only when it names it. */
import type { SimpleCommand } from './types.ts';
import { programOf } from './unwrap.ts';

/** Programs whose first word decides what they do. */
const FIRST_WORDS: Readonly<Record<string, RegExp>> = {
  git: /^(?:config|alias|bisect|submodule|filter-branch|difftool|mergetool|daemon|instaweb|hook|upload-pack|receive-pack|send-email|fast-import|credential.*|maintenance|remote-.*|for-each-repo|shell|http-.*)$/,
  npm: /^(?:exec|x|config|set|c|explore|edit|init|create|innit|publish|token|login|adduser|owner|access|unpublish|hook)$/,
  pnpm: /^(?:exec|dlx|config|create|publish)$/,
  yarn: /^(?:dlx|exec|config|create|node|plugin|publish)$/,
  bun: /^(?:x|create|publish)$/,
  go: /^(?:generate|run|tool|env)$/,
  cargo: /^(?:run|install|\+.*)$/,
  gh: /^(?:api|alias|extension|config|auth|secret|ssh-key|gpg-key|codespace|browse)$/,
  pip: /^(?:install|download|wheel|config)$/,
};

/** By program: arguments to beware of. Long options may be shortened, so only their start is given. */
const RISKS: Readonly<Record<string, RegExp>> = {
  git: /^(?:-c$|-c.*=|--config-env|--exec-path|--git-dir|--work-tree|--namespace|--super-prefix|--upload-p|--receive-p|--exec|--ext-d|--textc|--open-files|-O|--output|--no-index|--templ|--sep|--to-command|-x$|--config|-C|[\w+-]+::)/,
  awk: /system|getline|\||>|@load|^-[fiLlDdoEe]|^--(?:f|i|l|de|du|e)|ENVIRON/,
  sed: /^(?:-[a-zA-Z]*[fs]|-[a-zA-Z]*e.|--(?:f|se|e))/,
  tar: /^(?:--(?:to-c|che|use-c|rs|in|new-v|absolute|overwrite|dir|unlink|rec)|-?[a-zA-Z]*[IFPC])/,
  rsync:
    /^(?:-[a-zA-Z]*e|--(?:rsh|rsync-p|daemon|conf|files|log-file|partial|temp|backup-d|link-d|compare-d|copy-d|write|out))/,
  scp: /^-[SoFJ]/,
  sftp: /^-[SobFJ]/,
  curl: /^(?:-[a-zA-Z#]*[oOKcDTw]|--(?:output|remote|config|cookie-j|dump|upload|trace|stderr|create|netrc|engine|libcurl|etag-save|hsts|alt-svc|write))/,
  wget: /^(?:-[a-zA-Z]*[OoaPei]|--(?:output|append|dir|exec|use-a|input|config|save|post-f|body-f|load|hsts|warc|rejected))/,
  sort: /^(?:-[a-zA-Z]*[oT]|--(?:out|comp|temp|files))/,
  split: /^--f/,
  zip: /^(?:-[a-zA-Z]*T|--?unzip)/,
  man: /^(?:-[a-zA-Z]*[PH]|--(?:pag|html|preproc|browser|gxd)|-p)/,
  make: /^(?:-[a-zA-Z]*[fCIE]|--(?:file|mak|dir|eval|incl)|\w+\+?:?=)/,
  go: /^(?:-exec|-toolexec|--exec|--toolexec|-o|-overlay|-modfile|-C|-vettool|-w|-u)/,
  cargo: /^(?:--config|-Z|--manifest|-C)/,
  npm: /^(?:--(?:script-shell|node-options|prefix|userconfig|globalconfig|call|shell|git|scripts-prepend|registry|ignore-scripts=f)|-[cCg])/,
  pnpm: /^(?:--(?:script-shell|dir|shell)|-[Cc])/,
  yarn: /^--cwd/,
  bun: /^--(?:cwd|config)/,
  node: /^(?:--(?:env-file|inspect|openssl|icu|snapshot|build-s|conditions|run|watch|test-reporter|test-global)|-C)/,
  jq: /^(?:-[a-zA-Z]*[fL]|--(?:from-file|slurpfile|rawfile|library))/,
  rg: /^--(?:pre|hostname-bin|search-zip|ignore-file|file)|^-[a-zA-Z]*[zf]/,
  grep: /^(?:-[a-zA-Z]*f|--(?:file|exclude-from))/,
  dd: /^(?:if|of)=\/dev\//,
  gh: /^--(?:hostname)/,
  pip: /^--(?:target|prefix|root|index|extra|trusted|config|log|cache)/,
  vim: /^./,
  vi: /^./,
  nvim: /^./,
  emacs: /^./,
  ed: /^./,
  less: /^./,
  more: /^./,
  gdb: /^./,
  printf: /^-v/,
  read: /[[]/,
  unset: /[[]/,
  declare: /[[]|^-[a-zA-Z]*[nifF]/,
  let: /^./,
  test: /^-[vR]$|^-(?:eq|ne|lt|le|gt|ge)$/,
  '[': /^-[vR]$|^-(?:eq|ne|lt|le|gt|ge)$/,
  alias: /^./,
  enable: /^./,
  hash: /^-p/,
  bind: /^./,
  complete: /^./,
  set: /^./,
  shopt: /^./,
  setopt: /^./,
  zmodload: /^./,
  autoload: /^./,
  mapfile: /^-[a-zA-Z]*C/,
  readarray: /^-[a-zA-Z]*C/,
  history: /^-[a-zA-Z]*[sarnw]/,
  fc: /^./,
};

const SAME: Readonly<Record<string, string>> = {
  gawk: 'awk',
  mawk: 'awk',
  nawk: 'awk',
  gsed: 'sed',
  gtar: 'tar',
  bsdtar: 'tar',
  egrep: 'grep',
  fgrep: 'grep',
  typeset: 'declare',
  local: 'declare',
  export: 'declare',
  readonly: 'declare',
  pip3: 'pip',
  gmake: 'make',
  nodejs: 'node',
  view: 'vim',
  ripgrep: 'rg',
};

/** `s/a/b/g`, `1,5p`, `/x/d`: of what sed can do only this is followed. */
const PLAIN_SED =
  /^(?:(?:\d+|\$|\/[^/\n\\]*\/)(?:,(?:\d+|\$|\/[^/\n\\]*\/))?!?)?(?:[pdq=]|s([/|#,:@])(?:(?!\1)[^\n\\]|\\[^\n])*\1(?:(?!\1)[^\n\\]|\\[^\n])*\1[gpiI\d]*)$/;

export interface Risk {
  /** Place of the word. */
  readonly at: number;
  readonly what: string;
}

export function risksOf(command: SimpleCommand): Risk[] {
  const program = programOf(command);
  const name = Object.hasOwn(SAME, program) ? (SAME[program] ?? program) : program;
  const table = Object.hasOwn(RISKS, name) ? RISKS[name] : undefined;
  if (table === undefined) return [];
  const firstWords = FIRST_WORDS[name];
  const first = command.words.findIndex(({ text }, i) => i > 0 && !text.startsWith('-'));
  return command.words.flatMap(({ text, known, raw }, at) => {
    if (at === 0) return [];
    // What is not known may be any option, unless it certainly starts as something else.
    if (!known && name === 'git' && isMessage(command, at)) return [];
    if (!known && (text === '' || text.startsWith('-'))) return [{ at, what: `${raw} may be an option of ${name}` }];
    if (name === 'sed' && !text.startsWith('-') && isSedScript(command, at)) {
      return text.split(/[;\n]/).every((each) => PLAIN_SED.test(each.trim()))
        ? []
        : [{ at, what: 'the script of sed may run or write something' }];
    }
    return table.test(text) || (at === first && firstWords?.test(text))
      ? [{ at, what: `${raw} can make ${name} run or write something else` }]
      : [];
  });
}

/** The value of -m, in quotes: one word, and no option whatever it is. */
function isMessage({ words }: SimpleCommand, at: number): boolean {
  return /^(?:-[a-z]*m|--message)$/.test(words[at - 1]?.text ?? '') && /^".*"$/s.test(words[at]?.raw ?? '');
}

function isSedScript({ words }: SimpleCommand, at: number): boolean {
  if (/^(?:-[a-zA-Z]*e|--expression)$/.test(words[at - 1]?.text ?? '')) return true;
  const hasExpression = words.some(({ text }) => /^(?:-[a-zA-Z]*e|--expression)/.test(text));
  return !hasExpression && words.findIndex(({ text }, i) => i > 0 && !text.startsWith('-')) === at;
}
