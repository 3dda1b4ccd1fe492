/** One line of an old turn with less in it: shortened results and inputs, stubs for images, no thinking, no removed calls. */
import { rawContentOf } from '../../format/content.ts';
import type { Entry } from '../../format/entry.ts';
import type { BlockHead } from '../../format/head.ts';
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';
import { isResult, isThinking, isUse, resultId, textBlock, useId } from '../../graph/context/blocks.ts';
import { withContent } from '../repair/mend.ts';
import type { Regions } from './regions.ts';
import type { SlimSettings } from './settings.ts';
import { countedNames, type Original, originalOf, shortened, stubFor, turnStubFor } from './stub.ts';

export interface Reduction {
  readonly settings: SlimSettings;
  readonly regions: Regions;
  /** The session that is slimmed. */
  readonly from: string;
  /** Lines of the open loop whose results may be shortened. */
  readonly isEarly: (entry: Entry) => boolean;
}

interface How {
  /** Its message loses a call. */
  readonly losesCall: boolean;
  /** In a turn that is not kept whole. */
  readonly isOld: boolean;
  readonly settings: SlimSettings;
  readonly regions: Regions;
  readonly original: Original;
  /** Longer results are shortened to this. */
  readonly results: number;
}

/** Lines over this size whose result is kept may still hold a large record of it, which is not sent. */
const LARGE_LINE = 4096;

export function reduceLine(
  entry: Entry,
  value: JsonObject,
  { settings, regions, from, isEarly }: Reduction,
): JsonObject {
  if (entry.kind !== 'user' && entry.kind !== 'assistant') return value;
  const region = regions.of(entry);
  if (region === 'past') return onlySaid(value, originalOf(value, from));
  const isOld = region === 'old';
  const openResults = region === 'open' && isEarly(entry) ? settings.openResults : undefined;
  const losesCall = entry.kind === 'assistant' && regions.losesCall(entry);
  const isGone = ({ toolUseId }: BlockHead) => toolUseId !== undefined && regions.removed.has(toolUseId);
  if (!isOld && openResults === undefined && !losesCall && !entry.head.blocks.some(isGone)) return value;
  const results = isOld ? settings.results : (openResults ?? Number.POSITIVE_INFINITY);
  const how: How = { isOld, losesCall, settings, regions, original: originalOf(value, from), results };
  const before = rawContentOf(value);
  const content = reduceContent(before, how, regions.stubs.get(entry));
  const now = content === before ? value : withContent(value, content);
  return entry.kind === 'user' ? withoutRecord(entry, now, content !== before, how) : now;
}

/** Blocks of tools and thinking. */
export function isAside(type: string): boolean {
  return type.includes('tool') || type.includes('thinking');
}

/** What a compaction replaced is not sent: of that only what was said stays. */
function onlySaid(value: JsonObject, original: Original): JsonObject {
  const before = asArray(rawContentOf(value));
  if (before === undefined) return value;
  const kept = before.flatMap((item): Json[] => {
    const block = asObject(item);
    if (block === undefined) return [item];
    return isAside(asString(block.type) ?? '') ? [] : [withoutPicture(block, original)];
  });
  const isSame = kept.length === before.length && kept.every((item, i) => item === before[i]);
  return isSame ? value : { ...withContent(value, kept), toolUseResult: undefined };
}

/** Never empty: a line of which nothing stays is left out before. */
function reduceContent(content: Json | undefined, how: How, stub: readonly string[] | undefined): Json {
  const items = asArray(content);
  if (items === undefined) return content ?? '';
  const kept: Json[] = [];
  let told = stub === undefined;
  for (const item of items) {
    const block = asObject(item);
    const now = block === undefined ? item : reduceBlock(block, how);
    if (now !== undefined) kept.push(now);
    else if (!told && block !== undefined && isUse(block)) {
      told = true;
      kept.push(textBlock(turnStubFor(`calls of ${countedNames(stub ?? [])}`, how.original)));
    }
  }
  return kept.length === items.length && kept.every((item, i) => item === items[i]) ? items : kept;
}

function reduceBlock(block: JsonObject, how: How): JsonObject | undefined {
  const { regions, settings, isOld, losesCall } = how;
  // S3: thinking goes whole; that of a call that goes would lead to nothing.
  if (isThinking(block)) return losesCall || (isOld && settings.thinking === 'drop') ? undefined : block;
  if (isUse(block)) return regions.removed.has(useId(block)) ? undefined : reduceUse(block, how);
  if (isResult(block)) return regions.removed.has(resultId(block)) ? undefined : reduceResult(block, how);
  return isOld && settings.images === 'drop' ? withoutPicture(block, how.original) : block;
}

function reduceUse(block: JsonObject, { isOld, regions, settings, original }: How): JsonObject {
  if (!isOld || regions.spared.has(useId(block))) return block;
  const input = shortenIn(block.input, settings.inputs, `${asString(block.name)} input`, original);
  return input === block.input ? block : { ...block, input };
}

/** Every long text of a value, whatever its depth. */
function shortenIn(value: Json | undefined, limit: number, what: string, original: Original): Json | undefined {
  if (typeof value === 'string') return shortened(value, limit, what, original);
  if (Array.isArray(value)) {
    const items = value.map((item) => shortenIn(item, limit, what, original) ?? item);
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isObject(value)) return value;
  let changed: JsonObject | undefined;
  for (const [key, inner] of Object.entries(value)) {
    const now = shortenIn(inner, limit, what, original);
    if (now === inner) continue;
    changed ??= { ...value };
    changed[key] = now;
  }
  return changed ?? value;
}

function reduceResult(block: JsonObject, { regions, settings, original, results, isOld }: How): JsonObject {
  const id = resultId(block);
  if (regions.spared.has(id)) return block;
  const what = `${regions.tools.get(id) || 'tool'} result`;
  const { content } = block;
  if (typeof content === 'string') {
    const text = shortened(content, results, what, original);
    return text === content ? block : { ...block, content: text };
  }
  const parts = asArray(content);
  if (parts === undefined) return block;
  const dropsPictures = !isOld || settings.images === 'drop';
  const now = parts.map((part) => {
    const inner = asObject(part);
    if (inner === undefined) return part;
    if (inner.type !== 'text')
      return dropsPictures && Number.isFinite(results) ? withoutPicture(inner, original) : inner;
    const text = shortened(asString(inner.text) ?? '', results, what, original);
    return text === inner.text ? inner : { ...inner, text };
  });
  return now.every((part, i) => part === parts[i]) ? block : { ...block, content: now };
}

/** A stub for an image or a document. */
function withoutPicture(block: JsonObject, original: Original): JsonObject {
  if (block.type !== 'image' && block.type !== 'document') return block;
  const source = asObject(block.source);
  const data = asString(source?.data) ?? '';
  const size = data === '' ? '' : ` of ${Math.ceil((data.length * 3) / 4)} bytes`;
  return textBlock(stubFor(`${asString(source?.media_type) ?? asString(block.type)}${size}`, original));
}

/** S5: the client's own record of a result goes with what was removed of it. That of an agent says which transcript is its own. */
function withoutRecord(entry: Entry, value: JsonObject, changed: boolean, { isOld }: How): JsonObject {
  if (value.toolUseResult === undefined) return value;
  const isLarge = entry.line.end - entry.line.start > LARGE_LINE;
  if (!changed && !(isOld && isLarge)) return value;
  const record = asObject(value.toolUseResult);
  if (record?.agentId !== undefined) {
    const said = rawContentOf(value);
    const [block] = (asArray(said) ?? []).filter(isObject).filter(isResult);
    const content = asArray(block?.content) ?? [textBlock(asString(block?.content) ?? '')];
    return { ...value, toolUseResult: { ...record, content } };
  }
  return { ...value, toolUseResult: undefined };
}
