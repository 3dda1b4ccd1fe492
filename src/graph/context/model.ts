/** What of a request depends on the model that is asked. */

/** Models before this version take reminders only inside of user messages. */
const FIRST_WITH_SYSTEM_TURNS = [4, 8] as const;

/**
 * Whether the client tells reminders in turns of the system role. An unknown name counts as a newer model; without any
 * name the older form is used, which every model takes.
 */
export function takesSystemTurns(model: string | undefined): boolean {
  if (model === undefined) return false;
  const version = /(?:^|-)(\d{1,2})(?:-(\d{1,2}))?(?:-|\[|$)/.exec(model);
  if (version === null) return true;
  const [major, minor] = FIRST_WITH_SYSTEM_TURNS;
  const own = Number(version[1]);
  return own > major || (own === major && Number(version[2] ?? 0) >= minor);
}

/** One model goes by several names: with a date, a context size, or a cloud's prefix and version. */
export function sameModel(a: string | undefined, b: string | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && shortName(a) === shortName(b));
}

function shortName(model: string): string {
  const name = model.toLowerCase().replace(/\[.*$/, '');
  const start = name.lastIndexOf('claude-');
  return name.slice(Math.max(start, 0)).replace(/[-@]\d{8}.*$|-v\d+(:\d+)?$|-latest$/, '');
}
