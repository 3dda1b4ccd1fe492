/** A team that is opened when something is sent: most pushes have nothing to send, and the client takes long to load. */
import { openTeam, type Team, type TeamTarget } from '../connect.ts';

export type Sender = Pick<Team, 'insert' | 'close'>;

export function openLate(target: TeamTarget): Sender {
  let opened: Promise<Team> | undefined;
  return {
    async insert(...args) {
      opened ??= openTeam(target);
      await (await opened).insert(...args);
    },
    async close() {
      await (await opened)?.close();
    },
  };
}
