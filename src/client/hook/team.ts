/** Whether a team can be pushed to: its server answers, takes the login, and has the tables. */
import { TeamError } from '../../team/errors.ts';
import { PUSHED } from '../../team/schema/tables.ts';
import type { TeamTarget } from '../../team/target.ts';
import type { Check } from './checks.ts';

/** A server that needs longer to say which tables it has is away for all that matters. */
const TIMEOUT_MS = 15_000;

export async function checkTeam(target: TeamTarget): Promise<Check> {
  const { openTeam } = await import('../../team/connect.ts');
  const about = 'team';
  const team = await openTeam({ ...target, timeoutMs: target.timeoutMs ?? TIMEOUT_MS });
  try {
    // A table of the team, for it may be there without any that this login sees.
    await team.rows("SELECT value FROM schema_version FINAL WHERE part = 'schema'");
    const rows = await team.rows('SELECT name FROM system.tables WHERE database = {database: String}', {
      database: target.database,
    });
    const missing = PUSHED.filter((name) => !rows.some((row) => row.name === name));
    if (missing.length === 0) return { about, state: 'ok', what: `${target.name} answers and has the team’s tables` };
    const what = `${target.name} has no tables ${missing.join(', ')}, or this login may not use them`;
    const next = 'An administrator sets them up with skein team init, and gives the login the role skein_pusher.';
    return { about, state: 'bad', what, next };
  } catch (error) {
    return troubleOf(error, target.password);
  } finally {
    await team.close();
  }
}

/** An error as a check tells it. */
export function troubleOf(error: unknown, password = ''): Check {
  const what = withoutPassword(whatOf(error), password);
  const next = error instanceof Error && 'next' in error ? withoutPassword(String(error.next), password) : undefined;
  return { about: 'team', state: 'bad', what, ...(next !== undefined && { next }) };
}

function whatOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const what = error instanceof TeamError ? error.what : error.message;
  return 'where' in error ? `${what} (${error.where})` : what;
}

/** What a server says may repeat it. */
function withoutPassword(text: string, password: string): string {
  const forms = [password, encodeURIComponent(password)].filter((each) => each.length >= 6);
  return forms.reduce((rest, each) => rest.replaceAll(each, '***'), text);
}
