/** The content of one line as the API takes it (A4, A5, A7): what it refuses goes or is mended, all else stays as it is. */
import { rawContentOf } from '../../format/content.ts';
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';
import {
  isBlank,
  isResult,
  isSigned,
  isThinking,
  isUse,
  resultId,
  usableBlocks,
  useId,
} from '../../graph/context/blocks.ts';
import { flawOf } from '../../graph/shapes.ts';

export interface Flaw {
  readonly rule: string;
  readonly what: string;
}

/** What is to be done with the calls and results of a line besides. */
export interface BlockFates {
  /** Ids of calls and results that are left out. */
  readonly without?: ReadonlySet<string>;
  readonly renamed?: ReadonlyMap<string, string>;
  /** Results whose call is nowhere. */
  readonly orphans?: ReadonlySet<string>;
  /** Signed thinking that goes all the same. */
  readonly isRefused?: (thinking: JsonObject) => boolean;
}

export interface MendedContent {
  /** The same value if nothing was wrong; undefined when nothing is left. */
  readonly content: Json | undefined;
  readonly flaws: readonly Flaw[];
}

const LONGEST_NAME = 200;
export const LONG_NAME = 'tool name over 200 characters, which the API refuses: cut';
export const UNSIGNED = 'thinking without a signature, which the API refuses: left out';
export const BLANK = 'empty text, which the API refuses: left out';

export function mendContent(
  role: 'user' | 'assistant',
  content: Json | undefined,
  fates: BlockFates = {},
): MendedContent {
  if (typeof content === 'string') {
    const isEmpty = content.trim() === '';
    return { content: isEmpty ? undefined : content, flaws: isEmpty ? [{ rule: 'A4', what: BLANK }] : [] };
  }
  const items = asArray(content);
  if (items === undefined) return { content: undefined, flaws: [{ rule: 'A4', what: 'no content: left out' }] };
  const flaws: Flaw[] = [];
  const kept: Json[] = [];
  const repeated = repeatsIn(items);
  for (const item of items) {
    const block = repeated.has(item) ? undefined : mendBlock(role, item, fates, flaws);
    if (block !== undefined) kept.push(block);
  }
  if (items.length === 0) flaws.push({ rule: 'A4', what: 'no content: left out' });
  const same = kept.length === items.length && kept.every((block, i) => block === items[i]);
  return { content: kept.length === 0 ? undefined : same ? content : kept, flaws };
}

/** Of a call that stands twice in one line the last is complete (E4), of a result the first counts. */
function repeatsIn(items: readonly Json[]): Set<Json> {
  const repeats = new Set<Json>();
  if (items.length < 2) return repeats;
  const uses = new Map<string, Json>();
  const results = new Set<string>();
  for (const item of items) {
    if (!isObject(item)) continue;
    const before = isUse(item) ? uses.get(useId(item)) : undefined;
    if (before !== undefined) repeats.add(before);
    if (isUse(item)) uses.set(useId(item), item);
    if (isResult(item) && results.has(resultId(item))) repeats.add(item);
    results.add(resultId(item));
  }
  return repeats;
}

function mendBlock(role: 'user' | 'assistant', item: Json, fates: BlockFates, flaws: Flaw[]): JsonObject | undefined {
  const block = asObject(item);
  const gone = (rule: string, what: string): undefined => {
    flaws.push({ rule, what });
    return undefined;
  };
  if (block === undefined) return gone('A4', 'a block that is not an object: left out');
  if (isBlank(block)) return gone('A4', BLANK);
  if (isThinking(block) && role === 'assistant') {
    if (!isSigned(block)) return gone('A5', UNSIGNED);
    return fates.isRefused?.(block) ? gone('A5', 'thinking that the API refuses: left out') : block;
  }
  if (isUse(block))
    return role === 'assistant' ? mendUse(block, fates, flaws) : gone('A1', 'a tool call of the user: left out');
  if (isResult(block))
    return role === 'user' ? mendResult(block, fates, flaws) : gone('A2', 'a result of the model: left out');
  const flaw = flawOf(role, block);
  return flaw === undefined ? block : gone('A4', `${flaw}: left out`);
}

function mendUse(block: JsonObject, { without, renamed }: BlockFates, flaws: Flaw[]): JsonObject | undefined {
  const id = useId(block);
  if (without?.has(id)) return undefined;
  const [usable] = usableBlocks('assistant', [block]);
  if (usable === undefined) {
    flaws.push({ rule: 'A1', what: 'a tool call without an id: left out' });
    return undefined;
  }
  const name = asString(block.name) ?? '';
  const changes: JsonObject = {};
  if (name.length > LONGEST_NAME) {
    flaws.push({ rule: 'A7', what: LONG_NAME });
    changes.name = name.slice(0, LONGEST_NAME);
  } else if (name === '') {
    flaws.push({ rule: 'A4', what: 'a tool call that names no tool: called unknown' });
    changes.name = usable.name;
  }
  if (!isObject(block.input)) {
    flaws.push({ rule: 'A4', what: 'the input of a tool call was not an object' });
    changes.input = usable.input;
  }
  const fresh = renamed?.get(id);
  if (fresh !== undefined) changes.id = fresh;
  return Object.keys(changes).length === 0 ? block : { ...block, ...changes };
}

function mendResult(block: JsonObject, fates: BlockFates, flaws: Flaw[]): JsonObject | undefined {
  const id = resultId(block);
  if (fates.without?.has(id)) return undefined;
  const [usable] = usableBlocks('user', [block]);
  if (usable === undefined) {
    flaws.push({ rule: 'A2', what: 'a result that names no call: left out' });
    return undefined;
  }
  const flaw = flawOf('user', block);
  const hasBlank = (asArray(block.content) ?? []).some((part) => isObject(part) && isBlank(part));
  if (flaw !== undefined) flaws.push({ rule: 'A4', what: `${flaw}: mended` });
  else if (hasBlank) flaws.push({ rule: 'A4', what: `in a result, ${BLANK}` });
  const mended = flaw !== undefined || hasBlank ? usable : block;
  if (fates.orphans?.has(id)) return orphanNote(mended, id);
  const fresh = fates.renamed?.get(id);
  return fresh === undefined ? mended : { ...mended, tool_use_id: fresh };
}

/** What a result said whose call is lost. */
function orphanNote({ content }: JsonObject, id: string): JsonObject {
  const said = typeof content === 'string' ? content : textsIn(content).join('\n');
  return { type: 'text', text: `[skein: result of tool call ${id}, which is lost]\n${said}`.trimEnd() };
}

function textsIn(content: Json | undefined): string[] {
  return (asArray(content) ?? []).map((part) => {
    const block = asObject(part);
    return asString(block?.text) ?? `[${asString(block?.type) ?? 'block'}]`;
  });
}

/** The value with another content, where the client looks for it (E15). */
export function withContent(value: JsonObject, content: Json): JsonObject {
  const message = asObject(value.message);
  if (rawContentOf(value) === content) return value;
  if (message === undefined || (message.content === undefined && value.content !== undefined))
    return { ...value, content };
  return { ...value, message: { ...message, content } };
}
