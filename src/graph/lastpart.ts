/** The entries that a resume goes on from, of a session that passes by: of what is before them nothing is kept but ids. */
import type { Entry } from '../format/entry.ts';
import { createIds, type Ids } from '../format/ids.ts';
import { createPartFinder } from './check/lastpart.ts';
import { createLog } from './check/log.ts';
import { findCircles } from './check/parents.ts';

export interface LastPart {
  /** Every id that the conversation names: of entries, messages and calls. */
  readonly ids: Ids;
  add(entry: Entry): void;
  /** After the last entry. `context()` of them is that of the whole session. */
  result(): Entry[];
}

export function createLastPart(): LastPart {
  const ids = createIds();
  const log = createLog(ids);
  const parts = createPartFinder(log);
  return {
    ids,
    add(entry) {
      const index = log.size;
      log.add(entry);
      parts.add(entry, index);
    },
    result: () => parts.result(findCircles(log)),
  };
}
