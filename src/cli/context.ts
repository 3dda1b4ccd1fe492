/** The world a verb runs in. */
import type { Terminal } from './terminal.ts';

export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly now: () => Date;
  readonly out: Terminal;
  readonly err: Terminal;
  /**
   * Aborted on SIGINT and SIGTERM. Whoever asks for it takes these signals over from the system: only for verbs that
   * wait. Work that blocks must leave Ctrl-C to the system, or it would not be heard until the work is done.
   */
  readonly signal: AbortSignal;
  /**
   * An agent asks through a tool, which was given the chats to read and no other files: selectors name nothing else, and what is
   * offered to go on with is for the tools, not for a shell.
   */
  readonly asTool?: boolean;
  /** Nothing else runs in this process until the verb has ended: what is the same for all of it may be changed for a moment. */
  readonly alone?: boolean;
}
