/** Changes to the text of a JSON file with comments: what is not ours keeps its bytes, its order and its comments. */
import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** Its SyntaxKind, which exists for the compiler alone. */
const [COMMA, LINE_COMMENT, BLOCK_COMMENT, LINE_BREAK, TRIVIA, EOF] = [5, 12, 13, 14, 15, 17];

/** The tree of a text, comments and trailing commas allowed; otherwise why it is none. */
export function treeOf(text: string): Node | string {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first !== undefined) return `${printParseErrorCode(first.error)} at character ${first.offset}`;
  return tree ?? 'it is empty';
}

/** Appends to an array, or a member (`"name": …`) to an object; `item` is written with the indentation of its place. */
export function appendTo(text: string, container: Node, item: (indent: string) => string): string {
  const style = styleOf(text);
  const outer = indentAt(text, container.offset);
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const inner = last !== undefined && startsLine(text, last.offset) ? indentAt(text, last.offset) : outer + style.unit;
  if (last === undefined) {
    const before = text.slice(0, close).trimEnd();
    return `${before}${style.eol}${inner}${item(inner)}${style.eol}${outer}${text.slice(close)}`;
  }
  const end = last.offset + last.length;
  // A comma after the last one is to stay one.
  const [comma, more] = commaIn(text, end, close) === undefined ? [',', ''] : ['', ','];
  const gap = text.slice(end, close).trimEnd();
  return `${text.slice(0, end)}${comma}${gap}${style.eol}${inner}${item(inner)}${more}${style.eol}${outer}${text.slice(close)}`;
}

/** Takes one child out, with the white space before it and the comma that is then too many. Comments around it stay. */
export function removeFrom(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const place = children.indexOf(child);
  const [before, after] = [children[place - 1], children[place + 1]];
  const close = container.offset + container.length - 1;
  const start = before === undefined ? container.offset + 1 : before.offset + before.length;
  const end = child.offset + child.length;
  const comma = commaIn(text, end, after?.offset ?? close);
  const lead = comma === undefined ? commaIn(text, start, child.offset) : undefined;
  const head = withoutComma(text, start, child.offset, lead);
  const tail = withoutComma(text, end, after?.offset ?? close, comma);
  const isBare = children.length === 1 && (head + tail).trim() === '';
  const rest = text.slice(after?.offset ?? close);
  return text.slice(0, start) + (isBare ? '' : joined(head, tail)) + rest;
}

function withoutComma(text: string, from: number, to: number, comma: number | undefined): string {
  return comma === undefined ? text.slice(from, to) : text.slice(from, comma) + text.slice(comma + 1, to);
}

/** What follows a line comment must not become a part of it. */
function joined(head: string, tail: string): string {
  const isOpen = kindsIn(head).at(-1) === LINE_COMMENT && !/^[ \t]*\r?\n/.test(tail);
  return isOpen ? head + tail.trimStart() : head.trimEnd() + tail;
}

/** Comments of `outer` that are not within `inner`. */
export function hasCommentAround(text: string, outer: Node, inner: Node): boolean {
  const before = text.slice(outer.offset, inner.offset);
  const after = text.slice(inner.offset + inner.length, outer.offset + outer.length);
  return [...kindsIn(before), ...kindsIn(after)].some((kind) => kind === LINE_COMMENT || kind === BLOCK_COMMENT);
}

/** Another value in the place of one. */
export function replaced(text: string, { offset, length }: Node, value: string): string {
  return text.slice(0, offset) + value + text.slice(offset + length);
}

/** Of all but the white space. */
function kindsIn(text: string): number[] {
  const scanner = createScanner(text);
  const kinds: number[] = [];
  for (let kind: number = scanner.scan(); kind !== EOF; kind = scanner.scan()) {
    if (kind !== LINE_BREAK && kind !== TRIVIA) kinds.push(kind);
  }
  return kinds;
}

/** The comma between two places, not one in a comment. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text.slice(from, to), true);
  for (let kind = scanner.scan(); kind !== EOF; kind = scanner.scan()) {
    if (kind === COMMA) return from + scanner.getTokenOffset();
  }
  return undefined;
}

export interface Style {
  readonly unit: string;
  readonly eol: string;
}

/** As the file is indented already. */
export function styleOf(text: string): Style {
  return { unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ', eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), offset))?.[0] ?? '';
}

function startsLine(text: string, offset: number): boolean {
  return text.slice(lineStart(text, offset), offset).trim() === '';
}
