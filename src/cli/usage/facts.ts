/** Facts message by message: from what the archive knows, else from the files. */
import type { SessionFile } from '../../disk/find.ts';
import { toFact } from '../../views/usage/facts.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import type { Library } from '../library.ts';
import { gatherMessages } from './gather.ts';
import { openPricing } from './pricing.ts';
import type { Found } from './report.ts';
import { tunedForScan } from './tune.ts';

export function factsOf(context: Context, args: Arguments, library: Library, files: readonly SessionFile[]): Found {
  const pricing = openPricing(context, args);
  // Prompts recovered from the history tell of no usage.
  const transcripts = files.filter(({ source }) => source !== 'history').length;
  let read = 0;
  const known = (file: SessionFile) => {
    const messages = library.known.usageOf(file);
    if (messages === undefined && file.source !== 'history') read += 1;
    return messages;
  };
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const facts = tunedForScan(size, () => {
    const { messages, projectOf } = gatherMessages(context, files, { known });
    return messages.map((message) => toFact(message, projectOf(message), pricing));
  });
  return { facts, engine: read < transcripts ? 'archive' : 'files', read, prices: pricing.table };
}
