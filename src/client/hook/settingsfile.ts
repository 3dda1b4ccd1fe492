/** The file of the client's settings: read, and written with a copy of what it was. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Node } from 'jsonc-parser';
import { writeFileAtomic } from '../../disk/durable.ts';
import { configText, configTextIfAny } from '../configtext.ts';
import type { Change, ChangeOptions } from '../mcp/install.ts';
import { freeName } from '../mcp/install.ts';
import { found, memberOf, rootOf, unlike } from './settingstree.ts';

/** Some editors begin a file with it; to JSON it is nothing. */
const BOM = '\uFEFF';
const COPY = '.before-skein';

/** Without what is no part of the JSON; undefined where there is no file. */
export function settingsText(file: string): string | undefined {
  return existsSync(file) ? jsonIn(configText(file, unlike)) : undefined;
}

function jsonIn(whole: string): string {
  const text = whole.startsWith(BOM) ? whole.slice(1) : whole;
  return text.trim() === '' ? '{}\n' : text;
}

/** Throws DiskError; the file is then as it was. */
export function change(file: string, { dryRun }: ChangeOptions, edit: (text: string) => string): Change {
  const before = configTextIfAny(file, unlike);
  const text = jsonIn(before ?? '');
  const edited = edit(text);
  if (edited === text) return { file, changed: false, backup: undefined };
  const backup = before === undefined ? undefined : freeName(`${file}${COPY}`);
  if (!dryRun) {
    if (backup !== undefined && before !== undefined)
      writeFileAtomic(backup, Buffer.from(before), { mode: 0o600, exclusive: true });
    writeFileAtomic(file, Buffer.from(before?.startsWith(BOM) ? BOM + edited : edited));
  }
  return { file, changed: true, backup };
}

/**
 * Which of "hooks" and its lists stood in the file before we first changed it, if only empty: the newest copy without
 * anything of ours shows it.
 */
export function namesBefore(file: string): ReadonlySet<string> {
  const root = copiesOf(file).find(({ root: copy }) => found(copy).length === 0)?.root;
  const hooks = memberOf(root, 'hooks');
  const events = hooks?.children?.map(({ children: [name] = [] }) => `hooks.${name?.value}`) ?? [];
  return new Set(hooks === undefined ? [] : ['hooks', ...events]);
}

/** The texts that it had before we changed it. */
export function textsBefore(file: string): string[] {
  return copiesOf(file).flatMap(({ text, root }) => (found(root).length === 0 ? text : []));
}

interface Copy {
  readonly text: string;
  readonly root: Node;
}

/** The newest first; what cannot be read tells nothing. */
function copiesOf(file: string): Copy[] {
  const start = `${basename(file)}${COPY}`;
  const names = unlessFailed(() => readdirSync(dirname(file))) ?? [];
  const paths = names.filter((name) => name.startsWith(start)).map((name) => join(dirname(file), name));
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const dated = paths.map((path) => ({ path, time: timeOf(path) })).sort((a, b) => b.time - a.time);
  return dated.flatMap(({ path }) => {
    const text = unlessFailed(() => jsonIn(configText(path, unlike)));
    const root = text === undefined ? undefined : unlessFailed(() => rootOf(path, text));
    return text === undefined || root === undefined ? [] : [{ text, root }];
  });
}

function unlessFailed<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
