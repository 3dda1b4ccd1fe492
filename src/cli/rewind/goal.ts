/** `--to`: the prompt before which everything should be as it was. */
import { promptTextOf } from '../../graph/turns.ts';
import type { Turn } from '../../graph/types.ts';
import { UsageError } from '../errors.ts';

export interface Goal {
  readonly turn: number;
  readonly uuid: string;
  /** What was typed. */
  readonly prompt: string;
}

/** Without `to`, the last turn. */
export function goalOf(turns: readonly Turn[], to: string | undefined, chat: string): Goal {
  const prompts = turns.filter(({ uuid, number }) => uuid !== undefined && number > 0);
  const fitting = to === undefined || to === 'last' ? prompts.slice(-1) : prompts.filter((turn) => fits(turn, to));
  const [turn] = fitting;
  if (turn?.uuid !== undefined && fitting.length === 1) {
    return { turn: turn.number, uuid: turn.uuid, prompt: promptTextOf(turn) };
  }
  const what = fitting.length > 1 ? `"${to}" fits ${fitting.length} turns.` : `There is no turn "${to ?? 'last'}".`;
  const last = prompts.at(-1)?.number ?? 0;
  const next =
    last === 0
      ? 'Nothing was typed in it.'
      : `Give a turn from 1 to ${last}, last, or a prompt's uuid: skein show ${chat}`;
  throw new UsageError(what, `--to ${to ?? 'last'}`, next);
}

function fits({ number, uuid }: Turn, to: string): boolean {
  return /^\d{1,6}$/.test(to) ? number === Number(to) : to.length >= 4 && (uuid?.startsWith(to) ?? false);
}
