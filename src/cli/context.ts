/** The world a verb runs in, handed in so that tests can make one. */
import type { Terminal } from './terminal.ts';

export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly now: () => Date;
  readonly out: Terminal;
  readonly err: Terminal;
  /** Aborted on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}
