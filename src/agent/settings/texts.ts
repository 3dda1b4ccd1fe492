/** Lists in settings hold anything. */
import { asArray, asString, type Json } from '../../format/json.ts';

/** What of a list is text. */
export function textsIn(value: Json | undefined): string[] {
  return (asArray(value) ?? []).flatMap((each) => asString(each) ?? []);
}
