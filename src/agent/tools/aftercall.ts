/** Lines that a call leaves besides its result. */
import { asString, type JsonObject } from '../../format/json.ts';
import { prLinkOf } from './shell/prlink.ts';
import type { ToolOutcome } from './tool.ts';

export function afterCall(tool: string, input: JsonObject, { content }: ToolOutcome): readonly JsonObject[] {
  if (tool !== 'Bash' || typeof content !== 'string') return [];
  const link = prLinkOf(asString(input.command) ?? '', content);
  return link ? [{ type: 'pr-link', ...link, timestamp: new Date().toISOString() }] : [];
}
