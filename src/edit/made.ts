/** Lines that stand in no source: they are dressed as the lines around them are, and say who wrote them (W5). */
import type { Json, JsonObject } from '../format/json.ts';

const ENVELOPE = ['cwd', 'sessionId', 'version', 'gitBranch', 'userType', 'entrypoint', 'slug', 'timestamp'];

/** `like` is a line nearby; its uuid and place in the chain are not taken over. */
export function madeLine(like: JsonObject, fields: JsonObject): JsonObject {
  const made: JsonObject = { isSidechain: false };
  for (const key of ENVELOPE) if (like[key] !== undefined) made[key] = like[key];
  return { ...made, ...fields, client: { name: 'skein' } };
}

export function madeUser(like: JsonObject, content: Json, fields: JsonObject = {}): JsonObject {
  return madeLine(like, { type: 'user', message: { role: 'user', content }, ...fields });
}
