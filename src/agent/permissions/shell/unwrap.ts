/** The command within a command: behind wrappers, in `sh -c`, in `find -exec`. */
import type { SimpleCommand, Word } from './types.ts';
import { interpreterOf, SHELLS, STARTS_PROCESSES, WRAPPERS, type Wrapper } from './wrappers.ts';

export interface Unwrapped {
  /** A rule that names no more words than this says nothing of what is run. */
  readonly from: number;
  /** The command alone decides. */
  readonly same?: boolean;
  readonly words?: readonly Word[];
  /** A line of shell. */
  readonly script?: string;
  readonly assigns?: readonly string[];
  /** Why what is run is not known. */
  readonly opaque?: string;
}

/** The name of a program, whatever folder it is called by. */
export function programOf({ words }: Pick<SimpleCommand, 'words'>): string {
  const [first] = words;
  return first?.known ? (first.text.split('/').at(-1) ?? '') : '';
}

export function unwrap(command: SimpleCommand): readonly Unwrapped[] {
  const { words } = command;
  const name = programOf(command);
  const own = name === '' ? undefined : Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (own !== undefined) return ofWrapper(name, own, words);
  if (SHELLS.has(name)) return ofShell(command);
  if (name === 'eval') return [scriptOf(words.slice(1), 1, 'what it evaluates is not known')];
  if (name === 'trap')
    return words.length > 2 && !/^-[lp]/.test(words[1]?.text ?? '')
      ? [scriptOf(words.slice(1, 2), 1, 'what it traps with is not known')]
      : [];
  if (name === 'alias' && words.length > 1) return [{ from: 1, opaque: 'it gives a name another meaning' }];
  if (name === 'source' || name === '.') return [{ from: 1 }];
  if (name === 'find' || name === 'fd' || name === 'fdfind') return ofFind(name, words);
  if (name === 'su' || name === 'script' || name === 'runuser') return ofDashC(words);
  return ofInterpreter(name, command);
}

function ofWrapper(name: string, wrapper: Wrapper, words: readonly Word[]): readonly Unwrapped[] {
  const at = startOf(wrapper, words);
  if (at === 'query') return [];
  const from = typeof at === 'number' ? at : 1;
  if (at === 'opaque') return [{ from, opaque: `what ${name} runs is not known` }];
  const inner = words.slice(at);
  const assigns = words
    .slice(1, at)
    .flatMap(({ text }) => (wrapper.assigns ? (/^(\w+)\+?=/.exec(text)?.[1] ?? []) : []));
  if (inner.length === 0) return ofNothing(name, from, assigns);
  if (wrapper.shell) return [{ ...scriptOf(inner, from, `what ${name} runs is not known`), assigns }];
  if (name === 'flock' && inner[0]?.text === '-c')
    return [scriptOf(inner.slice(1), from, 'what flock runs is not known')];
  // Bare xargs is looked through as the published client does; its input becomes arguments.
  const same = wrapper.same ?? (name === 'xargs' && at === 1);
  // It can be given a name, and then something else follows.
  const opaque = name === 'coproc' ? { opaque: 'what goes on beside it is not known' } : {};
  return [{ from, same, words: wrapper.more ? [...inner, ANYTHING] : inner, assigns, ...opaque }];
}

const ANYTHING: Word = { text: '', known: false, glob: true, raw: '…' };

function ofNothing(name: string, from: number, assigns: readonly string[]): readonly Unwrapped[] {
  // A shell at the other end, fed by whoever talks to it.
  if (name === 'ssh' || name === 'sudo' || name === 'doas' || name === 'chroot')
    return [{ from, opaque: `${name} starts a shell`, assigns }];
  return assigns.length > 0 ? [{ from, assigns }] : [];
}

function startOf(
  { valued, alone, skip = 0, assigns, query }: Wrapper,
  words: readonly Word[],
): number | 'opaque' | 'query' {
  let left = skip;
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    // The value of an option or a host may be unknown, the command itself may not.
    if (!word.known && left === 0) return word.text === '' || word.text.startsWith('-') ? 'opaque' : at;
    if (query?.test(word.text)) return 'query';
    if (word.text === '--' && word.known) return left === 0 ? at + 1 : 'opaque';
    if (valued?.test(word.text)) at += 1;
    else if (alone?.test(word.text) || (assigns && /^\w+\+?=/.test(word.text))) continue;
    else if (word.text.startsWith('-') && word.text !== '-') return left === 0 && word.text === '-c' ? at : 'opaque';
    else if (left > 0) left -= 1;
    else return at;
  }
  return Math.min(at, words.length);
}

function ofShell({ words, fed }: SimpleCommand): readonly Unwrapped[] {
  const at = words.findIndex(({ text }, i) => i > 0 && !/^[-+]/.test(text));
  const options = words.slice(1, at === -1 ? undefined : at);
  if (words.some(({ known }, i) => !known && i > 0 && (at === -1 || i <= at)))
    return [{ from: words.length, opaque: 'what the shell runs is not known' }];
  if (options.some(({ text }) => /^-[a-zA-Z]*c/.test(text))) {
    return [scriptOf(words.slice(at, at + 1), Math.max(at, 1), 'what the shell runs is not known')];
  }
  if (options.some(({ text }) => /^--(?:version|help)$/.test(text))) return [];
  if (at === -1 || options.some(({ text }) => /^-[a-zA-Z]*s/.test(text)))
    return [{ from: words.length, opaque: 'the shell runs what it is fed' }];
  // A script: what it does nobody reads, but it has a name that a rule can give.
  return options.length > 0 || fed ? [{ from: at }] : [];
}

function scriptOf(words: readonly Word[], from: number, opaque: string): Unwrapped {
  if (words.length === 0 || words.some(({ known }) => !known)) return { from, opaque };
  return { from, script: words.map(({ text }) => text).join(' ') };
}

function ofFind(name: string, words: readonly Word[]): readonly Unwrapped[] {
  const starts = name === 'find' ? /^-(?:exec|execdir|ok|okdir)$/ : /^(?:-[a-zA-Z]*[xX]|--exec|--exec-batch)(?:=|$)/;
  return words.flatMap(({ text, known }, i): Unwrapped[] => {
    if (i > 0 && !known && text === '')
      return [{ from: i, ...(name !== 'find' && { opaque: 'its options are not known' }) }];
    if (name === 'find' && /^-(?:delete|fprint0?|fprintf|fls)$/.test(text)) return [{ from: i }];
    if (i === 0 || !starts.test(text)) return [];
    const rest = words.slice(i + 1);
    const end = rest.findIndex((word) => word.text === ';' || (word.text === '+' && name === 'find'));
    const inner = (end === -1 ? rest : rest.slice(0, end)).map((word) =>
      word.text.includes('{}') ? { ...ANYTHING, raw: word.raw } : word,
    );
    return [
      inner.length === 0
        ? { from: i, opaque: `what ${name} runs is not known` }
        : { from: i + 1, words: name === 'find' ? inner : [...inner, ANYTHING] },
    ];
  });
}

function ofDashC(words: readonly Word[]): readonly Unwrapped[] {
  const at = words.findIndex(({ text }, i) => i > 0 && /^(?:-[a-z]*c|--command)$/.test(text));
  return [
    at === -1
      ? { from: words.length, opaque: 'it starts a shell' }
      : scriptOf(words.slice(at + 1, at + 2), at, 'what the shell runs is not known'),
  ];
}

function ofInterpreter(name: string, { words, fed }: SimpleCommand): readonly Unwrapped[] {
  const code = interpreterOf(name);
  if (code === undefined) return [];
  const script = words.findIndex(({ text, known }, i) => i > 0 && !(known && /^-./.test(text)));
  // A word that is no file may be the value of an option.
  const isFile = /[./]/.test(words[script]?.text ?? '');
  const at = words.findIndex(({ text }, i) => i > 0 && (script === -1 || !isFile || i <= script) && code.test(text));
  if (at !== -1) {
    const isSafe = words.slice(at).every(({ text, known }) => known && !STARTS_PROCESSES.test(text));
    return [{ from: at, ...(!isSafe && { opaque: 'its code may start anything' }) }];
  }
  if (script !== -1 && words[script]?.text !== '-') return [];
  if (words.some(({ text }, i) => i > 0 && /^(?:-[vVh]|--version|--help)$/.test(text)) && words.length === 2) return [];
  return script === -1 && words.length > 1 && /^-m/.test(words[1]?.text ?? '')
    ? []
    : [{ from: words.length, opaque: fed ? 'it runs the code it is fed' : 'it runs code that is not known' }];
}
