/** What was asked for goes to the server beside the SQL, never in it: `add` keeps a value and gives its placeholder. */

export interface Values {
  readonly params: Readonly<Record<string, unknown>>;
  /** `type` as the server names it: String, Array(String), Int64. */
  add(type: string, value: unknown): string;
}

export function createValues(): Values {
  const params: Record<string, unknown> = {};
  let next = 0;
  return {
    params,
    add(type, value) {
      const name = `p${next}`;
      next += 1;
      params[name] = value;
      return `{${name}: ${type}}`;
    },
  };
}
