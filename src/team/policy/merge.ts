/** Both policies together: what is managed holds, and a user may only be stricter. */
import { CONTENTS, type Policy, type PolicyFile } from './types.ts';

export function mergePolicies(files: readonly PolicyFile[]): Policy {
  const contents = files.flatMap(({ content }) => content ?? []);
  const least = CONTENTS.find((content) => contents.includes(content));
  return {
    files,
    content: least ?? 'masked',
    names: files.length > 0 && strictest(files.map(({ names }) => names)) === 'path' ? 'path' : 'pseudonym',
    person: strictest(files.map(({ person }) => person)),
    machine: strictest(files.map(({ machine }) => machine)),
  };
}

/** A pseudonym before any name; of names the first that is said, which is the managed one. */
function strictest(said: readonly (string | undefined)[]): string | undefined {
  return said.includes('pseudonym') ? undefined : said.find((each) => each !== undefined);
}
