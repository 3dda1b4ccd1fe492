/** What every part of the bench is given. */
export interface Bench {
  /** Megabytes of the two corpora; the second is also the size of the one file. */
  readonly sizes: readonly [number, number];
  readonly node: string;
  readonly skein: string;
  /** Preloaded, it prints the peak of the process. */
  readonly peak: string;
  row(name: string, measured: string, ratio: number, against: string, target: number): void;
}
