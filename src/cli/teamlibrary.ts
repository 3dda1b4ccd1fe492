/** A team's sessions as a library: they alone, at paths below `team:`. */
import { TEAM_ROOT } from '../team/paths.ts';
import type { Wanted } from '../team/read/files.ts';
import type { TeamStore } from '../team/read/store.ts';
import type { Library } from './library.ts';

export function teamLibrary(store: TeamStore, wanted?: Wanted): Library {
  const { name } = store;
  const { files, known, kinOf, projectOf } = store.look(wanted);
  return {
    files,
    folders: [],
    problems: [],
    roots: [{ path: TEAM_ROOT, kind: 'config', from: 'option', what: `the team ${name}` }],
    demo: false,
    known,
    earlier: () => [],
    team: { name, kinOf, projectOf },
  };
}
