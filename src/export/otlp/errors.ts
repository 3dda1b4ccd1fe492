/** How troubles of sending are told: what happened, where, and what to do next. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
  readonly what: string;
  readonly where: string;
  readonly next: string;

  constructor(story: { what: string; where: string; next: string; cause?: unknown }) {
    super(story.what, { cause: story.cause });
    this.what = story.what;
    this.where = story.where;
    this.next = story.next;
  }
}
