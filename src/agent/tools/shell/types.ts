/** What runs commands for a session, and what is known of each. */

export interface Shells {
  /** Runs a command to its end, or to that of its time. Throws nothing. */
  run(request: ShellRequest): Promise<ShellEnd>;
  /** Starts a command and leaves it running. */
  start(request: ShellRequest): Promise<BackgroundShell | ShellFailure>;
  get(id: string): BackgroundShell | undefined;
  list(): readonly BackgroundShell[];
  /** Ends everything that was started, its children too. */
  close(): Promise<void>;
}

export interface ShellRequest {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly sandbox?: Sandbox | undefined;
  /** Called about once a second while it runs. */
  onProgress?(progress: ShellProgress): void;
}

/** Makes a command line one that runs shut in. */
export interface Sandbox {
  /** What the model has to know of it. */
  readonly words: string;
  /** `folder`: where it and we exchange files. */
  wrap(program: string, args: readonly string[], folder: string): readonly [string, ...string[]];
}

export interface ShellProgress {
  /** The end of what was printed. */
  readonly tail: string;
  readonly lines: number;
  readonly elapsedMs: number;
}

/** It could not be started at all. */
export interface ShellFailure {
  readonly failure: string;
}

export type ShellEnd = ShellFailure | ShellRan;

export interface ShellRan {
  readonly failure?: undefined;
  readonly output: Printed;
  /** As a shell would tell it: 128 and the signal's number where one ended it. */
  readonly code: number;
  readonly signal: string | null;
  readonly why: 'exit' | 'timeout' | 'interrupt';
  /** Where the shell stood when it ended; undefined where it could not tell. */
  readonly cwd: string | undefined;
  /** Processes that could not be ended. */
  readonly survivors: readonly number[];
  readonly durationMs: number;
}

/** What a command printed: all of it up to a cap, then only its end. */
export interface Printed {
  readonly head: string;
  /** What came last, where `head` does not reach that far. */
  readonly tail: string;
  /** Bytes between the two that were not kept. */
  readonly lost: number;
  readonly bytes: number;
}

export interface BackgroundShell {
  readonly id: string;
  readonly command: string;
  readonly status: 'running' | 'completed' | 'failed' | 'killed';
  readonly code: number | undefined;
  /** What was printed since this was last asked, and how many characters had to be let go in between. */
  take(): { readonly text: string; readonly lost: number };
  /** Ends it and its children; gives those that could not be ended. */
  kill(): Promise<readonly number[]>;
}
