/**
 * Whether the tree and the shell can only mean the same. Every character has to belong to a leaf or be a blank, and no
 * leaf may hold a character that would end it in a shell: where the grammar errs, it shows there.
 */
import type { Node } from 'web-tree-sitter';

/** What is doubtful. */
export function doubtfulLeaf(root: Node, source: string): string | undefined {
  let end = 0;
  let doubt: string | undefined;
  const visit = (node: Node): void => {
    if (doubt !== undefined) return;
    if (node.type === 'ERROR' || node.isMissing) doubt = 'it is not whole';
    else if (isLeaf(node)) {
      if (!isGap(source.slice(end, node.startIndex)) || !isSane(node))
        doubt = `"${node.text.slice(0, 40)}" can be read in two ways`;
      end = Math.max(end, node.endIndex);
    } else if (TIGHT.has(node.type) && !isTight(node)) doubt = `there is a blank in "${node.text.slice(0, 40)}"`;
    else if (LOOSE.has(node.type) && !isLoose(node, source)) doubt = `words touch in "${node.text.slice(0, 40)}"`;
    else for (const child of node.children) if (child !== null) visit(child);
  };
  visit(root);
  return doubt ?? (isGap(source.slice(end)) ? undefined : 'its end cannot be read');
}

/** Their parts touch in a shell; the grammar lets blanks come between. */
const TIGHT: ReadonlySet<string> = new Set(['simple_expansion', 'concatenation', 'variable_assignment', 'subscript']);

function isTight({ children }: Node): boolean {
  return children.every((child, i) => i === 0 || child?.startIndex === children[i - 1]?.endIndex);
}

/** A blank has to stand between their parts, or the shell makes one word of them. */
const LOOSE: ReadonlySet<string> = new Set([
  'command',
  'declaration_command',
  'unset_command',
  'negated_command',
  'variable_assignments',
  'redirected_statement',
]);

function isLoose({ children }: Node, source: string): boolean {
  return children.every((child, i) => {
    const before = children[i - 1];
    if (!child || !before) return true;
    if (/[ \t]/.test(source.slice(before.endIndex, child.startIndex))) return true;
    // `a>b` is as good as `a > b`, but `a2>b` is the word a2.
    return /redirect$/.test(child.type) && /^[<>&]/.test(child.text);
  });
}

/** The text of these lies partly between their children. */
function isLeaf({ type, childCount }: Node): boolean {
  return childCount === 0 || type === 'heredoc_body';
}

function isGap(text: string): boolean {
  // A line that is only continued joins what stands on both sides.
  return text === '' || /^[ \t\n]+$/.test(text.replaceAll('\\\n', ''));
}

function isSane({ type, text }: Node): boolean {
  switch (type) {
    case 'word':
    case 'number':
    case 'variable_name':
      return /^(?:[^\s;&|<>()$`"'\\]|\\.)*$/su.test(text);
    case 'file_descriptor':
      return /^\d+$/.test(text);
    case 'string_content':
      return /^(?:[^"`$\\]|\\.|\$(?![\w({['"$@*#?!~^=+:-]))*$/su.test(text);
    case 'raw_string':
      return /^'[^']*'$/.test(text);
    case 'ansi_c_string':
      return /^\$'(?:[^'\\]|\\.)*'$/su.test(text);
    case 'comment':
      return /^#.*$/.test(text);
    case 'regex':
    case 'extglob_pattern':
      return /^[\w.^*?/ -]*\$?$/.test(text);
    default:
      return true;
  }
}

export const EXPANDED = 'its here-document is expanded';

/** A here-document ends at the first line that is its word: checked on the text itself. Two in one line are not looked into. */
export function doubtfulHeredoc(node: Node, source: string): string | undefined {
  const part = (type: string) => node.children.find((child) => child?.type === type);
  const [, quote, word] = /^(['"]?)(\w+)\1$/.exec(part('heredoc_start')?.text ?? '') ?? [];
  const end = part('heredoc_end');
  if (word === undefined || !end) return 'the end of its here-document is not certain';
  const lines = source.slice(node.startIndex).split('\n');
  const strips = node.text.startsWith('<<-');
  const found = lines.findIndex((line, i) => i > 0 && (strips ? line.replace(/^\t+/, '') : line) === word);
  const at = source.slice(node.startIndex, end.startIndex).split('\n').length - 1;
  if (found !== at) return 'the end of its here-document is not certain';
  // What stands behind it in its line has to end there.
  const rest = (lines[0] ?? '').replace(/^<<-?\s*(['"]?)\w+\1/, '').replace(/'[^']*'|"[^"\\$`]*"/g, '');
  if (/<<(?!<)|['"`\\(]/.test(rest)) return 'the end of its here-document is not certain';
  const body = lines.slice(1, found).join('\n');
  // The grammar does not find every command in there.
  if (quote === '' && /`|\$[({[]/.test(body)) return 'commands in its here-document are run';
  return quote === '' && /[$\\]/.test(body) ? EXPANDED : undefined;
}
