/** Where very many messages were said, outside the JavaScript heap: most of it is the same for one after the other. */
import { createNumbers } from '../../format/numbers.ts';
import { createCounts, createRepeats } from './counts.ts';
import type { LineOrigin } from './line.ts';
import type { OriginColumns } from './packed.ts';

type Shared = Omit<LineOrigin, 'line' | 'start' | 'end'>;

export function createLineOrigins(): OriginColumns<LineOrigin> {
  const shared = createRepeats<Shared>(fieldsOf);
  const sharedAt = createNumbers(0);
  const lines = createCounts();
  const starts = createNumbers(0, 'float');
  const lengths = createCounts();
  return {
    set(row, { line, start, end, ...more }) {
      sharedAt.set(row, shared.numberOf(more));
      // Told only where lines are counted.
      lines.set(row, line === 0 ? undefined : line);
      starts.set(row, start);
      lengths.set(row, end - start);
    },
    get(row) {
      const start = starts.get(row);
      const more = shared.at(sharedAt.get(row)) ?? NOWHERE;
      return { ...more, line: lines.get(row) ?? 0, start, end: start + (lengths.get(row) ?? 0) };
    },
    dropBefore(row) {
      for (const column of [sharedAt, lines, starts, lengths]) column.dropBefore(row);
    },
  };
}

const NOWHERE: Shared = { file: '', isSidechain: false, isCopy: false, isFork: false };

function fieldsOf({ file, cwd, gitBranch, agentId, isSidechain, isCopy, isFork }: Shared) {
  return [file, cwd, gitBranch, agentId, isSidechain, isCopy, isFork];
}
