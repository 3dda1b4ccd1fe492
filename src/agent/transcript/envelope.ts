/** What stands around every line we write (E2, W5), in the order of the client's own lines. */
import type { JsonObject } from '../../format/json.ts';

/** The form we conform to. */
export const FORMAT_VERSION = '2.1.325';

export interface Envelope {
  readonly sessionId: string;
  readonly cwd: string;
  readonly gitBranch: string;
  readonly slug: string;
  /** Our own version. */
  readonly client: string;
  /** The sub-agent whose line it is (L3). */
  readonly agentId?: string | undefined;
}

export interface Place {
  readonly parentUuid: string | null;
  readonly uuid: string;
  readonly timestamp: string;
}

/** A line of the chain. `before` comes before its uuid, `after` after its time. */
export function chainEntry(place: Place, before: JsonObject, after: JsonObject, envelope: Envelope): JsonObject {
  const { parentUuid, uuid, timestamp } = place;
  return {
    parentUuid,
    isSidechain: envelope.agentId !== undefined,
    ...(envelope.agentId !== undefined && { agentId: envelope.agentId }),
    ...before,
    uuid,
    timestamp,
    ...after,
    userType: 'external',
    entrypoint: 'cli',
    cwd: envelope.cwd,
    sessionId: envelope.sessionId,
    version: FORMAT_VERSION,
    gitBranch: envelope.gitBranch,
    slug: envelope.slug,
    client: { name: 'skein', version: envelope.client },
  };
}
