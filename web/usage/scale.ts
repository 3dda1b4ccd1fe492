/** Round numbers for an axis. */

/** From 0 to at least the largest, in steps of 1, 2 or 5 times a power of ten. */
export function ticks(largest: number, about = 4): number[] {
  if (!(largest > 0)) return [0, 1];
  const rough = largest / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power;
  const count = Math.ceil(largest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Which of many labels to write so that they do not touch; the last is always one. */
export function everyNth(count: number, room: number): (index: number) => boolean {
  const nth = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return (index) => (count - 1 - index) % nth === 0;
}
