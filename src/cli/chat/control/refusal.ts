/** A request of the program that cannot be done: it is answered with an error. */
export class Refusal extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}
