/** A list of replacements, made one after the other; all of them or none. */
import { type Encoding, textUnits, toText, toUnits, unitsToBytes, withPlainEnds } from './encoding.ts';
import { nearMiss } from './nearmiss.ts';
import { Refusal } from './place.ts';
import { replaceIn } from './replace.ts';

export interface TextEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

export interface Edited {
  readonly bytes: Buffer;
  /** How many places each edit changed. */
  readonly counts: readonly number[];
}

/** `name` says which one it is, where there are several. Throws Refusal. */
export function applyEdits(
  bytes: Buffer,
  encoding: Encoding,
  edits: readonly TextEdit[],
  name: (index: number) => string = () => '',
): Edited {
  const counts: number[] = [];
  let units = toUnits(bytes, encoding);
  for (const [index, edit] of edits.entries()) {
    const all = edit.replace_all ?? false;
    refuseSame(edit, name(index));
    const [from, to] = [textUnits(edit.old_string, encoding), textUnits(edit.new_string, encoding)];
    const replaced = replaceIn(units, { from, to, all });
    if (replaced.kind === 'missing')
      throw new Refusal(name(index) + notFound(unitsToBytes(units, encoding), encoding, edit));
    if (replaced.kind === 'several') {
      throw new Refusal(
        `${name(index)}old_string stands at ${replaced.count} places. Give more of the text around the one you mean, or set replace_all to change them all.`,
      );
    }
    units = replaced.text;
    counts.push(replaced.count);
  }
  return { bytes: unitsToBytes(units, encoding), counts };
}

function refuseSame({ old_string, new_string }: TextEdit, name: string): void {
  if (old_string === new_string)
    throw new Refusal(`${name}old_string and new_string are the same: nothing would change.`);
}

const SHOWN = 300;

function notFound(bytes: Buffer, encoding: Encoding, { old_string }: TextEdit): string {
  const hint = nearMiss(withPlainEnds(toText(bytes, encoding)), withPlainEnds(old_string));
  const wanted = old_string.length > SHOWN ? `${old_string.slice(0, SHOWN)}…` : old_string;
  return `old_string is not in the file. ${hint ?? 'It must be the same character for character; read the file again.'}\nold_string: ${wanted}`;
}
