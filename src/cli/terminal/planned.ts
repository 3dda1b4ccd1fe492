/** What a call is about to change in a file, as the file stands now: for whoever shows it before it is done. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { plainText } from '../../agent/tools/files/change.ts';
import { applyEdits, type TextEdit } from '../../agent/tools/files/edits.ts';
import { encodingOf } from '../../agent/tools/files/encoding.ts';
import { statFile } from '../../agent/tools/files/place.ts';
import { asArray, asString, isObject, type JsonObject } from '../../format/json.ts';

export type PlannedChange =
  /** `before`: undefined where there is no text, or too much. */
  | { readonly kind: 'whole'; readonly path: string; readonly before: string | undefined; readonly after: string }
  /** The file cannot be looked into, or the edits do not fit it. */
  | { readonly kind: 'pieces'; readonly path: string; readonly edits: readonly TextEdit[] };

/** Undefined for calls that change no text. Larger files are not read. Never throws. */
export function plannedChange(
  name: string,
  input: JsonObject,
  cwd: string,
  mostBytes: number,
): PlannedChange | undefined {
  const given = asString(input.file_path);
  if (given === undefined) return undefined;
  const path = resolve(cwd, given);
  if (name === 'Write')
    return { kind: 'whole', path, before: textOf(path, mostBytes), after: asString(input.content) ?? '' };
  const edits = editsOf(name, input);
  if (edits.length === 0) return undefined;
  const before = textOf(path, mostBytes);
  const after = edited(before, edits);
  return after === undefined ? { kind: 'pieces', path, edits } : { kind: 'whole', path, before, after };
}

function editsOf(name: string, input: JsonObject): TextEdit[] {
  const all = name === 'Edit' ? [input] : name === 'MultiEdit' ? (asArray(input.edits)?.filter(isObject) ?? []) : [];
  return all.flatMap((edit) => {
    const [old_string, new_string] = [asString(edit.old_string), asString(edit.new_string)];
    if (old_string === undefined || new_string === undefined) return [];
    return [{ old_string, new_string, replace_all: edit.replace_all === true }];
  });
}

function textOf(path: string, mostBytes: number): string | undefined {
  try {
    const stat = statFile(path);
    if (stat === undefined || stat.size > mostBytes) return undefined;
    const bytes = readFileSync(path);
    const encoding = encodingOf(bytes);
    return encoding && plainText(bytes, encoding);
  } catch {
    return undefined;
  }
}

/** Undefined where the edits do not fit. */
function edited(text: string | undefined, edits: readonly TextEdit[]): string | undefined {
  const [first, ...others] = edits;
  const makes = first?.old_string === '';
  if (text === undefined && !makes) return undefined;
  const start = makes ? first.new_string : (text ?? '');
  try {
    return applyEdits(Buffer.from(start), 'utf-8', makes ? others : edits).bytes.toString('utf8');
  } catch {
    return undefined;
  }
}
