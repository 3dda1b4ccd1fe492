/** Where in the text of a settings file something stands. Loaded only by those who have to tell. */
import { findNodeAtLocation, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import { asObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import type { Path, Place } from './types.ts';

export interface BrokenText {
  readonly what: string;
  readonly offset: number;
  /** What can be made of it all the same. */
  readonly value: JsonObject;
}

/** Why a text is no JSON object. */
export function brokenText(text: string): BrokenText {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  const loose: Json | undefined = parseJson(JSON.stringify(parse(text, [], { allowTrailingComma: true }) ?? null));
  const value = asObject(loose) ?? {};
  const left = 'the file is left out, but what it forbids holds.';
  if (first === undefined) return { what: `It is not a JSON object; ${left}`, offset: 0, value };
  const name = NAMES[printParseErrorCode(first.error)] ?? printParseErrorCode(first.error);
  return { what: `It is not JSON (${name}); ${left}`, offset: first.offset, value };
}

const NAMES: Readonly<Record<string, string>> = {
  InvalidCommentToken: 'comments are not allowed in settings',
  PropertyNameExpected: 'a name is missing, or there is a comma too many',
  ValueExpected: 'a value is missing, or there is a comma too many',
  CommaExpected: 'a comma is missing',
  ColonExpected: 'a colon is missing',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'something follows its end',
  InvalidSymbol: 'an unknown word',
  UnexpectedEndOfString: 'a text has no end',
  InvalidCharacter: 'a character that may not stand there',
};

/** Of a value that is not there: that of the nearest one around it. */
export function placeOf(text: string, at: Path | number): Place {
  if (typeof at === 'number') return placeAt(text, at);
  const tree = parseTree(text, [], { allowTrailingComma: true });
  for (let path = [...at]; tree !== undefined; path = path.slice(0, -1)) {
    const node = findNodeAtLocation(tree, path);
    // A value is found by its name.
    if (node !== undefined) return placeAt(text, node.parent?.type === 'property' ? node.parent.offset : node.offset);
    if (path.length === 0) break;
  }
  return placeAt(text, 0);
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
