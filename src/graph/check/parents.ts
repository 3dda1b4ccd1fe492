/** E12, R6: parents that were never written, and circles. */
import type { Issue } from '../../format/issue.ts';
import { createNumbers } from '../../format/numbers.ts';
import type { Log } from './log.ts';

export function checkParents(log: Log): Issue[] {
  const issues: Issue[] = [];
  for (let index = 0; index < log.size; index += 1) {
    const parent = log.parentAt(index);
    if (parent < 0 || log.withUuid(parent) >= 0) continue;
    const what = `its parent ${log.ids.at(parent)} was never written: newer clients bridge the gap, older ones lose what is before`;
    issues.push(log.issueAt(index, 'E12', 'warning', what));
  }
  return issues;
}

export function checkCircles(log: Log, circles: readonly number[]): Issue[] {
  return circles.map((index) => {
    const what = `its parents lead in a circle back to ${log.ids.at(log.parentAt(index))}: older clients hang on it`;
    return log.issueAt(index, 'E12', 'error', what);
  });
}

/** The entry that closes each circle. Every entry is walked over once: a walk ends where an earlier one has been. */
export function findCircles(log: Log): number[] {
  const walks = createNumbers(-1);
  const circles: number[] = [];
  for (let walk = 0; walk < log.size; walk += 1) {
    for (let index = walk; index >= 0 && walks.get(index) < 0; ) {
      walks.set(index, walk);
      const above = log.withUuid(log.parentAt(index));
      if (above >= 0 && walks.get(above) === walk) circles.push(index);
      index = above;
    }
  }
  return circles;
}
