/** The words of a stored line that a person may look for: what was said, thought, asked of tools and answered by them. */
import { blocksOf, toBlocks } from '../format/content.ts';
import { headOf } from '../format/head.ts';
import { asArray, isObject, type Json, type JsonObject, parseJson } from '../format/json.ts';
import { kindOf } from '../format/kinds.ts';
import { parseTimestamp } from '../format/time.ts';
import { withoutParam } from './piece.ts';

export interface LineText {
  readonly text: string;
  readonly uuid: string | undefined;
  /** `text` for what is no entry: outputs, plans, damaged lines. */
  readonly kind: string;
  /** Milliseconds. */
  readonly time: number | undefined;
}

/** undefined when there is nothing to read in it. */
export function textOfPiece(piece: Buffer): LineText | undefined {
  const bytes = withoutParam(piece);
  const json = parseJson(bytes.toString('utf8'));
  if (!isObject(json)) return json === undefined ? plainLine(bytes) : undefined;
  const text = textOf(json);
  if (text === '') return undefined;
  const head = headOf(json);
  const time = parseTimestamp(head.timestamp ?? '');
  return { text, uuid: head.uuid, kind: kindOf(head), time: Number.isNaN(time) ? undefined : time };
}

function plainLine(bytes: Buffer): LineText | undefined {
  if (bytes.includes(0)) return undefined;
  return { text: bytes.toString('utf8'), uuid: undefined, kind: 'text', time: undefined };
}

/** Titles and the like, by the names they have in entries and in files of their own. */
const FIELDS = ['summary', 'customTitle', 'aiTitle', 'agentName', 'attachment', 'planContent', 'display', 'lastPrompt'];

function textOf(entry: JsonObject): string {
  const found: string[] = [];
  for (const block of blocksOf(entry)) {
    if (block.type === 'text') found.push(block.text);
    else if (block.type === 'thinking') found.push(block.thinking);
    else if (block.type === 'tool_use') found.push(block.name, ...strings(block.input));
    else if (block.type === 'tool_result')
      found.push(...toBlocks(block.content).map((each) => (each.type === 'text' ? each.text : '')));
  }
  for (const field of FIELDS) found.push(...strings(entry[field]));
  return found.filter((each) => each !== '').join('\n');
}

/** Every string in a value, whatever its depth. */
function strings(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  if (isObject(value)) return Object.values(value).flatMap(strings);
  return (asArray(value) ?? []).flatMap(strings);
}

const EACH_CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
/** Where they lie, roughly: quickly told from plain text with some arrows and emoji. */
const MAYBE_CJK = /[\u1100-\u11ff\u2e80-\ud7ff\ud82c\ud840-\ud88f\uf900-\ufaff\uff60-\uffdf]/;

/** Words of these scripts are not set apart, so each character is a word of its own to the index. */
export function spaced(text: string): string {
  return MAYBE_CJK.test(text) ? text.replace(EACH_CJK, ' $& ') : text;
}
