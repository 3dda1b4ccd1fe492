/** Where an export goes: a file put in place whole, a folder of them, or standard output. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeFileAtomic } from '../../disk/durable.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';

export const STDOUT = '-';

/** Words of the title and the start of the id, which tell chats of one title apart. */
export function fileName(title: string | undefined, id: string, extension: string): string {
  const words = (title ?? '')
    .normalize('NFC')
    .replace(/\[[a-z0-9-]+(?::[0-9a-f]{4})?\]/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48)
    .replace(/-+$/, '');
  const safeId = id.replace(/[^\w]+/g, '').slice(0, 8);
  return `${[words, safeId].filter((part) => part !== '').join('-')}.${extension}`;
}

/** The path to write to; a folder given takes the file under its usual name. Throws where something is there already. */
export function targetOf(context: Context, args: Arguments, name: string): string {
  const given = args.value('to');
  if (given === STDOUT) return STDOUT;
  const path = resolve(context.cwd, given ?? name);
  const target = given !== undefined && isFolder(path) && !isFolderName(name) ? join(path, name) : path;
  refuseToReplace(target, args);
  return target;
}

/** A project's folder may be there, its files may not; what is put in the place of a device or a pipe would end it. */
export function refuseToReplace(path: string, args: Arguments): void {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isDirectory()) return;
  if (!there.isFile()) throw new CommandError('It is not a file.', path, 'Name a file, or - for standard output.');
  if (args.flag('force')) return;
  throw new CommandError('There is something there already.', path, 'Choose another name with --to, or say --force.');
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isFolderName(name: string): boolean {
  return !name.includes('.');
}

/**
 * How many bytes were written. What is masked is made to be handed on and gets the rights any new file gets; what is
 * revealed is for its owner alone.
 */
export function save(path: string, pieces: Iterable<string>, reveal: boolean): number {
  let bytes = 0;
  function* counted(): Generator<Uint8Array> {
    for (const piece of pieces) {
      const part = Buffer.from(piece);
      bytes += part.length;
      yield part;
    }
  }
  writeFileAtomic(path, counted(), { mode: reveal ? 0o600 : 0o666 & ~process.umask() });
  return bytes;
}
