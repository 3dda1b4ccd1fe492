/** A line of shell, flattened: every node of its tree is looked at, so that no way of nesting hides a command. */
import type { Node } from 'web-tree-sitter';
import { doubtfulHeredoc, doubtfulLeaf, EXPANDED } from './leaves.ts';
import { KNOWN_NODES } from './nodes.ts';
import { oddCharacters } from './odd.ts';
import type { ShellParser } from './parser.ts';
import type { Analysis, Assignment, Redirect, SimpleCommand, Word } from './types.ts';
import { wordOf } from './words.ts';

interface Found {
  readonly commands: SimpleCommand[];
  readonly redirects: Redirect[];
  readonly opaque: Set<string>;
  readonly unclear: Set<string>;
}

export function analyse(source: string, parser: ShellParser): Analysis {
  const found: Found = { commands: [], redirects: [], opaque: new Set(), unclear: new Set() };
  const odd = oddCharacters(source);
  if (odd !== undefined) found.opaque.add(odd);
  const tree = parser.parse(source);
  if (tree === undefined) found.opaque.add('it is too long to be looked at');
  else {
    try {
      const doubt = doubtfulLeaf(tree.rootNode, source);
      if (doubt !== undefined) found.opaque.add(doubt);
      visit(tree.rootNode, source, found);
    } catch {
      found.opaque.add('it nests too deep to be looked at');
    }
    tree.delete();
  }
  return { ...found, opaque: [...found.opaque], unclear: [...found.unclear] };
}

function visit(node: Node, source: string, found: Found): void {
  const { type } = node;
  if (node.isNamed && !KNOWN_NODES.has(type)) found.opaque.add(`it has a ${type.replaceAll('_', ' ')}`);
  // To the shell `{export` is one word.
  if (type === 'compound_statement' && /^\{\S/.test(node.text)) found.opaque.add('a brace in it is a part of a word');
  if (type === 'command') found.commands.push(commandOf(node, source));
  else if (type === 'declaration_command' || type === 'unset_command') found.commands.push(declarationOf(node));
  else if (type === 'test_command') visitTest(node, found);
  else if (type === 'file_redirect') visitRedirect(node, found);
  else if (type === 'heredoc_redirect') visitHeredoc(node, source, found);
  else if (type === 'variable_assignment') visitAssignment(node, found);
  else if (type === 'for_statement') visitLoop(node, found);
  else if (type === 'function_definition') found.unclear.add('it defines a function');
  else if (type === 'expansion') visitExpansion(node, found);
  else if (type === 'arithmetic_expansion' || node.text.startsWith('((')) visitArithmetic(node, found);
  else if (type === '&') found.unclear.add('a part of it goes on in the background');
  for (const child of node.children) if (child !== null) visit(child, source, found);
}

function commandOf(node: Node, source: string): SimpleCommand {
  const name = node.childForFieldName('name');
  const args = node.childrenForFieldName('argument').filter((child) => child !== null);
  const nodes = name ? [name, ...args] : args;
  const first = name ?? args[0];
  const last = nodes.at(-1);
  const raw = first && last ? source.slice(first.startIndex, last.endIndex) : node.text;
  return { words: nodes.map(wordOf), assigns: assignsOf(node), raw, fed: isFed(node) };
}

function assignsOf(node: Node): Assignment[] {
  return node.children.flatMap((child) => {
    if (child?.type !== 'variable_assignment') return [];
    const value = child.childForFieldName('value');
    return [{ name: child.childForFieldName('name')?.text ?? '', known: value === null || wordOf(value).known }];
  });
}

/** Something may come in by its standard input. */
function isFed(node: Node): boolean {
  for (let at: Node | null = node; at !== null; at = at.parent) {
    const redirects = at.type === 'redirected_statement' || at.type === 'command' ? at.children : [];
    if (
      redirects.some(
        (child) => /^(?:heredoc|herestring|file)_redirect$/.test(child?.type ?? '') && /^\d*</.test(child?.text ?? ''),
      )
    )
      return true;
    if (at.parent?.type === 'pipeline' && at.parent.namedChildren[0]?.id !== at.id) return true;
  }
  return false;
}

/** `export A=1`, `declare -x …`, `unset …`: the assignments are looked at where they stand. */
function declarationOf(node: Node): SimpleCommand {
  const words = node.children.flatMap((child): Word[] => {
    if (child === null) return [];
    const { text: raw } = child;
    if (!child.isNamed) return [{ text: raw, known: true, glob: false, raw }];
    return [child.type === 'variable_assignment' ? { text: raw, known: false, glob: false, raw } : wordOf(child)];
  });
  return { words, assigns: [], raw: node.text, fed: false };
}

/** What `[ … ]` compares as numbers is evaluated, and evaluating can run commands. */
function visitTest(node: Node, found: Found): void {
  if (!/^\[\[?\s/.test(node.text)) found.opaque.add('a bracket in it is a part of a word');
  const text = node.text.replace(/^\[\[?|\]\]?$/g, ' ');
  if (/\s-(?:eq|ne|lt|le|gt|ge|v|R)\s/.test(text) && /[$`'"[\\]/.test(text)) {
    found.unclear.add('a test in it evaluates what is not known');
  }
}

function visitRedirect(node: Node, found: Found): void {
  const destinations = node.childrenForFieldName('destination').filter((child) => child !== null);
  if (destinations.length !== 1) found.opaque.add('there are words behind a redirection');
  const operator = node.children.find((child) => child && !child.isNamed)?.text ?? '';
  for (const destination of destinations) {
    const word = wordOf(destination);
    if (/&$/.test(operator) && /^(?:\d+|-|\d+-)$/.test(word.raw)) continue;
    if (word.known && /^\/dev\/(?:null|stdout|stderr|stdin|tty)$/.test(word.text)) continue;
    found.redirects.push({ word, writes: operator !== '<' && operator !== '<&' });
  }
}

function visitHeredoc(node: Node, source: string, found: Found): void {
  const doubt = doubtfulHeredoc(node, source);
  if (doubt !== undefined) (doubt === EXPANDED ? found.unclear : found.opaque).add(doubt);
  if (node.childrenForFieldName('argument').length > 0) found.opaque.add('there are words behind a here-document');
}

function visitAssignment(node: Node, found: Found): void {
  const name = node.childForFieldName('name')?.text ?? '';
  if (!/^[A-Za-z_]\w*(?:\[|$)/.test(name)) found.opaque.add('it has an assignment to what is no name');
  if (node.parent?.type === 'command') return;
  found.commands.push({ words: [], assigns: [{ name, known: false }], raw: node.text, fed: false });
}

/** Names that no shell gives a meaning to. */
const LOOP_NAMES = /^(?:[a-z]|file|dir|line|name|item|pkg|ext|num|url|word|key|val|src|dst|f\d|x\d)$/;

function visitLoop(node: Node, found: Found): void {
  const name = node.childForFieldName('variable')?.text ?? '';
  if (!LOOP_NAMES.test(name)) found.unclear.add(`it changes ${name || 'a variable'}`);
}

/** `${NAME}` is a value like $NAME; with more in the braces it may be evaluated. */
function visitExpansion(node: Node, found: Found): void {
  if (!/^\$\{\w+\}$/.test(node.text)) found.unclear.add('an expansion in it cannot be followed');
}

/** Names in arithmetic are evaluated, and what they hold again. */
function visitArithmetic(node: Node, found: Found): void {
  if (!/^\$?\(\([\d\s+*/%<>=!&|^~?:(),-]*\)\)$/.test(node.text))
    found.unclear.add('arithmetic in it evaluates what is not known');
}
