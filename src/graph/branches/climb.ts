/** Climbing from an entry towards the root, with a budget for all climbs together: however a file is made, the whole stays linear. */
import { NONE } from '../uuids.ts';

export interface Climb {
  /** The first node that `stop` names, from a node upwards; `top` when there is none, `tired` when the budget is used up. */
  ends(parent: Int32Array, from: number, stop: (node: number) => boolean): number | 'top' | 'tired';
}

export function createClimb(budget: number): Climb {
  let left = budget;
  return {
    ends: (parent, from, stop) => {
      for (let node = from; node !== NONE; node = parent[node] ?? NONE) {
        if (stop(node)) return node;
        if (left === 0) return 'tired';
        left -= 1;
      }
      return 'top';
    },
  };
}
