/** What the cc-langfuse hook sent before: its ids were made by chance, so the server cannot know those turns again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readEntriesOf } from '../../disk/read.ts';
import { asNumber, asObject, type JsonObject, parseJson } from '../../format/json.ts';
import { originalUuid } from '../../views/spans/ids.ts';
import type { TurnTrace } from '../../views/spans/types.ts';

export interface OldHook {
  /** Tells the turns that it sent; undefined for a session that it did not know. */
  sentOf(session: {
    readonly sessionId: string;
    readonly transcript: string;
  }): ((trace: TurnTrace) => boolean) | undefined;
}

/** Where the client may have kept it. */
export function configsOf(env: Readonly<Record<string, string | undefined>>, home: string): string[] {
  return [env.CLAUDE_CONFIG_DIR, join(home, '.claude')].filter((path) => path !== undefined);
}

export function readOldHook(configs: readonly string[]): OldHook {
  const states = configs.map((config) => stateIn(join(config, 'state', 'cc-langfuse_state.json')));
  return {
    sentOf({ sessionId, transcript }) {
      const lines = Math.max(0, ...states.map((state) => asNumber(asObject(state[sessionId])?.last_line) ?? 0));
      if (lines === 0) return undefined;
      let sent: ReadonlySet<string> | undefined;
      return ({ promptId }) => {
        sent ??= uuidsTo(transcript, lines);
        return promptId !== null && sent.has(promptId);
      };
    },
  };
}

/** It counted lines up to the end of the last turn it sent: a turn that begins before was sent. */
function uuidsTo(transcript: string, lines: number): Set<string> {
  const found = new Set<string>();
  for (const entry of readEntriesOf(transcript)) {
    if (entry.line.number > lines) break;
    const uuid = originalUuid(entry);
    if (uuid !== undefined) found.add(uuid);
  }
  return found;
}

function stateIn(file: string): JsonObject {
  try {
    return asObject(parseJson(readFileSync(file, 'utf8'))) ?? {};
  } catch {
    return {};
  }
}
