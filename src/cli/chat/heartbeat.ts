/** Calls that take long tell from time to time that they go on (`tool_progress`), as in the published client. */
import { randomUUID } from 'node:crypto';
import type { LoopEvent } from '../../agent/ports.ts';
import type { JsonObject } from '../../format/json.ts';

const EVERY_MS = 30_000;

/** Told of every event of the session itself; `write` is called while calls run. */
export function createHeartbeat(
  write: (message: JsonObject) => void,
  sessionId: () => string,
  everyMs = EVERY_MS,
): (event: LoopEvent) => void {
  const running = new Map<string, NodeJS.Timeout>();
  return (event) => {
    if (event.kind === 'tool-end') {
      clearInterval(running.get(event.id));
      running.delete(event.id);
    }
    // Agents tell what they do.
    if (event.kind !== 'tool-start' || event.name === 'Agent') return;
    const { id, name } = event;
    let beats = 0;
    const beat = () => {
      const times = { tool_use_id: `${id}-heartbeat-${beats}`, tool_name: name, parent_tool_use_id: id };
      beats += 1;
      const elapsed = { elapsed_time_seconds: Math.round((beats * everyMs) / 1000), heartbeat: true };
      write({ type: 'tool_progress', ...times, ...elapsed, session_id: sessionId(), uuid: randomUUID() });
    };
    running.set(id, setInterval(beat, everyMs).unref());
  };
}
