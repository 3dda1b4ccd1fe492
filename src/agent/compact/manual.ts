/** `/compact [instructions]` */
import { CAVEAT, type Called, localText } from '../commands/parse.ts';
import { failureOf } from '../loop.ts';
import type { ApiFailure, LoopParts, TurnEnd } from '../ports.ts';
import { beginTurn, type Turn, wrote } from '../turn/turn.ts';
import { type Compacted, compact } from './compact.ts';

export interface ManualOptions {
  readonly called: Called;
  /** What the person asked for last. */
  readonly asked: string;
  /** Writes why it was not done. */
  readonly refuse: (words: string) => void;
}

/** Never throws: what goes wrong is how it ended. */
export async function compactByHand(parts: LoopParts, options: ManualOptions, signal: AbortSignal): Promise<TurnEnd> {
  const clock = parts.now ?? (() => performance.now());
  const began = clock();
  const turn = beginTurn(parts, signal);
  const told = await compactAndTell(turn, options).catch((error): Told => {
    const failure = failureOf(error);
    return { reason: 'failed', text: '', failure };
  });
  const { apiMs, costUSD, usage } = turn.tally;
  const durationMs = Math.round(clock() - began);
  return { ...told, rounds: 0, durationMs, apiMs: Math.round(apiMs), costUSD, usage, denials: [] };
}

type Told = Pick<TurnEnd, 'reason' | 'text' | 'failure'>;

async function compactAndTell(turn: Turn, { called, asked, refuse }: ManualOptions): Promise<Told> {
  const instructions = called.args;
  turn.transcript.nextPrompt();
  const made = await compact(turn, { trigger: 'manual', asked, ...(instructions !== '' && { instructions }) });
  if (made.kind === 'done') {
    record(turn, called, made);
    const count = (tokens: number) => tokens.toLocaleString('en');
    return { reason: 'end_turn', text: `Compacted: ${count(made.preTokens)} → ${count(made.postTokens)} tokens` };
  }
  const told = refusal(made);
  refuse(told.failure?.message ?? told.text);
  return told;
}

/** As the client does: what was typed follows the summary. */
function record(turn: Turn, called: Called, { after }: Extract<Compacted, { kind: 'done' }>): void {
  const { transcript, gate, tally } = turn;
  const said = (content: string) =>
    transcript.entry({ promptId: transcript.promptId ?? '', type: 'user', message: { role: 'user', content } });
  transcript.prompt(CAVEAT, { source: 'sdk', permissionMode: gate.mode, isMeta: true });
  said(localText(called));
  // Of these three only the last is told to who watches.
  wrote(turn, said('<local-command-stdout>Compacted </local-command-stdout>'));
  for (const entry of after) wrote(turn, transcript.entry(entry));
  const { apiMs, costUSD, usage, unpriced } = tally;
  const spent = { durationMs: Math.round(apiMs), apiMs: Math.round(apiMs), costUSD, usage };
  transcript.endTurn({ ...spent, isUnpriced: unpriced !== undefined });
}

function refusal(made: Exclude<Compacted, { kind: 'done' }>): Told {
  if (made.kind === 'nothing') return { reason: 'end_turn', text: 'There is nothing to compact yet.' };
  if (made.kind === 'aborted') return { reason: 'interrupted', text: 'Compacting was stopped; nothing has changed.' };
  if (made.kind === 'blocked') return { reason: 'stopped', text: `Not compacted: a PreCompact hook says ${made.why}` };
  const message = `Not compacted, nothing has changed: ${made.failure.message}`;
  const failure: ApiFailure = { ...made.failure, message };
  return { reason: 'failed', text: '', failure };
}
