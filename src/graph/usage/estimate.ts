/** Output tokens guessed from what was said, for messages whose output was not recorded (E17). Never part of a total. */
import { type Block, blocksOf } from '../../format/content.ts';
import { asObject, at, type JsonObject } from '../../format/json.ts';

/** English prose and code alike come to about this many characters a token. */
const CHARACTERS_PER_TOKEN = 4;

/** From the lines of one message. */
export function estimatedOutput(lines: Iterable<JsonObject>): number {
  let characters = 0;
  for (const line of lines) {
    const told = line.type === 'progress' ? asObject(at(line, 'data', 'message')) : line;
    for (const block of told === undefined ? [] : blocksOf(told)) characters += lengthOf(block);
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function lengthOf(block: Block): number {
  if (block.type === 'text') return block.text.length;
  if (block.type === 'thinking') return block.thinking.length;
  return block.type === 'tool_use' ? block.name.length + JSON.stringify(block.input).length : 0;
}
