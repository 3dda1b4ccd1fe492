/** The colours of the console: few, by meaning, from the sixteen that every terminal sets for light and dark itself. */

export type Paint = (text: string) => string;

export interface Palette {
  readonly isColored: boolean;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly italic: Paint;
  readonly underline: Paint;
  readonly accent: Paint;
  readonly good: Paint;
  readonly warn: Paint;
  readonly bad: Paint;
  readonly blue: Paint;
  readonly magenta: Paint;
  /** Lines that came and went in a diff. */
  readonly added: Paint;
  readonly removed: Paint;
}

/** Without colour nothing is painted at all, not even bold: some who ask for that read by ear. */
export function paletteFor(isColored: boolean): Palette {
  const paint =
    (open: number, close: number): Paint =>
    (text) =>
      isColored && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    isColored,
    bold: paint(1, 22),
    dim: paint(2, 22),
    italic: paint(3, 23),
    underline: paint(4, 24),
    accent: paint(36, 39),
    good: paint(32, 39),
    warn: paint(33, 39),
    bad: paint(31, 39),
    blue: paint(34, 39),
    magenta: paint(35, 39),
    added: paint(32, 39),
    removed: paint(31, 39),
  };
}
