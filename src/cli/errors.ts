/** Errors a person should see: one line what, one line where, one line what next. */
export class CommandError extends Error {
  readonly where: string;
  readonly next: string;
  readonly exitCode: number;

  constructor(what: string, where: string, next: string, exitCode = 1, options?: ErrorOptions) {
    super(what, options);
    this.where = where;
    this.next = next;
    this.exitCode = exitCode;
  }
}

/** The command was called wrongly: exit code 2. */
export class UsageError extends CommandError {
  constructor(what: string, where: string, next: string) {
    super(what, where, next, 2);
  }
}
