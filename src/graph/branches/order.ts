/** File order, but a parent always before its child (E12). */
import { NONE } from './links.ts';

/** Of some places in file order; `nodeAt` and `parent` as in Links. Each place comes once. */
export function parentsFirst(places: readonly number[], nodeAt: Int32Array, parent: Int32Array): number[] {
  const chosen = new Uint8Array(nodeAt.length);
  for (const place of places) chosen[place] = 1;
  const done = new Uint8Array(nodeAt.length);
  const order: number[] = [];
  const put = (place: number) => {
    if (done[place] === 1 || chosen[place] !== 1) return;
    done[place] = 1;
    order.push(place);
  };
  const waiting: number[] = [];
  for (const place of places) {
    if (done[place] === 1) continue;
    // Ancestors that stand later in the file; those that stand earlier are out already.
    let above = parent[nodeAt[place] ?? NONE] ?? NONE;
    while (above !== NONE && done[above] !== 1 && above > place) {
      waiting.push(above);
      above = parent[above] ?? NONE;
    }
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) put(next);
    put(place);
  }
  return order;
}
