/** Programs that run the command in their arguments. Data: how to find where it starts. */

export interface Wrapper {
  /** The command is the same with it or without: a rule about the command covers it. */
  readonly same?: boolean;
  /** Options that take the next word. */
  readonly valued?: RegExp;
  /** Options that stand alone, or hold their value. */
  readonly alone?: RegExp;
  /** Words before the command that are no options. */
  readonly skip?: number;
  /** `NAME=value` words before the command. */
  readonly assigns?: boolean;
  /** With these it does not run anything. */
  readonly query?: RegExp;
  /** The words are put together and given to a shell. */
  readonly shell?: boolean;
  /** More arguments come from elsewhere. */
  readonly more?: boolean;
}

export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  // Those the published client looks through.
  timeout: {
    same: true,
    valued: /^(?:-k|-s|--kill-after|--signal)$/,
    alone: /^(?:-v|-k.+|-s.+|--foreground|--preserve-status|--verbose|--kill-after=.+|--signal=.+)$/,
    skip: 1,
  },
  time: { same: true, alone: /^-p$/ },
  nice: { same: true, valued: /^(?:-n|--adjustment)$/, alone: /^(?:-n?-?\d+|--adjustment=-?\d+)$/ },
  nohup: { same: true },
  stdbuf: { same: true, valued: /^-[ioe]$/, alone: /^(?:-[ioe][L\d]\w*|--(?:input|output|error)=\w+)$/ },
  command: { same: true, alone: /^-p$/, query: /^-[pvV]*[vV]/ },
  builtin: { same: true },
  noglob: { same: true },
  // Others.
  nocorrect: {},
  '-': {},
  repeat: { skip: 1 },
  coproc: {},
  exec: { valued: /^-a$/, alone: /^-[cl]+$/ },
  env: {
    valued: /^(?:-u|-C|--unset|--chdir)$/,
    alone: /^(?:-i|-|-0|-v|--ignore-environment|--null|--debug|--unset=.+|--chdir=.+|-u.+)$/,
    assigns: true,
  },
  sudo: {
    valued: /^-[ugpCDRTUhrt]$/,
    alone: /^(?:-[nEHSbkKAP]+|--(?:non-interactive|preserve-env(?:=.*)?|set-home|stdin|background|user=.+|group=.+))$/,
    assigns: true,
  },
  doas: { valued: /^-[uC]$/, alone: /^-[n]$/ },
  setsid: { alone: /^(?:-[cfw]+|--(?:ctty|fork|wait))$/ },
  ionice: { valued: /^-[cn]$/, alone: /^-(?:t|c\d|n\d)$/ },
  chrt: { alone: /^-[abdfior]+$/, skip: 1 },
  taskset: { alone: /^-[ac]+$/, skip: 1 },
  flock: {
    valued: /^(?:-w|-E|--timeout|--wait|--conflict-exit-code)$/,
    alone: /^(?:-[nsxeuoFv]+|--(?:nonblock|shared|exclusive|unlock|close|no-fork))$/,
    skip: 1,
  },
  watch: { valued: /^(?:-n|--interval)$/, alone: /^(?:-[bcdegptx]+|-n[\d.]+|--[a-z-]+(?:=[\w.]+)?)$/, shell: true },
  chroot: { alone: /^--(?:userspec|groups)=.+$/, skip: 1 },
  unshare: { alone: /^-[a-zA-Z]+$/ },
  strace: { valued: /^-[aeopsSuPEX]$/, alone: /^-[a-zA-Z]+$/ },
  ltrace: { valued: /^-[aeopsulnFA]$/, alone: /^-[a-zA-Z]+$/ },
  xargs: {
    valued: /^(?:-[nLPIsdaE]|--(?:max-args|max-lines|max-procs|replace|max-chars|delimiter|arg-file))$/,
    alone: /^(?:-[0rtpxo]+|-[nLPsdIE].+|-i.*|-l\d*|--(?:null|no-run-if-empty|verbose|exit)|--[a-z-]+=.*)$/,
    more: true,
  },
  ssh: { valued: /^-[bcDEeFIiJLlmOopQRSWw]$/, alone: /^-[46AaCfGgKkMNnqsTtVvXxYy]+$/, skip: 1, shell: true },
  busybox: {},
  toybox: {},
  caffeinate: { alone: /^-[dimsu]+$/ },
  systemd_inhibit: {},
};

/** Programs that run something in their arguments, in too many ways to find it. What a rule forbids is looked for at every place. */
export const RUNNERS: ReadonlySet<string> = new Set([
  ...Object.keys(WRAPPERS),
  ...[
    'npx',
    'bunx',
    'pnpx',
    'uvx',
    'pipx',
    'npm',
    'pnpm',
    'yarn',
    'bun',
    'deno',
    'uv',
    'poetry',
    'pipenv',
    'hatch',
    'rye',
    'bundle',
  ],
  ...[
    'docker',
    'podman',
    'kubectl',
    'nerdctl',
    'lxc',
    'vagrant',
    'direnv',
    'devbox',
    'mise',
    'asdf',
    'nix',
    'nix-shell',
    'conda',
  ],
  ...[
    'parallel',
    'script',
    'su',
    'runuser',
    'nsenter',
    'gdb',
    'valgrind',
    'perf',
    'firejail',
    'bwrap',
    'systemd-run',
    'at',
    'batch',
  ],
  ...['entr', 'watchexec', 'nodemon', 'dotenv', 'cross-env', 'op', 'expect', 'tmux', 'screen', 'osascript'],
  ...[
    'dbus-run-session',
    'xvfb-run',
    'proxychains',
    'faketime',
    'fakeroot',
    'unbuffer',
    'rlwrap',
    'hyperfine',
    'tsx',
    'ts-node',
  ],
]);

export const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'rbash',
  'csh',
  'tcsh',
]);

/** Programs of languages, and the options that hand them code. */
export const INTERPRETERS: Readonly<Record<string, RegExp>> = {
  python: /^-[bBdEhiIOqsSuvxPR]*c/,
  node: /^(?:-e|-p|-pe|-ep|--eval|--print|-r|--require|--import|--loader|--experimental-loader|-i|--interactive)(?:=|$)/,
  deno: /^eval$/,
  bun: /^(?:-e|--eval|-p|--print|-r|--preload)(?:=|$)/,
  perl: /^-[a-zA-Z0-9]*[eEMm]/,
  ruby: /^-[a-zA-Z]*[er]/,
  php: /^-[a-zA-Z]*[rBRE]/,
  lua: /^-[eil]/,
  Rscript: /^-e/,
  osascript: /^-e/,
  pwsh: /^-(?:c|e|Command|EncodedCommand)/i,
  tclsh: /^-c/,
};

export function interpreterOf(name: string): RegExp | undefined {
  return INTERPRETERS[name.replace(/(?:\d+(?:\.\d+)*|js)$/, '')] ?? INTERPRETERS[name];
}

/** What starts processes in the languages above. */
export const STARTS_PROCESSES =
  /system|popen|spawn|exec|subprocess|child_process|fork|shell|`|%x|qx|pty|eval|import_module|__import__|ctypes|process\.binding|Kernel|IO\./;
