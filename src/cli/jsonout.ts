/** JSON too large for one string: written item by item, as fast as the reader takes it. */
import type { Context } from './context.ts';
import type { Masking } from './mask.ts';
import { write } from './write.ts';

/** `{…head, "name": [items]}`. Items are made one after the other and not kept. */
export async function writeJsonList(
  context: Context,
  mask: Masking,
  head: object,
  name: string,
  items: Iterable<object>,
): Promise<void> {
  const opening = mask.json(head).replace(/\n?\}$/, '');
  const separator = Object.keys(head).length > 0 ? ',' : '';
  await write(context.out, `${opening}${separator}\n  ${JSON.stringify(name)}: [`);
  let first = true;
  for (const item of items) {
    await write(context.out, `${first ? '' : ','}\n${mask.json(item)}`);
    first = false;
  }
  await write(context.out, `${first ? '' : '\n  '}]\n}\n`);
}
