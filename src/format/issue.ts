/** How anything odd is reported. error: something would be lost or refused; warning: odd but handled; info: worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

export interface Issue {
  /** The numbered rule it departs from, e.g. E1. */
  readonly rule: string;
  readonly severity: Severity;
  readonly line?: number;
  readonly uuid?: string;
  readonly what: string;
  readonly fix?: string;
}
