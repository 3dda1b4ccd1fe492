/** What of the troubles with the places looked at is told. */
import type { Problem } from '../disk/errors.ts';

export interface Told {
  /** Places were named. */
  readonly isGiven: boolean;
  /** Whether something is archived of a place. */
  isKept(place: string): boolean;
}

/** That the client was never used here is no problem to tell, nor that a place is gone whose files were kept. */
export function toldProblems(problems: readonly Problem[], { isGiven, isKept }: Told): Problem[] {
  return problems.filter(
    ({ kind, where }) =>
      (isGiven || kind !== 'missing') && !((kind === 'missing' || kind === 'empty') && isKept(where)),
  );
}
