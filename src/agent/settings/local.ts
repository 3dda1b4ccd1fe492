/** Changes to `.claude/settings.local.json`: settings of one person in one project. Loaded only by those who write. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { makeFolders, writeFileAtomic } from '../../disk/durable.ts';
import { codeOf, DiskError } from '../../disk/errors.ts';
import { asObject, type Json, type JsonObject } from '../../format/json.ts';

/** The lists that are to be others, by their path. */
export type Changes = readonly (readonly [path: readonly string[], list: readonly string[]])[];

/** All else stays as it stands. Gives the file; throws DiskError where it cannot be read, understood or written, and then it is as it was. */
export function changeLocalSettings(folder: string, changes: (settings: JsonObject) => Changes): string {
  const file = join(folder, '.claude', 'settings.local.json');
  const text = textOf(file);
  const errors: ParseError[] = [];
  const value: Json | undefined = parse(text, errors, { allowTrailingComma: true });
  const settings = asObject(value);
  if (settings === undefined || errors.length > 0) {
    const next = 'It was left as it is. Mend it, then this can be remembered.';
    throw new DiskError({ what: 'the local settings are no JSON object', where: file, next });
  }
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const changed = changes(settings).reduce(
    (now, [path, list]) => applyEdits(now, modify(now, [...path], list, { formattingOptions })),
    text,
  );
  if (changed === text) return file;
  makeFolders(dirname(file), false);
  writeFileAtomic(file, Buffer.from(changed));
  return file;
}

function textOf(file: string): string {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
    return text.trim() === '' ? '{}\n' : text;
  } catch (error) {
    // What cannot be read is not written over.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return '{}\n';
    const why = error instanceof Error ? error.message : String(error);
    throw new DiskError({
      what: `cannot read the local settings: ${why}`,
      where: file,
      next: 'Look at its permissions.',
    });
  }
}
