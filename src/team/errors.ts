/** How troubles with a team's server are told: what happened, where, and what to do next. */
import { codeOf } from '../disk/errors.ts';

/**
 * offline: not reached · refused: it has no room or time now, the same may work later · denied: this login may not ·
 * missing: no such database, table or column · other: the same would fail again.
 */
export type TeamErrorKind = 'offline' | 'refused' | 'denied' | 'missing' | 'other';

export interface TeamStory {
  readonly what: string;
  readonly where: string;
  readonly next: string;
  readonly kind: TeamErrorKind;
  /** The server's code, e.g. 497. */
  readonly code?: number;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

export class TeamError extends Error {
  override readonly name = 'TeamError';
  readonly what: string;
  readonly where: string;
  readonly next: string;
  readonly kind: TeamErrorKind;
  readonly code: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ what, where, next, kind, code, retryAfterMs, cause }: TeamStory) {
    super(what, { cause });
    this.what = what;
    this.where = where;
    this.next = next;
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may work later. */
  get passes(): boolean {
    return this.kind === 'offline' || this.kind === 'refused';
  }
}

/** Of an answer that was no success. */
export interface Answered {
  readonly status: number;
  readonly retryAfterMs?: number;
}

type Reason = readonly [kind: TeamErrorKind, why: string | undefined, next: string];

const LATER = 'Nothing is lost; run it again in a while.';
const ASK = 'Ask an administrator of the team for the role that may (docs/team.md, "Who sees what").';
const REPORT = 'Run it again with --verbose; if it stays, report it.';
const URL_OF =
  'Check the URL, and what stands between; it is that of ClickHouse’s HTTP interface, e.g. http://localhost:8123';
const INIT = 'An administrator sets it up with: skein team init';

/** By the server's code. Without a reason of ours the server's own is told. */
const REASONS: ReadonlyMap<number, Reason> = new Map<number, Reason>([
  [
    516,
    [
      'denied',
      'the login or its password is wrong',
      'Check user and password: the URL, SKEIN_TEAM_PASSWORD or team.json.',
    ],
  ],
  [192, ['denied', 'there is no such login', 'Check the user: the URL, SKEIN_TEAM_USER or team.json.']],
  [497, ['denied', 'this login may not do that', ASK]],
  [164, ['denied', 'this login may only read', ASK]],
  [81, ['missing', 'there is no such database', INIT]],
  [60, ['missing', 'a table of the team is not there', INIT]],
  [47, ['missing', undefined, `The schema may be of another version. ${INIT}`]],
  [16, ['missing', undefined, `The schema may be of another version. ${INIT}`]],
  [46, ['other', undefined, 'The server is too old: ClickHouse 26.2 or newer is needed (docs/team-operations.md).']],
  // A server that is busy, full, starting, or without its replicas.
  ...[159, 202, 209, 210, 241, 242, 243, 252, 285, 319, 373, 394, 439, 999].map((code): [number, Reason] => [
    code,
    ['refused', undefined, LATER],
  ]),
]);

/** With readonly = 1 a login may not even say how it wants its rows. */
const NO_SETTINGS: Reason = [
  'denied',
  'this login has readonly = 1, which refuses the settings that go with a question',
  'An administrator gives it readonly = 2, or none (docs/team-operations.md, "One server").',
];

const OFFLINE: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'nobody answers there'],
  ['ENOTFOUND', 'there is no such host'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
  ['ETIMEDOUT', 'no answer in time'],
  ['ECONNRESET', 'the connection broke'],
  ['EPIPE', 'the connection broke'],
  ['ECONNABORTED', 'the connection broke'],
]);

/** What the client threw, told as a TeamError. `answered`: the answer it came from, where there was one. */
export function toTeamError(error: unknown, doing: string, where: string, answered?: Answered): TeamError {
  if (error instanceof TeamError) return error;
  const message = firstLine(error instanceof Error ? error.message : String(error));
  const make = (kind: TeamErrorKind, why: string, next: string, code?: number) =>
    new TeamError({
      what: `${doing}: ${why}`,
      where,
      next,
      kind,
      ...(code !== undefined && { code }),
      ...(answered?.retryAfterMs !== undefined && { retryAfterMs: answered.retryAfterMs }),
      cause: error,
    });

  const code = serverCode(error);
  if (code !== undefined) {
    const [kind, why, next] = reasonFor(code, message);
    return make(kind, why ?? message, next, code);
  }
  const gone = OFFLINE.get(codeOf(error) ?? '') ?? (/timeout/i.test(message) ? 'no answer in time' : undefined);
  if (gone !== undefined) return make('offline', gone, 'Check the network and the URL, then run it again.');
  if (/socket hang up|aborted|premature|terminated/i.test(message))
    return make('offline', 'the connection broke', LATER);
  if (answered !== undefined) {
    const [kind, why, next] = reasonOf(answered);
    const said = message.startsWith('<') ? 'with a page instead of rows' : message;
    return make(kind, why ?? `the answer was ${answered.status} ${said}`.trim(), next);
  }
  return make('other', message, URL_OF);
}

function reasonFor(code: number, message: string): Reason {
  if (code === 164 && /cannot modify .* setting/i.test(message)) return NO_SETTINGS;
  return REASONS.get(code) ?? ['other', undefined, REPORT];
}

function reasonOf(answered: Answered | undefined): Reason {
  const status = answered?.status ?? 0;
  if (status === 429 || status >= 500) return ['refused', undefined, LATER];
  if (status === 401 || status === 403) return ['denied', undefined, 'Check user and password.'];
  // The server's own refusals have a code: this is another's.
  return ['other', undefined, URL_OF];
}

/** The client's errors that came from the server have its code as a text. */
function serverCode(error: unknown): number | undefined {
  const code = codeOf(error);
  return code !== undefined && /^\d+$/.test(code) ? Number(code) : undefined;
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
