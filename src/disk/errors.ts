/** How the disk's troubles are told: what happened, where, and what to do next. As a value where work goes on, as an error where it cannot. */

export type ProblemKind = 'missing' | 'unreadable' | 'dangling-link' | 'link-loop' | 'twice' | 'not-a-file' | 'empty';

/** Something odd met on the way; the work went on without it. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly what: string;
  readonly where: string;
  readonly next: string;
  /** The system's code, e.g. EACCES. */
  readonly code?: string;
}

/** The work cannot go on. */
export class DiskError extends Error {
  override readonly name = 'DiskError';
  readonly what: string;
  readonly where: string;
  readonly next: string;
  readonly code: string | undefined;

  constructor(story: { what: string; where: string; next: string; cause?: unknown }) {
    super(`${story.what}: ${story.where}. ${story.next}`, { cause: story.cause });
    this.what = story.what;
    this.where = story.where;
    this.next = story.next;
    this.code = codeOf(story.cause);
  }
}

/**
 * Where the files are read from, such as a team's server, cannot be asked. That is no trouble of one file, which would be passed over: no
 * DiskError, so whoever goes on without a file lets it pass, and the verb ends.
 */
export class PlaceError extends Error {
  override readonly name = 'PlaceError';
  readonly what: string;
  readonly where: string;
  readonly next: string;

  constructor(story: { what: string; where: string; next: string }) {
    super(`${story.what}: ${story.where}. ${story.next}`);
    this.what = story.what;
    this.where = story.where;
    this.next = story.next;
  }
}

/** Undefined for what is nested too deeply to be gone through: it counts as a line that cannot be read. The disk's own troubles go on. */
export function orNothing<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof DiskError || error instanceof PlaceError) throw error;
    return undefined;
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A DiskError for a failed system call; one that already is a DiskError, or is no trouble of the file, stays as it is. */
export function toDiskError(error: unknown, doing: string, where: string): DiskError | PlaceError {
  if (error instanceof DiskError || error instanceof PlaceError) return error;
  const { why, next } = explain(codeOf(error));
  const reason = why ?? (error instanceof Error ? error.message : String(error));
  return new DiskError({ what: `${doing}: ${reason}`, where, next, cause: error });
}

/** A Problem for a failed system call or a DiskError. */
export function toProblem(error: unknown, where: string): Problem {
  const code = codeOf(error);
  if (error instanceof DiskError) {
    return {
      kind: KINDS.get(code ?? '') ?? 'unreadable',
      what: error.what,
      where: error.where,
      next: error.next,
      code,
    };
  }
  const { why, next } = explain(code);
  const what = why ?? (error instanceof Error ? error.message : String(error));
  return { kind: KINDS.get(code ?? '') ?? 'unreadable', what, where, next, code };
}

const KINDS: ReadonlyMap<string, ProblemKind> = new Map([
  ['ENOENT', 'missing'],
  ['ELOOP', 'link-loop'],
]);

const REASONS: ReadonlyMap<string, readonly [why: string, next: string]> = new Map([
  ['ENOENT', ['there is no such file or folder', 'Check the path.']],
  ['EEXIST', ['something is there already', 'Nothing was replaced; choose another place.']],
  ['ENOTDIR', ['a part of the path is a file, not a folder', 'Check the path.']],
  ['EISDIR', ['it is a folder, not a file', 'Name a .jsonl file.']],
  ['EACCES', ['permission denied', 'Change its permissions, or run as the user it belongs to.']],
  ['EPERM', ['the system does not permit it', 'Change its permissions, or run as the user it belongs to.']],
  ['ELOOP', ['its symbolic links lead in a circle', 'Remove or mend the link.']],
  ['EROFS', ['the file system is read-only', 'Choose another place.']],
  ['ENOSPC', ['the disk is full', 'Free some space and try again.']],
  ['EDQUOT', ['your disk quota is used up', 'Free some space and try again.']],
  ['EFBIG', ['the file would grow over the size limit', 'Raise the limit (ulimit -f) and try again.']],
  ['EMFILE', ['too many files are open', 'Raise the limit (ulimit -n) and try again.']],
  ['ENFILE', ['too many files are open on this machine', 'Close some programs and try again.']],
  ['EIO', ['the disk reported an error', 'Check the disk; keep a copy of what can be read.']],
  ['ENAMETOOLONG', ['the name is too long', 'Choose a shorter path.']],
]);

function explain(code: string | undefined): { why: string | undefined; next: string } {
  const [why, next] = REASONS.get(code ?? '') ?? [];
  return { why, next: next ?? 'Try again; if it stays, look at the file with other tools.' };
}
