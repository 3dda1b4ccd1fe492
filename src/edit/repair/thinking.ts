/** A5: thinking that is signed and yet refused. Whether a signature fits cannot be told here, but some things can. */
import { plainText, rawContentOf } from '../../format/content.ts';
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asArray, asString, isObject, type JsonObject } from '../../format/json.ts';

export type Thinking = 'auto' | 'drop';

/** Which thinking goes: all of it where the API said that it refuses some, else what was plainly changed after it was signed. */
export function refusedThinking(sent: readonly Entry[], choice: Thinking): (thinking: JsonObject) => boolean {
  if (choice === 'drop' || apiRefused(sent)) return () => true;
  const changed = changedThinking(sent);
  return (block) => {
    const signature = asString(block.signature) ?? '';
    return changed.has(signature) || isCut(signature);
  };
}

/** The last answer is an error that speaks of thinking or its signature. */
function apiRefused(sent: readonly Entry[]): boolean {
  const last = sent.findLast(({ kind }) => kind === 'assistant');
  if (last === undefined || !last.head.isApiErrorMessage) return false;
  const text = plainText(rawContentOf(jsonOf(last) ?? {}));
  return /\b400\b|invalid_request/.test(text) && /signature|thinking/i.test(text);
}

/** One signature over two texts. */
function changedThinking(sent: readonly Entry[]): Set<string> {
  const signed = new Map<string, string>();
  const changed = new Set<string>();
  for (const entry of sent) {
    if (entry.kind !== 'assistant' || !entry.head.blocks.some(({ type }) => type === 'thinking')) continue;
    for (const block of (asArray(rawContentOf(jsonOf(entry) ?? {})) ?? []).filter(isObject)) {
      const signature = block.type === 'thinking' ? asString(block.signature) : undefined;
      if (!signature) continue;
      const text = asString(block.thinking) ?? '';
      const before = signed.get(signature);
      if (before !== undefined && before !== text) changed.add(signature);
      signed.set(signature, text);
    }
  }
  return changed;
}

/** Signatures of the API are long and in base64; one that is not any more was cut or edited. */
const LONG = 64;

function isCut(signature: string): boolean {
  return signature.length >= LONG && !(signature.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(signature));
}
