/** What a hook run needs of those who send. */
export interface SessionToSend {
  readonly transcript: string;
  readonly sessionId: string;
  /** The Stop hook has just fired for it: its last turn is over (T6). */
  readonly stopped: boolean;
}

export interface Sent {
  readonly turns: number;
  readonly spans: number;
  /** Turns that are not over yet. */
  readonly open: number;
  /** Why something that is over was not taken. */
  readonly problem?: string;
  /** What the server said beside taking all. */
  readonly warning?: string;
  /** Files of agents that may go on, or that are to be sent when they are quiet. */
  readonly agents: readonly string[];
  /** Something is to be taken another time. */
  readonly again: boolean;
  /** The next session would not fare better there: nobody answers, or another process is at it. */
  readonly stuck: boolean;
  /** Nothing was sent: turns of it may be copies, which the whole command has to send from their originals. */
  readonly copied: boolean;
}

export interface Destination {
  /** For the log: langfuse, otlp. */
  readonly name: string;
  /** Bytes of the transcript that are to be read. */
  backlog(transcript: string): number;
  send(session: SessionToSend, limits: Limits): Promise<Sent>;
}

export interface Limits {
  /** Milliseconds on the clock. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}
