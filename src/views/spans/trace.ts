/** What is known of a turn as a whole. */
import type { Entry } from '../../format/entry.ts';
import type { Turn } from '../../graph/types.ts';
import { originalUuid } from './ids.ts';
import type { SpanOptions, TraceFacts } from './types.ts';

export function traceFacts(turn: Turn, options: SpanOptions, previous?: Turn): TraceFacts {
  const { prompt, entries } = turn;
  const { mask = (text: string) => text } = options;
  const told = <T>(pick: (entry: Entry) => T | undefined): T | undefined =>
    (prompt && pick(prompt)) ?? firstOf(entries, pick);
  const masked = (text: string | undefined) => (text === undefined || text === '' ? null : mask(text));
  const number = numberOf(turn, options);
  return {
    name: `Turn ${number}`,
    turn: number,
    sessionId: sessionOf(turn) ?? options.sessionId,
    chatId: options.chatId ?? null,
    promptId: originalUuid(prompt) ?? null,
    kind: turn.kind,
    round: goesOnFromCopy(turn, previous, options) ? 'resume' : turn.round,
    state: turn.state,
    project: masked(options.project ?? told(({ head }) => head.cwd)),
    gitBranch: masked(told(({ head }) => head.gitBranch)),
    clientVersion: masked(told(({ head }) => head.version)),
    permissionMode: masked(prompt?.head.permissionMode),
    tags: (options.tags ?? []).map(mask),
    user: options.user ?? null,
    environment: options.environment ?? null,
  };
}

/** Along the conversation that leads to it, as `show` counts: a turn in the place of one that a rewind left has that one's number. */
export function numberOf({ number }: Turn, { turnsBefore = 0 }: SpanOptions): number {
  return number === 0 ? 0 : number + turnsBefore;
}

/** The first turn of a fork's own: among all files it follows one of another file. */
function goesOnFromCopy({ prompt }: Turn, previous: Turn | undefined, { copied = 0 }: SpanOptions): boolean {
  const before = previous?.prompt;
  return prompt !== undefined && before !== undefined && before.line.start < copied && prompt.line.start >= copied;
}

/** The first prompt of a continuation can have the id of the session before (H4); what answers it has its own. */
function sessionOf({ messages, prompt, entries }: Turn): string | undefined {
  const [answer] = messages;
  return answer?.entries[0]?.head.sessionId ?? prompt?.head.sessionId ?? firstOf(entries, ({ head }) => head.sessionId);
}

function firstOf<T>(entries: readonly Entry[], pick: (entry: Entry) => T | undefined): T | undefined {
  for (const entry of entries) {
    const value = pick(entry);
    if (value !== undefined) return value;
  }
  return undefined;
}
