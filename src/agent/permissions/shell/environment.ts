/** Variables set before a command. */

/** They change how something looks or which variant of it runs, not what runs. As the published client: rules look past them. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...[
    'NODE_ENV',
    'CI',
    'LANG',
    'LC_ALL',
    'LC_CTYPE',
    'LC_COLLATE',
    'LC_MESSAGES',
    'LC_NUMERIC',
    'LC_TIME',
    'LANGUAGE',
    'TZ',
    'TERM',
    'COLORTERM',
  ],
  ...[
    'NO_COLOR',
    'FORCE_COLOR',
    'CLICOLOR',
    'CLICOLOR_FORCE',
    'COLUMNS',
    'LINES',
    'DEBUG',
    'VERBOSE',
    'RUST_BACKTRACE',
    'RUST_LOG',
  ],
  ...[
    'GOOS',
    'GOARCH',
    'CGO_ENABLED',
    'GO111MODULE',
    'PYTHONUNBUFFERED',
    'PYTHONDONTWRITEBYTECODE',
    'PYTHONIOENCODING',
    'PYTEST_DISABLE_PLUGIN_AUTOLOAD',
  ],
]);

export function isHarmless(name: string): boolean {
  return HARMLESS.has(name);
}

/** By these another program runs than the one that is named. */
const DECIDES =
  /^(?:PATH|path|fpath|FPATH|LD_.*|DYLD_.*|GIT_.*|SSH_.*|BASH_.*|ENV|ZDOTDIR|SHELL|SHELLOPTS|BASHOPTS|IFS|PS[0-4]|PROMPT_COMMAND|PAGER|.*_PAGER|EDITOR|VISUAL|.*_EDITOR|BROWSER|LESS.*|MANPAGER|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME|INSPECT|WARNINGS|BREAKPOINT)|PERL5?.*|RUBY.*|GEM_.*|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAKEFLAGS|MAKE|CC|CXX|LD|AR|RUSTC.*|CARGO.*|RUSTFLAGS|GOFLAGS|GOPATH|npm_.*|NPM_.*|YARN_.*|HOME|XDG_.*|TMPDIR|.*_(?:WRAPPER|COMMAND|PROGRAM|ASKPASS|HOOK|HOST|PROXY|CONFIG)|.*_proxy|EXINIT|VIMINIT|TAR_OPTIONS|RIPGREP_CONFIG_PATH|GREP_OPTIONS|CDPATH|cdpath|module_path|KUBECONFIG|DOCKER_.*|OPENSSL_CONF|AWKPATH|AWKLIBPATH|LUA_.*|PHP.*|GLOBIGNORE|FIGNORE|HISTFILE|INPUTRC|TERMINFO.*|ZERO.*)$/;

export function decidesWhatRuns(name: string): boolean {
  return !HARMLESS.has(name) && DECIDES.test(name);
}
