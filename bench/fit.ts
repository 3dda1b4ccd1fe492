/** How something grows with the size: of y = c·x^e the exponent that fits best, by least squares over the logarithms. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Fit {
  readonly exponent: number;
  readonly factor: number;
}

export function fitOf(points: readonly Point[]): Fit {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(Math.max(y, Number.MIN_VALUE)) }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(logs.map((each) => each.x)), mean(logs.map((each) => each.y))];
  const over = logs.reduce((sum, each) => sum + (each.x - x) * (each.y - y), 0);
  const under = logs.reduce((sum, each) => sum + (each.x - x) ** 2, 0);
  const exponent = under === 0 ? 0 : over / under;
  return { exponent, factor: Math.exp(y - exponent * x) };
}

/** What a fit gives for another size. */
export function at({ exponent, factor }: Fit, x: number): number {
  return factor * x ** exponent;
}
