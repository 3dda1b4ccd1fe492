/** Commands that only look, with the options that only look. Data: what is not here is asked about. */
import type { SimpleCommand } from './types.ts';
import { programOf } from './unwrap.ts';

interface Looker {
  /** Options that may be used: short ones as letters, long ones by name. */
  readonly short?: string;
  readonly long?: string;
  /** Other forms of options. */
  readonly also?: RegExp;
  /** No words but options. */
  readonly bare?: boolean;
  /** Its words are only printed: what they are does not matter. */
  readonly prints?: boolean;
}

const COLOR = 'color colour help version';

const LOOKERS: Readonly<Record<string, Looker>> = {
  pwd: { short: 'LP', bare: true },
  whoami: { bare: true },
  id: { short: 'ugnGr' },
  uname: { short: 'asnrvmpio', bare: true },
  hostname: { bare: true },
  date: { short: 'uIR', long: 'utc iso-8601 rfc-3339', also: /^\+/, bare: true },
  true: {},
  false: {},
  echo: { short: 'neE', prints: true, also: /./ },
  printf: { prints: true },
  sleep: {},
  cd: { short: 'LP' },
  ls: {
    short: 'aAbBcCdFfgGhHiIklLmnNopqQrRsStTuUvwxXZ1',
    long: `all almost-all classify directory human-readable inode recursive reverse size sort time full-time group-directories-first ${COLOR}`,
  },
  tree: { short: 'adfilLIPpsugDFhCnr', long: `dirsfirst noreport gitignore prune filelimit ${COLOR}` },
  cat: { short: 'AbeEnstTuv', long: 'number number-nonblank show-all show-ends show-tabs' },
  tac: {},
  head: { short: 'ncqvz', long: 'lines bytes quiet verbose', also: /^-\d+$/ },
  tail: { short: 'ncqv', long: 'lines bytes quiet verbose', also: /^-\d+$|^\+\d+$/ },
  wc: { short: 'clmLw', long: 'bytes chars lines words max-line-length' },
  stat: { short: 'cfLt', long: 'format printf dereference terse' },
  file: { short: 'bikLhNprs', long: 'brief mime mime-type dereference' },
  du: { short: 'acdhkmsSxLb', long: 'all human-readable summarize max-depth total' },
  df: { short: 'hHikmPTa', long: 'human-readable' },
  diff: {
    short: 'abBcdeEiNpqrstTuUwyC',
    long: `brief unified recursive ignore-all-space ignore-space-change side-by-side ${COLOR}`,
  },
  cmp: { short: 'bls' },
  comm: { short: '123' },
  sort: {
    short: 'bdfghikMnrRtuVcCsz',
    long: 'numeric-sort reverse unique key field-separator human-numeric-sort version-sort',
  },
  cut: { short: 'bcdfnsz', long: 'delimiter fields characters only-delimited' },
  paste: { short: 'dsz' },
  tr: { short: 'cCdst' },
  nl: { short: 'bv' },
  rev: {},
  fold: { short: 'sw' },
  column: { short: 'tsnxo' },
  md5sum: { short: 'bt' },
  sha1sum: { short: 'bt' },
  sha256sum: { short: 'bt' },
  sha512sum: { short: 'bt' },
  basename: { short: 'asz' },
  dirname: { short: 'z' },
  realpath: { short: 'emsqz', long: 'relative-to relative-base canonicalize-missing canonicalize-existing' },
  readlink: { short: 'femnqsvz' },
  which: { short: 'as' },
  type: { short: 'afptP' },
  test: { also: /^-(?:[a-hknoprstuwxzLNOS]|ef|nt|ot)$/ },
  '[': { also: /^-(?:[a-hknoprstuwxzLNOS]|ef|nt|ot)$/ },
  grep: {
    short: 'abcEFGhHiIlLmnoPqrRsTvVwxyzeABC',
    long: `extended-regexp fixed-strings perl-regexp regexp ignore-case invert-match word-regexp line-regexp count files-with-matches files-without-match max-count only-matching quiet no-messages line-number with-filename no-filename recursive include exclude exclude-dir context after-context before-context ${COLOR}`,
    also: /^-\d+$/,
  },
  rg: {
    short: 'abcFhHiIlLmnNoPqrsSuUvwxegtTjABC.0',
    long: `fixed-strings ignore-case smart-case case-sensitive line-number no-line-number count count-matches files files-with-matches files-without-match glob iglob type type-not type-list max-count max-depth only-matching context after-context before-context hidden no-ignore no-heading heading multiline pcre2 quiet replace sort word-regexp invert-match json stats trim vimgrep column no-filename with-filename max-columns null unrestricted regexp ${COLOR}`,
  },
  find: {
    also: /^-(?:name|iname|path|ipath|wholename|regex|iregex|regextype|type|xtype|maxdepth|mindepth|size|empty|mtime|atime|ctime|mmin|amin|cmin|newer|perm|user|group|links|inum|prune|print|print0|printf|ls|not|and|or|o|a|depth|mount|xdev|follow|readable|writable|executable|true|false|quit|L|P|H|daystart)$/,
  },
  sed: { short: 'nErz', long: 'quiet silent regexp-extended', also: /^-[nEr]*e$/ },
  jq: {
    short: 'rcnseaSCMj',
    long: 'raw-output compact-output null-input slurp exit-status sort-keys arg argjson raw-input tab indent',
    also: /^-R$/,
  },
  uniq: { short: 'cdiuDz', long: 'count repeated unique', bare: true },
  seq: { short: 'fsw' },
  ps: { short: 'aefluwxAjoCp', also: /^[auxefw]+$/ },
  free: { short: 'bkmghst', bare: true },
  uptime: { short: 'ps', bare: true },
  nproc: { long: 'all', bare: true },
  arch: { bare: true },
  groups: {},
  tty: { bare: true },
  locale: { short: 'a', bare: true },
};

/** `node --version` and the like: nothing else in the line. Those that first run what a project names (yarn, cargo, go …) are not here. */
const VERSIONED = /^(?:node|python|python3|git|gcc|clang|java|ruby|perl|php|rg|jq|curl|bash|zsh)$/;

export function looksOnly(command: SimpleCommand): boolean {
  const { words, assigns } = command;
  if (assigns.length > 0 || words[0]?.text.includes('/')) return false;
  const name = programOf(command);
  const [, second] = words;
  if (
    VERSIONED.test(name) &&
    words.length === 2 &&
    second?.known &&
    /^(?:--version|-v|-V|version)$/.test(second.text)
  ) {
    return !/^(?:bash|zsh)$/.test(name) || second.text === '--version';
  }
  const looker = Object.hasOwn(LOOKERS, name) ? LOOKERS[name] : undefined;
  if (looker === undefined) return false;
  if (looker.prints)
    return !words.some(
      ({ text, known }, i) => i > 0 && name === 'printf' && (!known ? i === 1 : i === 1 && text.startsWith('-')),
    );
  return words.slice(1).every(({ text, known, glob }, i) => {
    if (!known || (glob && WRITES_TOO.has(name))) return false;
    if (!/^[-+]./.test(text) || isPastEnd(words.slice(1), i)) return !looker.bare;
    return isOption(looker, text);
  });
}

/** They have options that write or run something, and a file may be named like one. */
const WRITES_TOO: ReadonlySet<string> = new Set(['find', 'sort', 'sed', 'date', 'rg', 'file', 'tree', 'uniq']);

function isPastEnd(words: readonly { readonly text: string }[], at: number): boolean {
  const end = words.findIndex(({ text }) => text === '--');
  return end !== -1 && at >= end;
}

function isOption({ short = '', long = '', also }: Looker, text: string): boolean {
  if (also?.test(text)) return true;
  const [, name] = /^--([a-z][a-z0-9-]*)(?:=.*)?$/s.exec(text) ?? [];
  if (name !== undefined) return long.split(' ').includes(name);
  const letters = /^-([a-zA-Z0-9.]+)$/.exec(text)?.[1] ?? '';
  if (letters !== '' && [...letters].every((letter) => short.includes(letter))) return true;
  // A value may be attached: -n5, -k2,2, -d,
  return /^-[a-zA-Z][^a-zA-Z]*$/.test(text) && short.includes(text[1] ?? ' ');
}
