/** Who pushed, and from where: the same on every push, and nobody's name unless the policy says it. */
import { createHash } from 'node:crypto';

/** The same on all machines of a login. */
export function personOf(login: string): string {
  return `p-${shortHash(`skein person\0${login}`)}`;
}

/** `archive`: the id of the archive that first took a file. */
export function machineOf(archive: string): string {
  return `m-${shortHash(`skein machine\0${archive}`)}`;
}

/** `path` with the home folder as `~`: the same on machines whose homes differ. */
export function projectPseudonym(path: string): string {
  return `project-${shortHash(`skein project\0${path}`)}`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
