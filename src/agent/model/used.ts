/** What an answer took of the window: all that was sent, from the cache or not, and the answer itself. */
import { asNumber, type JsonObject } from '../../format/json.ts';

const COUNTED = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];

export function tokensUsed(usage: JsonObject | undefined): number {
  return COUNTED.reduce((sum, key) => sum + (asNumber(usage?.[key]) ?? 0), 0);
}
