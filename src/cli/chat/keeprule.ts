/** "Do not ask again": a rule in the project's own settings, which are not shared. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyEdits, modify, parse } from 'jsonc-parser';
import { makeFolders, writeFileAtomic } from '../../disk/durable.ts';
import { asArray, asObject, type Json } from '../../format/json.ts';

/** What else stands in the file stays as it is. Throws DiskError. */
export function keepRule(cwd: string, rule: string): void {
  const file = join(cwd, '.claude', 'settings.local.json');
  const text = textOf(file);
  const settings: Json = parse(text) ?? {};
  const allowed = asArray(asObject(asObject(settings)?.permissions)?.allow) ?? [];
  if (allowed.includes(rule)) return;
  const edits = modify(text, ['permissions', 'allow'], [...allowed, rule], {
    formattingOptions: { insertSpaces: true, tabSize: 2 },
  });
  makeFolders(dirname(file), false);
  writeFileAtomic(file, Buffer.from(applyEdits(text, edits)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim() || '{}';
  } catch {
    return '{}';
  }
}
