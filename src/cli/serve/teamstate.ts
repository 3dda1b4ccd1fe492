/** What the pages of a team depend on: what was pushed, who belongs to it and what may be spent. */
import { openTeam, type Team } from '../../team/connect.ts';
import type { TeamTarget } from '../../team/target.ts';
import { unlessDenied } from '../../team/usage/teams.ts';

export interface TeamState {
  /** Another one whenever something was pushed or taken back, or members or budgets are others. */
  state(): Promise<string>;
  close(): Promise<void>;
}

/** Of all rows, not of the one with the latest version: the clocks of those who write them differ. */
function stateOf(table: string, columns: string): string {
  return `SELECT count() AS rows, toString(sum(cityHash64(${columns}))) AS state FROM ${table} FINAL`;
}

const FILES = stateOf('files', 'session, name, owner, machine, version');
const OTHERS = [stateOf('members', '*'), stateOf('budgets', '*')];

export function openTeamState(
  target: TeamTarget,
  open: (target: TeamTarget) => Promise<Pick<Team, 'rows' | 'close'>> = openTeam,
): TeamState {
  let opened: ReturnType<typeof open> | undefined;
  return {
    async state() {
      opened ??= open(target);
      const team = await opened;
      // What this login may not read does not change for it.
      const others = OTHERS.map((sql) => unlessDenied(team.rows(sql)));
      return JSON.stringify(await Promise.all([team.rows(FILES), ...others]));
    },
    async close() {
      await (await opened)?.close();
    },
  };
}
