/** What the shell makes of a word: quotes, backslashes and $'…' taken away. What only shows when it runs is unknown. */
import type { Node } from 'web-tree-sitter';
import type { Word } from './types.ts';

/** Undefined: nobody can say how it is read. */
export function wordOf(node: Node): Word {
  const raw = node.text;
  const { text, known, glob } = literalOf(node);
  // Braces and, in zsh, `=name` become something else; `~name` is someone's home.
  const isChanged = hasBraces(raw) || raw.startsWith('=') || /^~[^/]/.test(raw);
  return isChanged ? { text: '', known: false, glob: true, raw } : { text, known, glob, raw };
}

type Value = Omit<Word, 'raw'>;

const UNKNOWN: Value = { text: '', known: false, glob: false };
const known = (text: string, glob = false): Value => ({ text, known: true, glob });

function literalOf(node: Node): Value {
  switch (node.type) {
    case 'word':
    case 'number':
    case 'test_operator':
    case 'extglob_pattern':
    case 'regex':
      return bare(node.text);
    case 'raw_string':
      return known(node.text.slice(1, -1));
    case 'string':
      return quoted(node);
    case 'ansi_c_string':
      return ansi(node.text.slice(2, -1));
    case 'concatenation':
    case 'command_name':
      return joined(node.children.map((child) => (child === null ? UNKNOWN : literalOf(child))));
    default:
      return UNKNOWN;
  }
}

/** Up to the first part that is not known. */
function joined(values: readonly Value[]): Value {
  let text = '';
  for (const value of values) {
    text += value.text;
    if (!value.known) return { text, known: false, glob: values.some(({ glob }) => glob) };
  }
  return known(
    text,
    values.some(({ glob }) => glob),
  );
}

function bare(raw: string): Value {
  const text = raw.replace(/\\(\n|.)/gs, (_, char: string) => (char === '\n' ? '' : char));
  return known(text, /(?<!\\)(?:\\\\)*[*?[]/.test(raw));
}

function quoted(node: Node): Value {
  const unknown = node.namedChildren.find((child) => child?.type !== 'string_content');
  const inner = node.text.slice(1, unknown ? unknown.startIndex - node.startIndex : -1);
  const text = inner.replace(/\\([$`"\\\n])/g, (_, char: string) => (char === '\n' ? '' : char));
  return { text, known: unknown === undefined, glob: false };
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};

function ansi(inner: string): Value {
  let isKnown = true;
  const text = inner.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|c(.)|(.))/gs,
    (whole, x?: string, u?: string, U?: string, octal?: string, control?: string, one?: string) => {
      const hex = x ?? u ?? U;
      const code =
        hex !== undefined ? Number.parseInt(hex, 16) : octal !== undefined ? Number.parseInt(octal, 8) : undefined;
      // Bytes over 7f may be parts of a character; a zero ends the word.
      if (code !== undefined && (code === 0 || code > 0x7f)) isKnown = false;
      else if (code !== undefined) return String.fromCharCode(code);
      else if (one !== undefined && ESCAPES[one] !== undefined) return ESCAPES[one];
      else isKnown = control !== undefined ? false : isKnown;
      return one === undefined ? '' : whole;
    },
  );
  return isKnown ? known(text) : UNKNOWN;
}

/** `{a,b}` and `{1..3}` outside quotes. */
function hasBraces(raw: string): boolean {
  const bareText = raw.replace(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, '');
  return /\{[^{}]*(?:,|\.\.)[^{}]*\}|\{[^}]*\{/.test(bareText) && !/^\$\{/.test(bareText);
}
