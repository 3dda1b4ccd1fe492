/** Which things hang together (union–find). */
export interface Sets {
  join(a: number, b: number): void;
  areJoined(a: number, b: number): boolean;
  find(item: number): number;
}

export function createSets(size: number): Sets {
  const above = Int32Array.from({ length: size }, (_, index) => index);
  function find(item: number): number {
    let top = item;
    while (above[top] !== undefined && above[top] !== top) top = above[top] ?? top;
    for (let at = item; at !== top; ) {
      const next = above[at] ?? top;
      above[at] = top;
      at = next;
    }
    return top;
  }
  return {
    find,
    join: (a, b) => {
      above[find(b)] = find(a);
    },
    areJoined: (a, b) => find(a) === find(b),
  };
}
