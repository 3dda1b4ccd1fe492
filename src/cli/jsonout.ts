/** JSON too large for one string: written item by item, as fast as the reader takes it. */
import type { Context } from './context.ts';
import type { Masking } from './mask.ts';
import { write } from './write.ts';

/** `{…head, "name": [items]}`. Items are made one after the other, and perhaps a second time (`settled`). */
export async function writeJsonList(
  context: Context,
  mask: Masking,
  head: object,
  name: string,
  items: () => Iterable<object>,
): Promise<void> {
  for (const text of mask.settled(() => listText(mask, head, name, items()))) await write(context.out, text);
}

function* listText(mask: Masking, head: object, name: string, items: Iterable<object>): Generator<string> {
  const opening = mask.json(head).replace(/\n?\}$/, '');
  const separator = Object.keys(head).length > 0 ? ',' : '';
  yield `${opening}${separator}\n  ${JSON.stringify(name)}: [`;
  let first = true;
  for (const item of items) {
    yield `${first ? '' : ','}\n${mask.json(item)}`;
    first = false;
  }
  yield `${first ? '' : '\n  '}]\n}\n`;
}
