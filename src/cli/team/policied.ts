/** The policy of this machine and the state of a target, for the verbs that push and take back. */
import { resolve } from 'node:path';
import { archiveFolder } from '../../archive/place.ts';
import { get, run } from '../../archive/sqlite.ts';
import { mergePolicies } from '../../team/policy/merge.ts';
import { policyPlaces, readPolicies } from '../../team/policy/read.ts';
import type { Policy } from '../../team/policy/types.ts';
import { openPushState, type PushState, statePath } from '../../team/push/state.ts';
import type { TeamTarget } from '../../team/target.ts';
import type { Context } from '../context.ts';

export function homeOf(context: Context): string {
  return resolve(context.cwd, archiveFolder(context));
}

/** Throws TeamError when a policy cannot be followed: nothing is pushed then. */
export function policyOf(context: Context): Policy {
  return mergePolicies(
    readPolicies(policyPlaces({ ...context, env: { ...context.env, SKEIN_HOME: homeOf(context) } })),
  );
}

export function stateOf(context: Context, target: TeamTarget): PushState {
  return openPushState(statePath(homeOf(context), target));
}

/** Whether a person said yes to sending to this target, or wrote a policy. */
export function isAgreed({ db }: PushState, policy: Policy): boolean {
  return policy.files.length > 0 || get(db, "SELECT 1 FROM meta WHERE key = 'agreed'") !== undefined;
}

export function agree({ db }: PushState, now: Date): void {
  run(db, "INSERT OR REPLACE INTO meta VALUES ('agreed', ?)", now.toISOString());
}
