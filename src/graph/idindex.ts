/** Things by message id, told apart by request id (E4). */
export interface IdIndex<T> {
  find(id: string, requestId: string | undefined): T | undefined;
  add(id: string, requestId: string | undefined, value: T): void;
}

/** One id means one message, unless two requests claim it. Copies that lost their request id (1.0.x resume) join it. */
export function createIdIndex<T>(): IdIndex<T> {
  const first = new Map<string, { requestId: string | undefined; value: T }>();
  const others = new Map<string, T>();
  const otherKey = (id: string, requestId: string) => `${id}|${requestId}`;
  function find(id: string, requestId: string | undefined): T | undefined {
    const known = first.get(id);
    if (known === undefined || requestId === undefined || known.requestId === undefined) return known?.value;
    return known.requestId === requestId ? known.value : others.get(otherKey(id, requestId));
  }
  function add(id: string, requestId: string | undefined, value: T): void {
    const known = first.get(id);
    if (known === undefined) first.set(id, { requestId, value });
    else if (known.requestId === undefined) known.requestId = requestId;
    else if (requestId !== undefined && requestId !== known.requestId) others.set(otherKey(id, requestId), value);
  }
  return { find, add };
}
