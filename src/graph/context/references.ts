/**
 * What a search for tools found is a list of names in its result, and the API refuses names of tools that are not in the
 * request. Like the client, only those are named that are there; without knowing them, what was found is told in words.
 */
import { asArray, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';
import { isResult, textBlock } from './blocks.ts';

const LOADED = 'Tool loaded.';
const REMOVED = '[Tool references removed - tools no longer available]';

/** The content of a user entry. Where a tool is named, the person's side says so after the results. */
export function withKnownTools(content: Json | undefined, tools: ReadonlySet<string> | undefined): Json | undefined {
  const blocks = asArray(content);
  if (blocks === undefined || !blocks.some(namesTools)) return content;
  const made = blocks.map((block) => (isObject(block) && namesTools(block) ? knownIn(block, tools) : block));
  return made.some(namesTools) ? [...made, textBlock(LOADED)] : made;
}

function namesTools(block: Json): boolean {
  return isObject(block) && isResult(block) && (asArray(block.content) ?? []).some(isReference);
}

function isReference(part: Json): boolean {
  return isObject(part) && part.type === 'tool_reference';
}

function knownIn(block: JsonObject, tools: ReadonlySet<string> | undefined): JsonObject {
  const parts = asArray(block.content) ?? [];
  const kept = parts.filter((part) => !isReference(part) || tools?.has(nameIn(part)));
  if (tools === undefined) kept.push(textBlock(`Tools found: ${parts.filter(isReference).map(nameIn).join(', ')}`));
  return { ...block, content: kept.length > 0 ? kept : [textBlock(REMOVED)] };
}

function nameIn(part: Json): string {
  return isObject(part) ? (asString(part.tool_name) ?? '') : '';
}
