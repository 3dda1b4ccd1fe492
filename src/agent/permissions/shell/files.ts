/** Which files the well-known programs read and write. */
import type { SimpleCommand, Word } from './types.ts';
import { programOf } from './unwrap.ts';

export interface FileUse {
  readonly word: Word;
  readonly writes: boolean;
}

type Uses = 'read' | 'write' | 'last' | 'script' | 'remove';

/** `last`: the last is written, the others read. `script`: all but the first are read. */
const PROGRAMS: Readonly<Record<string, Uses>> = {
  ...each(
    'read',
    'cat tac head tail less more wc stat file du ls tree diff cmp comm sort cut paste nl od xxd hexdump strings base64 md5sum sha1sum sha256sum sha512sum cksum realpath readlink test [ column fold rev join bat find fd cd pushd open source . bash sh zsh',
  ),
  ...each('script', 'grep egrep fgrep rg awk gawk jq sed'),
  ...each('write', 'mkdir touch tee truncate mv shred mkfifo chmod chown chgrp'),
  ...each('remove', 'rm rmdir unlink'),
  ...each('last', 'cp install ln rsync scp'),
};

function each(uses: Uses, names: string): Record<string, Uses> {
  return Object.fromEntries(names.split(' ').map((name) => [name, uses]));
}

/** Options whose value is a file that is written, whatever the program. */
const WRITTEN: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[a-zA-Z]*[oDc]|--output|--dump-header|--cookie-jar|--trace|--trace-ascii|--stderr|--output-dir)$/,
  wget: /^(?:-[a-zA-Z]*[OoaP]|--output-document|--output-file|--append-output|--directory-prefix)$/,
  sort: /^(?:-[a-zA-Z]*o|--output)$/,
  git: /^--output$/,
  gcc: /^-o$/,
  go: /^-o$/,
  tar: /^(?:-[a-zA-Z]*f|-C|--directory|--file)$/,
  find: /^-(?:fprint0?|fprintf|fls)$/,
};

export function isRemoval(command: SimpleCommand): boolean {
  return PROGRAMS[programOf(command)] === 'remove';
}

/** Undefined where a program's use of files is not known here. */
export function filesOf(command: SimpleCommand): FileUse[] | undefined {
  const name = programOf(command);
  const written = writtenBy(name, command.words);
  const uses = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (uses === undefined) return written.length > 0 || Object.hasOwn(WRITTEN, name) ? written : undefined;
  const args = command.words.slice(1);
  const words = name === 'find' ? findFiles(args) : positionals(args, name);
  // Without a folder it goes home.
  if (name === 'cd' && words.length === 0) return [{ word: HOME, writes: false }];
  if (uses === 'read') return [...words.map((word) => ({ word, writes: false })), ...written];
  if (uses === 'script') {
    const files = hasLeadingScript(name, args) ? words.filter((word) => word !== firstWord(args)) : words;
    return files.map((word) => ({ word, writes: name === 'sed' && isInPlace(command) }));
  }
  const hidden = args
    .filter((_, i) => isHiding(args, i, name))
    .map(({ raw }) => ({ word: { ...ANY_FILE, raw }, writes: true }));
  const target = targetOf(args);
  const isWritten = (word: Word, i: number) =>
    uses !== 'last' || (target === undefined ? i === words.length - 1 : word === target);
  return [...hidden, ...words.map((word, i) => ({ word, writes: isWritten(word, i) }))];
}

const HOME: Word = { text: '~', known: true, glob: false, raw: '~' };
const ANY_FILE: Word = { text: '', known: false, glob: true, raw: '' };

export function isInPlace({ words }: SimpleCommand): boolean {
  return words.some(({ text }, i) => i > 0 && /^(?:-[a-zA-Z]*i|--in-place)/.test(text));
}

function firstWord(words: readonly Word[]): Word | undefined {
  return words.find(({ text }) => !/^-./.test(text));
}

/** Options of which none takes the next word. Behind any other the first word may not be the script but its value. */
const PLAIN_OPTIONS: Readonly<Record<string, RegExp>> = {
  grep: /^(?:-[bcEFGhHiIlLnoPqrRsTvVwxyz]+|-[ABCm]\d+|-\d+|--[a-z-]+=.*|--(?:color|recursive|line-number|ignore-case|count|quiet|word-regexp|files-with-matches|only-matching|fixed-strings|extended-regexp))$/s,
  rg: /^(?:-[abcFhHiIlLnNoPqsSuUvwx.0]+|-[ABCmj]\d+|--[a-z-]+=.*|--(?:hidden|no-ignore|no-heading|ignore-case|fixed-strings|line-number|files-with-matches|count|multiline|word-regexp|json))$/s,
  sed: /^(?:-[nErzu]+|-i(?:\.\w+)?|--in-place(?:=\.\w+)?|--quiet|--silent|--regexp-extended)$/,
  awk: /^-F.$/,
  jq: /^(?:-[rcnseaSCMjR]+|--(?:raw-output|compact-output|slurp|sort-keys))$/,
};

function hasLeadingScript(name: string, args: readonly Word[]): boolean {
  const at = args.findIndex(({ text }) => !/^-./.test(text));
  const plain = PLAIN_OPTIONS[name === 'gawk' ? 'awk' : /^[ef]grep$/.test(name) ? 'grep' : name];
  const gives = args.some(
    ({ text }) => /^(?:-[a-zA-Z]*[ef]|--(?:expression|regexp|file|files))/.test(text) && !(plain?.test(text) ?? false),
  );
  return at !== -1 && !gives && args.slice(0, at).every(({ text }) => plain?.test(text) ?? false);
}

/** Words that are no options; of `--option=FILE` the file. A value that is taken for a file is only looked at more closely. */
function positionals(words: readonly Word[], name: string): Word[] {
  const end = words.findIndex(({ text, known }) => known && text === '--');
  return words.flatMap((word, i): Word[] => {
    if (i === end) return [];
    if ((end !== -1 && i > end) || !/^[-+]./.test(word.text) || name === '[') return [word];
    const [, value] = /^--[\w-]+=(.*[/~].*)$/s.exec(word.text) ?? [];
    return value === undefined ? [] : [{ ...word, text: value }];
  });
}

/** An option of a program that writes which may hold a path: `-tDIR`, or a long one nobody looked up. */
function isHiding(words: readonly Word[], at: number, name: string): boolean {
  const { text = '' } = words[at] ?? {};
  if (!/^-./.test(text) || words.slice(0, at).some((word) => word.text === '--') || text === '--' || text === '-t')
    return false;
  if (/^(?:rm|rmdir|unlink|mkdir|touch|tee|truncate|chmod|chown|chgrp|shred)$/.test(name)) return /[/.~]/.test(text);
  return !/^(?:-[abdfHiLlnPpRrsuvxzhqTS]+|--(?:archive|force|recursive|verbose|no-clobber|symbolic|update|preserve(?:=\w+)?|delete|progress|dry-run|stats|human-readable|no-target-directory|interactive|exclude=[\w.*-]+))$/.test(
    text,
  );
}

function targetOf(words: readonly Word[]): Word | undefined {
  const at = words.findIndex(({ text }) => text === '-t' || text === '--target-directory');
  return at === -1 ? undefined : words[at + 1];
}

/** The folders come first; behind the first test only some words are files. */
function findFiles(words: readonly Word[]): Word[] {
  const firstTest = words.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-(?:[LPH]|O\d|D)$/.test(text));
  return words.filter(({ text }, i) => {
    if (/^[-(!]/.test(text)) return false;
    return (
      firstTest === -1 ||
      i < firstTest ||
      /^-(?:newer.*|samefile|fprint0?|fprintf|fls|anewer|cnewer|files0-from)$/.test(words[i - 1]?.text ?? '')
    );
  });
}

function writtenBy(name: string, words: readonly Word[]): FileUse[] {
  const option = Object.hasOwn(WRITTEN, name) ? WRITTEN[name] : undefined;
  if (name === 'dd') {
    return words.flatMap((word) => {
      const [, way, text] = /^(if|of)=(.*)$/s.exec(word.text) ?? [];
      return text === undefined ? [] : [{ word: { ...word, text }, writes: way === 'of' }];
    });
  }
  if (option === undefined) return [];
  return words.flatMap((word, i) => {
    const [, key = '', value] = /^(--[\w-]+)=(.*)$/s.exec(word.text) ?? /^(-[a-zA-Z])(.+)$/s.exec(word.text) ?? [];
    if (value !== undefined && option.test(key)) return [{ word: { ...word, text: value }, writes: true }];
    return i > 0 && option.test(words[i - 1]?.text ?? '') ? [{ word, writes: true }] : [];
  });
}
