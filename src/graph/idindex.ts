/** Things by message id, told apart by request id (E4). */
export interface IdIndex<T> {
  find(id: string, requestId: string | undefined): T | undefined;
  add(id: string, requestId: string | undefined, value: T): void;
}

/** Who first claimed an id. */
export interface Claim<T> {
  readonly requestId: string | undefined;
  readonly value: T;
}

export interface Claims<T> {
  get(id: string): Claim<T> | undefined;
  set(id: string, claim: Claim<T>): unknown;
}

/** One id means one message, unless two requests claim it. Copies that lost their request id (1.0.x resume) join it. */
export function createIdIndex<T>(first: Claims<T> = new Map()): IdIndex<T> {
  const others = new Map<string, T>();
  // No two pairs are written alike.
  const otherKey = (id: string, requestId: string) => `${id.length} ${id}|${requestId}`;
  function find(id: string, requestId: string | undefined): T | undefined {
    const known = first.get(id);
    if (known === undefined || requestId === undefined || known.requestId === undefined) return known?.value;
    return known.requestId === requestId ? known.value : others.get(otherKey(id, requestId));
  }
  function add(id: string, requestId: string | undefined, value: T): void {
    const known = first.get(id);
    if (known === undefined) first.set(id, { requestId, value });
    else if (requestId === undefined || requestId === known.requestId) return;
    else if (known.requestId === undefined) first.set(id, { requestId, value: known.value });
    else others.set(otherKey(id, requestId), value);
  }
  return { find, add };
}
