/** What a push is given, and what it tells. */
import type { Archive } from '../../archive/store.ts';
import type { TeamTarget } from '../connect.ts';
import type { Decision } from '../policy/decide.ts';
import type { Policy } from '../policy/types.ts';
import type { Content } from '../rows.ts';
import type { Patience } from './retry.ts';
import type { PushSession } from './sessions.ts';
import type { PushState } from './state.ts';

export interface PushOptions {
  readonly archive: Archive;
  readonly state: PushState;
  readonly target: Pick<TeamTarget, 'user'>;
  readonly policy: Policy;
  readonly home: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Of sessions; all without it. */
  readonly isWanted?: (session: PushSession) => boolean;
  /** Send everything, whatever is known of earlier pushes. */
  readonly again?: boolean;
  /** A large session that grows line by line is masked as a whole each time: it waits until it rests, or has grown by an eighth. */
  readonly patient?: boolean;
  readonly patience?: Partial<Patience>;
  readonly onSession?: (done: number, all: number, session: PushSession) => void;
}

export interface HeldSession {
  readonly session: string;
  readonly rule: Decision['rule'] | 'recalled';
  readonly why: string;
}

export interface PushReport {
  readonly content: Content;
  /** Sessions of which something was sent. */
  readonly sent: readonly string[];
  readonly unchanged: number;
  /** Not pushed; where something was there before, it was taken back. */
  readonly held: readonly HeldSession[];
  readonly takenBack: readonly string[];
  /** Lines that stay here, by why. */
  readonly lines: Readonly<Record<string, number>>;
  readonly masked: number;
  readonly rows: Readonly<Record<string, number>>;
  /** Of the files that were sent as they lie here, and of the rows. */
  readonly bytesBefore: number;
  readonly bytesSent: number;
  readonly problems: readonly { readonly what: string; readonly where: string; readonly next: string }[];
  /** Sessions that wait because the work was stopped or the server was not reached. */
  readonly waiting: number;
  readonly stoppedBy: unknown;
}
