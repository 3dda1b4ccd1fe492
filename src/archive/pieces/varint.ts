/** Whole numbers in as few bytes as they need: seven bits a byte, low ones first, the top bit says that more follow. */

export function pushVarint(to: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    to.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  to.push(rest);
}

export interface VarintReader {
  next(): number;
  /** The byte after the last number read. */
  at(): number;
}

/** Past the end come zeros. */
export function readVarints(bytes: Uint8Array): VarintReader {
  let at = 0;
  return {
    next() {
      let value = 0;
      for (let scale = 1; ; scale *= 0x80) {
        const byte = bytes[at++] ?? 0;
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) return value;
      }
    },
    at: () => at,
  };
}
