/** What a line of shell comes down to: the simple commands that could run, and the files it opens by itself. */

/** One argument after quotes are taken away. */
export interface Word {
  /** What the shell makes of it; of an unknown one only what it certainly starts with. */
  readonly text: string;
  readonly known: boolean;
  /** Has a `*`, `?` or `[` that stands for files. */
  readonly glob: boolean;
  readonly raw: string;
}

export interface Assignment {
  readonly name: string;
  readonly known: boolean;
}

export interface SimpleCommand {
  /** Empty for assignments alone. */
  readonly words: readonly Word[];
  /** Before the command: `A=1 cmd`. */
  readonly assigns: readonly Assignment[];
  /** As it was written, without redirections. */
  readonly raw: string;
  /** Fed by a pipe, a file or a here-document. */
  readonly fed: boolean;
}

export interface Redirect {
  readonly word: Word;
  readonly writes: boolean;
}

export interface Analysis {
  readonly commands: readonly SimpleCommand[];
  readonly redirects: readonly Redirect[];
  /** Why something might run that is not among the commands. */
  readonly opaque: readonly string[];
  /** Why it is not let through by rules about its commands, though all of them are known. */
  readonly unclear: readonly string[];
}
