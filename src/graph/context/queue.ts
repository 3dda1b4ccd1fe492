/** What waits, the first first (a binary heap). */
export interface Queue<T> {
  first(): T | undefined;
  add(item: T): void;
  dropFirst(): void;
}

export function createQueue<T>(compare: (a: T, b: T) => number): Queue<T> {
  const items: T[] = [];
  const isBefore = (a: number, b: number): boolean => {
    const [one, other] = [items[a], items[b]];
    return one !== undefined && other !== undefined && compare(one, other) < 0;
  };
  const swap = (a: number, b: number): void => {
    const [one, other] = [items[a], items[b]];
    if (one !== undefined && other !== undefined) [items[a], items[b]] = [other, one];
  };
  return {
    first: () => items[0],
    add: (item) => {
      let at = items.push(item) - 1;
      for (let above = (at - 1) >> 1; at > 0 && isBefore(at, above); above = (at - 1) >> 1) {
        swap(at, above);
        at = above;
      }
    },
    dropFirst: () => {
      swap(0, items.length - 1);
      items.pop();
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        const below = isBefore(right, left) ? right : left;
        if (!isBefore(below, at)) return;
        swap(at, below);
        at = below;
      }
    },
  };
}
