/** A list of numbers that grows, outside the JavaScript heap. */
export interface Numbers {
  readonly length: number;
  /** What was never set is the number that the list is filled with. */
  get(index: number): number;
  set(index: number, value: number): void;
  push(value: number): void;
  /** What stands before is not asked for any more; it takes no memory then. */
  dropBefore(index: number): void;
}

/** So many numbers lie together: a list that grows is never copied. */
const PAGE_BITS = 14;
const PAGE = 1 << PAGE_BITS;

const KINDS = { byte: Uint8Array, int: Int32Array, float: Float64Array };

/** Bytes count from the fill up to 255 more; ints are whole numbers of up to 31 bits; all others are floats. */
export function createNumbers(fill: number, kind: keyof typeof KINDS = 'int'): Numbers {
  // Numbers are kept as what they are more than the fill, since new memory is zero.
  const pages: (Uint8Array | Int32Array | Float64Array | undefined)[] = [];
  let length = 0;
  let dropped = 0;

  function set(index: number, value: number): void {
    const at = index >> PAGE_BITS;
    let page = pages[at];
    if (page === undefined) {
      page = new KINDS[kind](PAGE);
      while (pages.length < at) pages.push(undefined);
      pages[at] = page;
    }
    page[index & (PAGE - 1)] = value - fill;
    if (index >= length) length = index + 1;
  }

  return {
    get length() {
      return length;
    },
    get: (index) => (pages[index >> PAGE_BITS]?.[index & (PAGE - 1)] ?? 0) + fill,
    set,
    push: (value) => set(length, value),
    dropBefore(index) {
      for (const end = index >> PAGE_BITS; dropped < end && dropped < pages.length; dropped += 1)
        pages[dropped] = undefined;
    },
  };
}
